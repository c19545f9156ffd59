import { Calls } from './api/calls.ts';
import { ApiError, Http } from './api/http.ts';
import { expired, ownerIn } from './store/owner.ts';
import { Storage } from './store/storage.ts';
import { Database } from './store/vault.ts';
import { spectatorMay } from './store/spectator.ts';
import { Store } from './store/store.ts';
import { text } from './messages/index.ts';
import { forgetUser, isOlder, reload } from './views/shell.ts';
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

/** isLeaving reports whether the page is about to be replaced because its session is over. */
export function isLeaving(): boolean {
  return leaving;
}

const owner = () => ownerIn(document.cookie);

/** hide hides everything on a page that is about to be replaced. */
function hide(): void {
  leaving = true;
  document.body.hidden = true;
  store.connection.stop();
}

let replacing = false;

/** otherUser reports whether another user has logged in with this browser. If so, the page starts over as that user. */
function otherUser(): boolean {
  const now = owner();
  if (!replacing && !leaving && store.owner !== undefined && now !== undefined && now !== store.owner) startOver();
  return replacing;
}

function startOver(): void {
  replacing = true;
  hide();
  location.reload();
}

/** watchOwner checks whose session this is when the user returns to the page or another tab has written something. */
export function watchOwner(): void {
  for (const type of ['storage', 'focus']) addEventListener(type, otherUser);
  document.addEventListener('visibilitychange', otherUser);
  // After a logout, going back in the browser's history can show the former page.
  addEventListener('pageshow', (e) => {
    if (e.persisted && !spectator && owner() !== store.owner) startOver();
  });
}

/** endings are called when somebody has ended the session before it expired. */
const endings: (() => Promise<unknown>)[] = [];

export function whenEnded(run: () => Promise<unknown>): void {
  endings.push(run);
}

/** MAX_ENDING is how long, in milliseconds, the page waits for data to be deleted before it opens the login page. */
const MAX_ENDING = 2000;

/** deleteSaved deletes what this browser has saved of a user whose session is over, except unsent text. */
async function deleteSaved(): Promise<void> {
  const early = owner() !== undefined; // otherwise, the cookie has expired with the session
  for (const cookie of expired()) document.cookie = cookie;
  const work = [store.offline.forget(), ...(early ? endings.map((run) => run()) : [])];
  const late = new Promise((resolve) => setTimeout(resolve, MAX_ENDING));
  await Promise.race([Promise.allSettled(work), late]);
}

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
  hide();
  await deleteSaved();
  location.assign('/login/');
}

/** unauthorized opens the login page. Several requests can find the session expired; only the first one navigates. */
function unauthorized(): void {
  if (leaving || otherUser()) return;
  hide();
  void deleteSaved().then(() => location.assign(loginURL()));
}

export const http = new Http({
  fetch: (input, init) => fetch(input, init),
  csrf,
  renewCsrf: async () => void (await renewCsrf()),
  unauthorized,
  otherUser,
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
  owner,
  otherUser: startOver,
  replaced: () => void forgetUser(),
  checkVersion,
  ...('indexedDB' in globalThis ? { vault: new Database('stoa') } : {}),
});

export const calls = new Calls(http);
