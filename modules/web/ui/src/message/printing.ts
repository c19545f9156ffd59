import { store } from '../client.ts';

/** MOST is the number of messages that are printed at most; lists drop those at their other end. */
const MOST = 1900;

/** printAll prints the view on the screen, after loading the rest of its messages. */
export async function printAll(): Promise<void> {
  const list = store.shown;
  for (const way of ['newer', 'older'] as const) {
    for (let before = -1; list && list === store.shown && before !== list.ids.length && list.ids.length < MOST;) {
      before = list.ids.length;
      await store.lists[way](list);
    }
  }
  print();
}
