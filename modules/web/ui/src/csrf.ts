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

/** isCached reports whether the page comes from the service worker's cache and has not reached the server yet. */
export const isCached = () => csrf() === SHELL;

/** renewCsrf fetches the page again, adopts its CSRF token and returns it. */
export async function renewCsrf(): Promise<string> {
  const page = await (await fetch('/', { cache: 'no-store' })).text();
  const token = /<meta name="csrf-token" content="([^"]*)"/.exec(page)?.[1];
  const element = meta();
  if (token && token !== SHELL && element) element.content = token;
  return page;
}
