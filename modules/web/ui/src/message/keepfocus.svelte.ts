import { untrack } from 'svelte';
import type { MessageList } from '../store/lists.ts';
import { ui } from '../shell/ui.svelte.ts';
import { afterMessage, focusMessage } from './focus.ts';

/**
 * keepFocus keeps the selection and the focus with a message when the element that has the focus is removed, as at the
 * end of an edit. When the message itself goes, both pass to the next one. It returns an attachment for the list.
 */
export function keepFocus(list: MessageList, changed: () => unknown): (box: HTMLElement) => () => void {
  /** held is the message that has the focus, or had it until the focused element was removed. */
  let held: number | undefined;
  let box: HTMLElement | undefined;
  let before: { generation: number; ids: readonly number[] } | undefined;

  function onfocusin(e: FocusEvent): void {
    const target = e.target as Element;
    const row = target.closest<HTMLElement>('[data-message]');
    held = row ? Number(row.dataset.message) : undefined;
    // Moving through the page with the keyboard also selects.
    if (held !== undefined && target.matches(':is(article, a, button):focus-visible')) ui.selected = held;
  }

  function onfocusout({ target, relatedTarget }: FocusEvent): void {
    if (relatedTarget || !document.hasFocus()) return;
    // Some browsers report the removal of an element, too.
    queueMicrotask(() => {
      if ((target as Element).isConnected && document.activeElement === document.body) held = undefined;
    });
  }

  $effect(() => {
    void [changed(), ui.editing];
    untrack(() => {
      const had = before;
      before = list.loaded ? { generation: list.generation, ids: list.ids } : undefined;
      if (had === undefined || had.generation !== before?.generation) return;
      const gone = (id: number | undefined) => id !== undefined && !list.ids.includes(id) && had.ids.includes(id);
      const lost = [held, ui.selected].find(gone);
      if (lost !== undefined) ui.selected = afterMessage(lost);
      if (held === undefined || (document.activeElement ?? document.body) !== document.body) return;
      if (gone(held)) {
        if (ui.selected === undefined) box?.focus();
        else void focusMessage(ui.selected);
        return;
      }
      const row = box?.querySelector<HTMLElement>(`[data-message="${held}"]`);
      if (row) row.focus({ preventScroll: true });
      else held = undefined; // scrolled out of the rendered part
    });
  });

  return (element) => {
    box = element;
    element.addEventListener('focusin', onfocusin);
    element.addEventListener('focusout', onfocusout);
    return () => {
      element.removeEventListener('focusin', onfocusin);
      element.removeEventListener('focusout', onfocusout);
    };
  };
}
