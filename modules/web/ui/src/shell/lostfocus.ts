// Keeps the focus near where it was. When the focused control disappears with its row, browsers move the focus to the
// page, so that the next press of Tab starts at the beginning.
import { enter } from './arrive.ts';

/** rows are what can disappear from a list, or has controls that change. */
const rows = 'li, article:not([data-message]), p, [role="listitem"]';
const controls = 'a[href], button:not([disabled], [tabindex="-1"])';

/** first returns the first control in an element, or the element itself. */
function first(e: Element | null | undefined): HTMLElement | undefined {
  if (e?.matches(controls)) return e as HTMLElement;
  return e?.querySelector<HTMLElement>(controls) ?? undefined;
}

const element = (n: Node | null) => (n instanceof Element ? n : undefined);

/** sibling returns the nearest sibling element with a control, forwards or backwards. */
function sibling(from: Node | null, way: 'nextSibling' | 'previousSibling'): HTMLElement | undefined {
  for (let n = from; n; n = n[way]) {
    const found = first(element(n));
    if (found) return found;
  }
  return undefined;
}

/** keepFocus watches the page as long as it is open. */
export function keepFocus(): void {
  let last: Element | undefined;
  /** before had the focus before a short message took it. */
  let before: HTMLElement | undefined;

  const focused = (e: FocusEvent) => {
    last = element(e.target as Node);
    if (last instanceof HTMLElement && !last.closest('.toasts')) before = last;
  };
  const blurred = (e: FocusEvent) => {
    const left = e.target;
    // The user has clicked elsewhere, unless the control is about to disappear.
    setTimeout(() => {
      if (left === last && last?.isConnected && document.activeElement === document.body) last = undefined;
    });
  };

  /** successor returns what is next to a removed node that contained the focus. */
  const successor = (r: MutationRecord, removed: Node): HTMLElement | undefined => {
    const at = element(r.target);
    if (!at?.isConnected) return undefined;
    if (at.closest('.toasts')) return first(at.closest('.toasts')) ?? (before?.isConnected ? before : undefined);
    const whole = element(removed)?.matches(rows);
    if (!whole && !at.closest(rows)) return undefined;
    const near = sibling(r.nextSibling, 'nextSibling') ?? sibling(r.previousSibling, 'previousSibling');
    return near ?? (whole ? undefined : first(at.closest(rows)));
  };

  const observer = new MutationObserver((records) => {
    if (!last || last.isConnected || document.activeElement !== document.body) return;
    const lost = last;
    for (const r of records) {
      const removed = [...r.removedNodes].find((n) => n.contains(lost));
      const next = removed && successor(r, removed);
      if (!next) continue;
      next.focus({ preventScroll: true });
      return;
    }
    // Nothing is next to it. What it belonged to may still decide where the focus goes.
    last = undefined;
    requestAnimationFrame(enter);
  });
  observer.observe(document.body, { childList: true, subtree: true });
  addEventListener('focusin', focused);
  addEventListener('focusout', blurred);
}
