import { key } from '../store/narrow.ts';
import { parseHash } from '../store/route.ts';
import { store } from '../app.ts';
import { composer } from './composer.svelte.ts';
import JumpDialog from './JumpDialog.svelte';
import { nav } from './nav.svelte.ts';
import { ui } from './ui.svelte.ts';

const MOST = 10_000; // characters

/** takeShared asks where to write what another app has shared, which stands in the address of the page. */
export function takeShared(): void {
  const given = new URLSearchParams(location.search);
  const parts = ['share_title', 'share_text', 'share_url'].map((name) => given.get(name)?.trim() ?? '');
  if (!location.search) return;
  history.replaceState(history.state, '', location.pathname + location.hash);
  const shared = [...new Set(parts)].filter(Boolean).join('\n').slice(0, MOST);
  if (shared) ui.open(JumpDialog, { share: (hash: string) => writeIn(hash, shared) });
}

/** writeIn puts a text into the compose box of a conversation, where somebody still has to send it. */
function writeIn(hash: string, shared: string): void {
  const route = parseHash(hash, store.me);
  if (route.view === 'messages') composer.insert(shared, key(route.narrow));
  nav.goHash(hash);
}
