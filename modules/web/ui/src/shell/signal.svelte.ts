import type { Signal } from '../store/cell.ts';

/** BATCH is the number of signals that are created at once. */
const BATCH = 64;

class Version implements Signal {
  private version = $state.raw(0);
  private changes = 0;

  track(): void {
    void this.version;
  }

  touch(): void {
    this.version = ++this.changes; // an effect that changes the store must not depend on its own change, as by ++
  }
}

let unused: Version[] = [];

/**
 * signal implements the store's signals with Svelte's runes. The root effect makes the state belong to no computation:
 * Svelte does not track state in the computation that has created it.
 */
export function signal(): Signal {
  if (unused.length === 0) {
    $effect.root(() => {
      unused = Array.from({ length: BATCH }, () => new Version());
    });
  }
  return unused.pop()!;
}

/** tracking reports whether a computation is running that depends on the signals that it reads. */
export const tracking = (): boolean => $effect.tracking();
