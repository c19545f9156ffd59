import { SvelteSet } from 'svelte/reactivity';
import { calls, store } from '../client.ts';
import type { Message } from '../api/types.ts';
import { attempt, ui } from '../shell/ui.svelte.ts';

/** SHARE is the share of the window's height beyond which a message is condensed. */
export const SHARE = 0.65;

/** expanded holds the long messages that are shown whole, and long all long ones on the screen. */
export const expanded = new SvelteSet<number>();
export const long = new Set<number>();

export const isCollapsed = (m: Message): boolean => m.flags.includes('collapsed');

function setCollapsed(m: Message, on: boolean): void {
  store.messages.setFlag([m.id], 'collapsed', on);
  void attempt(calls.flag([m.id], 'collapsed', on)).then((ok) => {
    if (!ok) store.messages.setFlag([m.id], 'collapsed', !on);
  });
}

/** showMore shows the whole message. The selection keeps its place on the screen. */
export function showMore(m: Message): void {
  ui.selected = m.id;
  expanded.add(m.id);
  if (isCollapsed(m)) setCollapsed(m, false);
}

export function showLess(m: Message): void {
  ui.selected = m.id;
  expanded.delete(m.id);
}

/** toggle shows the rest of a message, or if all of it is visible, hides it. */
export function toggle(m: Message): void {
  if (isCollapsed(m) || (long.has(m.id) && !expanded.has(m.id))) showMore(m);
  else if (!m.is_me_message) setCollapsed(m, true);
}

const heights = new WeakMap<Element, (height: number) => void>();
const observer = new ResizeObserver((entries) => {
  for (const e of entries) heights.get(e.target)?.(e.contentRect.height);
});

let unmeasured: Element[] = [];

/** measure reads the heights of all new elements before it changes anything, so that the page is laid out once. */
function measure(): void {
  const found = unmeasured.map((e) => [e, e.getBoundingClientRect().height] as const);
  unmeasured = [];
  for (const [e, height] of found) heights.get(e)?.(height);
}

/** onHeight calls run with the height of an element, before it is first painted and when it changes. */
export function onHeight(run: (height: number) => void): (element: HTMLElement) => () => void {
  return (element) => {
    heights.set(element, run);
    if (unmeasured.length === 0) queueMicrotask(measure);
    unmeasured.push(element);
    observer.observe(element);
    return () => observer.unobserve(element);
  };
}
