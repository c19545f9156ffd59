import { Storage } from '../store/storage.ts';
import { scriptURL } from '../components/trusted.ts';

const WORKER = '/static/web/worker.js';

/** workers is the service worker container. Browsers offer it only on HTTPS pages. */
export const workers = 'serviceWorker' in navigator ? navigator.serviceWorker : undefined;

export async function registerWorker(): Promise<ServiceWorkerRegistration> {
  return workers!.register(scriptURL(WORKER), { scope: '/' });
}

/** cacheShell makes the service worker cache the page, so that it opens offline, and waits until it has. */
export async function cacheShell(): Promise<void> {
  if (!workers) return;
  await registerWorker();
  const { active } = await workers.ready;
  const { port1, port2 } = new MessageChannel();
  const kept = new Promise<void>((resolve) => (port1.onmessage = () => resolve()));
  active?.postMessage('keep', [port2]);
  await kept;
  port1.close();
}

async function tell(message: string): Promise<void> {
  (await workers?.getRegistration('/'))?.active?.postMessage(message);
}

/** forgetShell deletes everything that the service worker has stored, and closes its notifications. */
export const forgetShell = () => tell('forget');

const uploads = new Storage(() => globalThis.localStorage, 'tus::');

/** forgetUser deletes what belongs to the last user: shared files, notifications, and where uploads can resume. */
export async function forgetUser(): Promise<void> {
  uploads.clear();
  await tell('forget user');
}

/** script returns the path of the client's script in a page. It changes with every version. */
function script(html: string): string | undefined {
  return /\/static\/web\/assets\/index-[\w-]+\.js/.exec(html)?.[0];
}

/** ownScript is the client's script in this page. */
export const ownScript =
  document.querySelector<HTMLScriptElement>('script[type="module"]')?.getAttribute('src') ?? '';

/** isOlder reports whether the server's page belongs to another version than this one. */
export function isOlder(html: string): boolean {
  const serverScript = script(html);
  return ownScript.startsWith('/static/web/assets/') && serverScript !== undefined && serverScript !== ownScript;
}

/** reloaded limits how often a page reloads itself because of its version. */
const reloaded = new Storage(() => globalThis.sessionStorage, 'stoa-shell.');

export function reload(): void {
  const last = reloaded.get<number>('reloaded') ?? 0;
  if (Date.now() - last < 60_000) return;
  reloaded.set('reloaded', Date.now());
  location.reload();
}
