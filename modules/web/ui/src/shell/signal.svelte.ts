import type { Signal } from '../store/cell.ts';

/**
 * signal implements the store's signals with Svelte's runes. The root effect makes the state belong to no computation:
 * Svelte does not track state in the computation that has created it.
 */
export function signal(): Signal {
  let created!: Signal;
  $effect.root(() => {
    let version = $state.raw(0);
    let changes = 0;
    // An effect that changes the store must not depend on its own change, as it would after version++.
    created = { track: () => void version, touch: () => void (version = ++changes) };
  });
  return created;
}
