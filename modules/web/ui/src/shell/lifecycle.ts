import { store } from '../client.ts';

/**
 * watchLifecycle tells the connection whether this page has the focus, and whether it can lead the tabs of its browser:
 * not while it is frozen or kept in the browser's history.
 */
export function watchLifecycle(): () => void {
  const leave = () => store.connection.leave();
  const rejoin = () => store.connection.rejoin();
  const shown = (e: PageTransitionEvent) => e.persisted && rejoin();
  const refocus = () => store.connection.refocus();
  const listening = new AbortController();
  const { signal } = listening;
  addEventListener('pagehide', leave, { signal });
  addEventListener('pageshow', shown, { signal });
  document.addEventListener('freeze', leave, { signal });
  document.addEventListener('resume', rejoin, { signal });
  for (const type of ['focus', 'blur']) addEventListener(type, refocus, { signal });
  document.addEventListener('visibilitychange', refocus, { signal });
  return () => listening.abort();
}
