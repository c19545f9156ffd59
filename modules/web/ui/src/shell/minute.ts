// The current minute, for views that show days and times relative to it.
import { store } from '../client.ts';
import { ui } from './ui.svelte.ts';

/** watchMinute begins each minute on time, so that the day changes at midnight, also after the device has slept. */
export function watchMinute(): () => void {
  let timer: ReturnType<typeof setTimeout>;
  const tick = () => {
    clearTimeout(timer);
    ui.minute = store.now;
    timer = setTimeout(tick, (60 - (store.now % 60)) * 1000);
  };
  tick();
  document.addEventListener('visibilitychange', tick);
  return () => {
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', tick);
  };
}
