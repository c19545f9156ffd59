import { Calls } from './api/calls.ts';
import { ApiError, Http } from './api/http.ts';
import { csrf, isCached, renewCsrf, spectator } from './csrf.ts';
import { session } from './session.ts';
import { forgetUser, isOlder, ownScript, reload } from './shell/serviceworker.ts';
import { signal, tracking } from './shell/signal.svelte.ts';
import { ui } from './shell/ui.svelte.ts';
import { observe } from './store/cell.ts';
import { Storage } from './store/storage.ts';
import { Database } from './store/vault.ts';
import { spectatorMay } from './store/spectator.ts';
import { Store } from './store/store.ts';
import { tabWire } from './store/wire.ts';
import { text } from './texts/index.ts';

export const http = new Http({
  fetch: (input, init) => fetch(input, init),
  csrf,
  renewCsrf: async () => void (await renewCsrf()),
  unauthorized: () => session.unauthorized(),
  otherUser: () => session.isReplaced(),
  waiting: (seconds) => (ui.waiting = seconds),
  maintained: () => void store.maintenance.look(),
  refuses: (method, path) => (spectator && !spectatorMay(method, path) ? text.logInFirst : undefined),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
});

observe(signal, tracking);

// Tabs of other versions use other wires: they could misunderstand each other.
const wire = spectator ? undefined : tabWire(session.owner(), ownScript);

export const store = new Store({
  http,
  local: new Storage(() => globalThis.localStorage, 'stoa.'),
  session: new Storage(() => globalThis.sessionStorage, 'stoa.'),
  now: () => Date.now(),
  spectator,
  owner: () => session.owner(),
  otherUser: () => session.startOver(),
  replaced: () => void forgetUser(),
  checkVersion,
  // Browsers delay the timers of hidden pages, which nobody waits for.
  rest: () => new Promise((resolve) => (document.hidden ? resolve() : setTimeout(resolve))),
  ...(wire ? { wire } : {}),
  ...('indexedDB' in globalThis ? { vault: new Database('stoa') } : {}),
});

session.guard(store);

export const calls = new Calls(http);

/**
 * checkVersion checks before each registration whether the server has a newer client. If it does, a page from the
 * service worker's cache reloads at once; any other page shows a notice.
 */
async function checkVersion(): Promise<void> {
  if (!isCached()) {
    if (store.ready && store.asOf === undefined) void noticeNewer();
    return;
  }
  let page: string;
  try {
    page = await renewCsrf();
  } catch {
    throw new ApiError(0, 'NETWORK', text.startFailed);
  }
  if (isOlder(page)) {
    reload();
    await new Promise(() => undefined);
  }
  if (isCached()) session.unauthorized();
}

/** noticeNewer shows a notice if the server has a newer client than this page. */
async function noticeNewer(): Promise<void> {
  const page = await renewCsrf().catch(() => undefined);
  if (page !== undefined) ui.outdated = isOlder(page);
}

// What is loaded on demand is missing once the server has a newer client.
addEventListener('vite:preloadError', () => void noticeNewer());
