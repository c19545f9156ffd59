import { ui } from './ui.svelte.ts';

const HOLD = 450; // milliseconds
const STEADY = 10; // pixels that a finger may move while it holds
const FAR = 56; // pixels that make a swipe
const BROWSERS = 24; // pixels at the edges, where swipes belong to the browser

/** touched are elements whose own behaviour under a finger matters more. */
const touched = 'a, button, input, textarea, select, video, audio, img, [role="button"]';

/** longPress runs something when a finger rests on an element. */
export function longPress(run: (e: PointerEvent) => void, except = touched): (element: HTMLElement) => () => void {
  return (element) => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let from = { x: 0, y: 0 };
    let done = false;
    const cancel = () => clearTimeout(timer);
    const down = (e: PointerEvent) => {
      done = false;
      cancel();
      if (e.pointerType === 'mouse' || !e.isPrimary) return;
      if (except && (e.target as Element).closest(except)) return;
      from = { x: e.clientX, y: e.clientY };
      timer = setTimeout(() => {
        done = true;
        navigator.vibrate?.(10);
        run(e);
      }, HOLD);
    };
    const move = (e: PointerEvent) => {
      if (Math.hypot(e.clientX - from.x, e.clientY - from.y) > STEADY) cancel();
    };
    // What follows the press is neither a click nor a wish for the browser's own menu.
    const swallow = (e: Event) => {
      if (!done) return;
      e.preventDefault();
      e.stopPropagation();
    };
    element.addEventListener('pointerdown', down);
    element.addEventListener('pointermove', move);
    for (const end of ['pointerup', 'pointercancel', 'pointerleave'] as const) element.addEventListener(end, cancel);
    element.addEventListener('click', swallow, true);
    element.addEventListener('contextmenu', swallow);
    element.addEventListener('touchend', swallow); // or else a click follows on what has appeared under the finger
    return () => {
      cancel();
      element.removeEventListener('pointerdown', down);
      element.removeEventListener('pointermove', move);
      for (const end of ['pointerup', 'pointercancel', 'pointerleave'] as const)
        element.removeEventListener(end, cancel);
      element.removeEventListener('click', swallow, true);
      element.removeEventListener('contextmenu', swallow);
      element.removeEventListener('touchend', swallow);
    };
  };
}

/** scrollsSideways reports whether something below a finger moves sideways itself. */
function scrollsSideways(e: Element | null, root: Element): boolean {
  for (; e && e !== root; e = e.parentElement) {
    if (e.matches('input, textarea, select, video, audio')) return true;
    if (e.scrollWidth > e.clientWidth + 1 && /auto|scroll/.test(getComputedStyle(e).overflowX)) return true;
  }
  return false;
}

/** swipe opens and closes the list of conversations, on screens that have no room for it beside the conversation. */
export function swipe(root: HTMLElement): () => void {
  let from: { x: number; y: number } | undefined;
  const start = (e: TouchEvent) => {
    const t = e.touches[0]!;
    const inside = t.clientX > BROWSERS && t.clientX < innerWidth - BROWSERS;
    const narrow = matchMedia('(max-width: 760px)').matches;
    from =
      narrow && e.touches.length === 1 && (inside || ui.leftOpen) && !scrollsSideways(e.target as Element, root)
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
    if (dy > FAR / 2) from = undefined; // somebody scrolls
    if (Math.abs(dx) < FAR || Math.abs(dx) < 2 * dy) return;
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
 * fitViewport keeps the page as high as what is visible of it. Most browsers make the page smaller for a keyboard
 * themselves (interactive-widget, in index.html); those that lay the keyboard over it tell by the visual viewport.
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
