import { ui } from './ui.svelte.ts';

const HOLD_TIME = 450; // milliseconds
const HOLD_TOLERANCE = 10; // pixels of movement allowed during a long press
const SWIPE_DISTANCE = 56; // pixels of movement that make a swipe
const EDGE_MARGIN = 24; // pixels at the screen edges, where swipes belong to the browser

/** interactive selects elements whose own touch behaviour takes precedence. */
const interactive = 'a, button, input, textarea, select, video, audio, img, [role="button"]';

/** longPress calls run after a long press on an element. */
export function longPress(
  run: (e: PointerEvent) => void,
  except = interactive,
): (element: HTMLElement) => () => void {
  return (element) => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let from = { x: 0, y: 0 };
    let done = false;
    const cancel = () => clearTimeout(timer);
    const move = (e: PointerEvent) => {
      if (Math.hypot(e.clientX - from.x, e.clientY - from.y) > HOLD_TOLERANCE) cancel();
    };
    // Suppress the click and the context menu that follow a long press.
    const swallow = (e: Event) => {
      if (!done) return;
      e.preventDefault();
      e.stopPropagation();
    };
    const listening = new AbortController();
    const { signal } = listening;
    let armed = false;
    /** arm listens to the rest of a press. Most elements are never touched, and there may be hundreds. */
    const arm = () => {
      armed = true;
      element.addEventListener('pointermove', move, { signal });
      for (const end of ['pointerup', 'pointercancel', 'pointerleave'] as const) {
        element.addEventListener(end, cancel, { signal });
      }
      element.addEventListener('click', swallow, { signal, capture: true });
      element.addEventListener('contextmenu', swallow, { signal });
    };
    const down = (e: PointerEvent) => {
      done = false;
      cancel();
      if (e.pointerType === 'mouse' || !e.isPrimary) return;
      if (except && (e.target as Element).closest(except)) return;
      if (!armed) arm();
      from = { x: e.clientX, y: e.clientY };
      timer = setTimeout(() => {
        done = true;
        navigator.vibrate?.(10);
        run(e);
      }, HOLD_TIME);
    };
    element.addEventListener('pointerdown', down, { signal });
    // Otherwise a click hits what has appeared under the finger. Browsers ask for this listener when the touch begins.
    element.addEventListener('touchend', swallow, { signal });
    return () => {
      cancel();
      listening.abort();
    };
  };
}

/** scrollsSideways reports whether a touched element uses horizontal movement itself. Modules have shadow trees. */
function scrollsSideways(touched: TouchEvent, root: Element): boolean {
  for (const e of touched.composedPath()) {
    if (e === root) break;
    if (!(e instanceof Element)) continue;
    if (e.matches('input, textarea, select, video, audio')) return true;
    if (e.scrollWidth > e.clientWidth + 1 && /auto|scroll/.test(getComputedStyle(e).overflowX)) return true;
  }
  return false;
}

/** swipe opens and closes the conversation list on screens too narrow to show it beside the conversation. */
export function swipe(root: HTMLElement): () => void {
  let from: { x: number; y: number } | undefined;
  const start = (e: TouchEvent) => {
    const t = e.touches[0]!;
    const inside = t.clientX > EDGE_MARGIN && t.clientX < innerWidth - EDGE_MARGIN;
    const narrow = getComputedStyle(root.querySelector('nav')!).position === 'fixed';
    from =
      narrow && e.touches.length === 1 && (inside || ui.leftOpen) && !scrollsSideways(e, root)
        ? { x: t.clientX, y: t.clientY }
        : undefined;
  };
  const move = (e: TouchEvent) => {
    const t = e.touches[0]!;
    if (!from || e.touches.length > 1) {
      from = undefined;
      return;
    }
    const [dx, dy] = [t.clientX - from.x, Math.abs(t.clientY - from.y)];
    if (dy > SWIPE_DISTANCE / 2) from = undefined; // vertical scrolling
    if (Math.abs(dx) < SWIPE_DISTANCE || Math.abs(dx) < 2 * dy) return;
    const forwards = dx > 0 === (getComputedStyle(root).direction === 'ltr');
    ui.leftOpen = forwards;
    from = undefined;
  };
  const options = { passive: true };
  root.addEventListener('touchstart', start, options);
  root.addEventListener('touchmove', move, options);
  return () => {
    root.removeEventListener('touchstart', start);
    root.removeEventListener('touchmove', move);
  };
}

/**
 * fitViewport limits the page height to the visible area. Most browsers shrink the page for an on-screen keyboard
 * (interactive-widget in index.html); the others overlay it and report only the visual viewport.
 */
export function fitViewport(): () => void {
  const v = globalThis.visualViewport;
  if (!v) return () => undefined;
  const fit = () => {
    const style = document.documentElement.style;
    if (v.scale > 1.01 || v.height > innerHeight - 1) style.removeProperty('--visible');
    else {
      style.setProperty('--visible', `${v.height}px`);
      if (v.offsetTop > 0) scrollTo(0, 0);
    }
  };
  v.addEventListener('resize', fit);
  v.addEventListener('scroll', fit);
  return () => {
    v.removeEventListener('resize', fit);
    v.removeEventListener('scroll', fit);
  };
}
