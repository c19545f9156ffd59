import { createSubscriber } from 'svelte/reactivity';
import type { Cell } from '../store/cell.ts';

const subscribers = new WeakMap<Cell, () => void>();

/** watch makes the current reactive computation depend on cells of the store. */
export function watch(...cells: Cell[]): void {
  for (const cell of cells) {
    let subscribe = subscribers.get(cell);
    if (!subscribe) {
      subscribe = createSubscriber((update) => cell.listen(update));
      subscribers.set(cell, subscribe);
    }
    subscribe();
  }
}
