import type { Placement } from '@floating-ui/dom';
import { untrack } from 'svelte';
import { ui } from '../shell/ui.svelte.ts';

/**
 * float keeps an open popover beside an element until the returned function is called. The library is loaded on demand;
 * until then, the popover is transparent.
 */
export function float(anchor: HTMLElement, popover: HTMLElement, placement: Placement): () => void {
  let stop: (() => void) | undefined;
  let over = false;
  popover.style.opacity = '0';
  untrack(() => (ui.popovers = [...ui.popovers, popover]));
  const shown = () => (popover.style.opacity = '');
  void import('@floating-ui/dom').then(({ autoUpdate, computePosition, flip, offset, shift }) => {
    if (over) return;
    const place = async () => {
      const { x, y } = await computePosition(anchor, popover, {
        placement,
        strategy: 'fixed',
        middleware: [offset(4), flip(), shift({ padding: 8, crossAxis: true })],
      });
      Object.assign(popover.style, { left: `${x}px`, top: `${y}px` });
      shown();
    };
    stop = autoUpdate(anchor, popover, () => void place());
  }, shown);
  return () => {
    over = true;
    ui.popovers = ui.popovers.filter((p) => p !== popover);
    stop?.();
  };
}
