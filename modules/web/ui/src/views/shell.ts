import { Storage } from '../store/storage.ts';
import { scriptURL } from '../components/content.ts';

const WORKER = '/static/web/worker.js';

/** workers are what runs without a page. Browsers offer them on encrypted pages only. */
export const workers = 'serviceWorker' in navigator ? navigator.serviceWorker : undefined;

export async function registerWorker(): Promise<ServiceWorkerRegistration> {
  return workers!.register(scriptURL(WORKER), { scope: '/' });
}

/** keepShell has the worker keep the page, so that it opens without a network. */
export async function keepShell(): Promise<void> {
  if (!workers) return;
  await registerWorker();
  (await workers.ready).active?.postMessage('keep');
}

export async function forgetShell(): Promise<void> {
  (await workers?.getRegistration('/'))?.active?.postMessage('forget');
}

/** script is the address of the client's script in a page, which changes with every version. */
function script(html: string): string | undefined {
  return /\/static\/web\/assets\/index-[\w-]+\.js/.exec(html)?.[0];
}

const own = document.querySelector<HTMLScriptElement>('script[type="module"]')?.getAttribute('src') ?? '';

/** isOlder reports whether a page from the server is of another version than this one. */
export function isOlder(html: string): boolean {
  const there = script(html);
  return own.startsWith('/static/web/assets/') && there !== undefined && there !== own;
}

/** reloaded bounds how often a page loads itself again because of its version. */
const reloaded = new Storage(() => globalThis.sessionStorage, 'stoa-shell.');

export function reload(): void {
  const last = reloaded.get<number>('reloaded') ?? 0;
  if (Date.now() - last < 60_000) return;
  reloaded.set('reloaded', Date.now());
  location.reload();
}
