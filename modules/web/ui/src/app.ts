import { Calls } from './api/calls.ts';
import { Http } from './api/http.ts';
import { Storage } from './store/storage.ts';
import { spectatorMay } from './store/spectator.ts';
import { Store } from './store/store.ts';
import { text } from './messages/index.ts';
import { ui } from './views/ui.svelte.ts';

const meta = () => document.querySelector<HTMLMetaElement>('meta[name="csrf-token"]');

/** csrf returns the token of the page. With Vite's server, which fills in none, a cookie holds the token. */
export function csrf(): string {
  return meta()?.content || /(?:^|; )csrftoken=([^;]*)/.exec(document.cookie)?.[1] || '';
}

/** spectator tells that nobody is logged in: the page has no token. */
export const spectator = csrf() === '';

async function renewCsrf(): Promise<void> {
  const page = await (await fetch('/', { cache: 'no-store' })).text();
  const token = /<meta name="csrf-token" content="([^"]*)"/.exec(page)?.[1];
  const element = meta();
  if (token && element) element.content = token;
}

/** loginURL is the address of the login page, which leads back to where somebody is now. */
export function loginURL(): string {
  return `/login/?next=${encodeURIComponent(location.pathname + location.search + location.hash)}`;
}

let leaving = false;

/** unauthorized leads to the login page. Several requests may find that the session has ended; the first one is enough. */
function unauthorized(): void {
  if (leaving) return;
  leaving = true;
  location.assign(loginURL());
}

export const http = new Http({
  fetch: (input, init) => fetch(input, init),
  csrf,
  renewCsrf,
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
});

export const calls = new Calls(http);
