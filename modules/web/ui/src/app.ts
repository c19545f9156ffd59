import { Calls } from './api/calls.ts';
import { ApiError, Http } from './api/http.ts';
import { Storage } from './store/storage.ts';
import { Database } from './store/vault.ts';
import { spectatorMay } from './store/spectator.ts';
import { Store } from './store/store.ts';
import { text } from './messages/index.ts';
import { isOlder, reload } from './views/shell.ts';
import { ui } from './views/ui.svelte.ts';

const meta = () => document.querySelector<HTMLMetaElement>('meta[name="csrf-token"]');

/**
 * csrf returns the page's CSRF token. Vite's development server leaves the meta tag empty; the token then comes from
 * a cookie.
 */
export function csrf(): string {
  return meta()?.content || /(?:^|; )csrftoken=([^;]*)/.exec(document.cookie)?.[1] || '';
}

/** spectator is true if nobody is logged in: the page then has no CSRF token. */
export const spectator = csrf() === '';

/** SHELL replaces the CSRF token in a page cached by the service worker. */
const SHELL = 'offline';

async function renewCsrf(): Promise<string> {
  const page = await (await fetch('/', { cache: 'no-store' })).text();
  const token = /<meta name="csrf-token" content="([^"]*)"/.exec(page)?.[1];
  const element = meta();
  if (token && token !== SHELL && element) element.content = token;
  return page;
}

/**
 * checkVersion checks before each registration whether the server has a newer client. If it does, a page from the
 * service worker's cache reloads at once; any other page shows a notice.
 */
async function checkVersion(): Promise<void> {
  if (csrf() !== SHELL) {
    if (store.ready && store.asOf === undefined)
      void renewCsrf().then(
        (p) => (ui.outdated = isOlder(p)),
        () => undefined,
      );
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
  if (csrf() === SHELL) unauthorized();
}

/** loginURL returns the address of the login page, which returns to the current view after login. */
export function loginURL(): string {
  return `/login/?next=${encodeURIComponent(location.pathname + location.search + location.hash)}`;
}

let leaving = false;

/** startLogout starts a logout: from now on, 401 responses are ignored. */
export function startLogout(): void {
  leaving = true;
  store.connection.stop();
}

/**
 * leaveAfter runs an action that ends the session, and opens the login page unless it fails. Meanwhile, 401 responses
 * are ignored: they would open the login page, too.
 */
export async function leaveAfter(action: () => Promise<unknown>): Promise<void> {
  leaving = true;
  try {
    await action();
  } catch (e) {
    leaving = false;
    throw e;
  }
  void store.offline.forget();
  location.assign('/login/');
}

/** unauthorized opens the login page. Several requests can find the session expired; only the first one navigates. */
function unauthorized(): void {
  if (leaving) return;
  leaving = true;
  void store.offline.forget();
  location.assign(loginURL());
}

export const http = new Http({
  fetch: (input, init) => fetch(input, init),
  csrf,
  renewCsrf: async () => void (await renewCsrf()),
  unauthorized,
  waiting: (seconds) => (ui.waiting = seconds),
  refuses: (method, path) => (spectator && !spectatorMay(method, path) ? text.logInFirst : undefined),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
});

export const store = new Store({
  http,
  local: new Storage(() => globalThis.localStorage, 'stoa.'),
  session: new Storage(() => globalThis.sessionStorage, 'stoa.'),
  now: () => Date.now(),
  spectator,
  checkVersion,
  ...('indexedDB' in globalThis ? { vault: new Database('stoa') } : {}),
});

export const calls = new Calls(http);
