import { store } from '../client.ts';
import { key } from '../store/narrow.ts';
import { parseHash } from '../store/route.ts';
import { lookup } from '../format/names.ts';
import { composer } from './composer.svelte.ts';
import JumpDialog from '../dialogs/JumpDialog.svelte';
import { nav } from '../shell/nav.svelte.ts';
import { errorText } from '../shell/errors.ts';
import { ui } from '../shell/ui.svelte.ts';
import type { Message } from '../api/types.ts';
import { quotation } from '../message/messageactions.ts';

const MAX_CHARACTERS = 10_000; // characters

const SHARED = 'stoa-shared';

/** files returns the shared files stored by the service worker, and removes them from its cache. */
async function files(): Promise<File[]> {
  const cache = await caches.open(SHARED);
  const found: File[] = [];
  for (const request of await cache.keys()) {
    const cached = await cache.match(request);
    if (!cached) continue;
    const name = decodeURIComponent(cached.headers.get('X-Name') ?? '');
    found.push(new File([await cached.blob()], name, { type: cached.headers.get('Content-Type') ?? '' }));
  }
  await caches.delete(SHARED);
  return found;
}

/** openShared asks for a conversation for content shared by another app. The texts are in the page's query string. */
export async function openShared(): Promise<void> {
  const given = new URLSearchParams(location.search);
  const parts = ['share_title', 'share_text', 'share_url'].map((name) => given.get(name)?.trim() ?? '');
  if (!location.search) return;
  history.replaceState(history.state, '', location.pathname + location.hash);
  const shared = [...new Set(parts)].filter(Boolean).join('\n').slice(0, MAX_CHARACTERS);
  const sent = given.has('share_files') && store.has('uploads') ? await files().catch(() => []) : [];
  if (shared || sent.length > 0) ui.open(JumpDialog, { share: (hash: string) => insertInto(hash, shared, sent) });
}

/** insertInto inserts text and files into a conversation's compose box, without sending them. */
function insertInto(hash: string, shared: string, sent: File[]): void {
  const route = parseHash(hash, lookup);
  if (route.view === 'messages') composer.insert(shared, key(route.narrow), sent);
  nav.goHash(hash);
}

/** forward quotes a message in another conversation, which the user chooses. */
export async function forward(m: Message): Promise<void> {
  try {
    const quoted = await quotation(m);
    ui.open(JumpDialog, { share: (hash: string) => insertInto(hash, quoted, []) });
  } catch (e) {
    ui.toast(() => errorText(e), 'error');
  }
}
