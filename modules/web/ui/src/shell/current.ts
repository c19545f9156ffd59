// What keyboard shortcuts do with the messages on the screen.
import { store } from '../client.ts';
import type { Message } from '../api/types.ts';
import { nav } from './nav.svelte.ts';
import { focusMessage, shownIDs } from '../message/focus.ts';
import { messageMenu } from '../message/messageactions.ts';
import { ui } from './ui.svelte.ts';

const box = () => document.getElementById('messages');

/** current returns the message that shortcuts act on: the selected one, or else the last fully visible one. */
export function current(): Message | undefined {
  if (ui.selected !== undefined) return store.messages.get(ui.selected);
  const scroll = box();
  if (!scroll) return undefined;
  const { bottom } = scroll.getBoundingClientRect();
  const rows = [...scroll.querySelectorAll<HTMLElement>('[data-message]')];
  const row = rows.findLast((r) => r.getBoundingClientRect().bottom <= bottom + 2);
  return row && store.messages.get(Number(row.dataset.message));
}

/** withMessage returns an action on the current message. */
export const withMessage = (run: (m: Message) => unknown) => (): void => {
  const m = current();
  if (m) void run(m);
};

/** inMenu runs the entry of the current message's menu that has one of the labels, or shows why it cannot be chosen. */
export const inMenu = (...labels: (() => string)[]) =>
  withMessage((m) => {
    const { narrow } = nav;
    if (!narrow) return;
    const names = labels.map((label) => label());
    const item = messageMenu(m, narrow).find((i) => names.includes(i.label));
    const off = item?.off;
    if (off) ui.toast(() => off, 'error');
    else item?.run();
  });

/** press clicks a control of the current message. */
export const press = (selector: string) =>
  withMessage(async (m) => {
    const row = await focusMessage(m.id);
    row?.querySelector<HTMLElement>(`:is(${selector})`)?.click();
  });

/** step moves the focus to the next or the previous message, or at first to the current one. */
export function step(by: 1 | -1): void {
  const ids = shownIDs();
  const from = current()?.id;
  if (from === undefined) return;
  void focusMessage((ui.selected === undefined ? from : ids[ids.indexOf(from) + by]) ?? from);
}

/** scroll moves by almost a page. The selection does not hold it back. */
export function scroll(by: 1 | -1): void {
  const scrolled = box();
  if (!scrolled) return;
  ui.selected = undefined;
  // The row that has the focus may be removed on the way.
  if (scrolled.contains(document.activeElement)) scrolled.focus({ preventScroll: true });
  scrolled.scrollBy({ top: by * scrolled.clientHeight * 0.9 });
}

/** toFirst and toLast move the focus to the ends of the conversation, and load them if necessary. */
export async function toFirst(): Promise<void> {
  const { shown } = store;
  if (!shown) return;
  if (!shown.foundOldest) await store.lists.load(shown, 0);
  void focusMessage(shownIDs()[0]);
}

export async function toLast(): Promise<void> {
  const { shown } = store;
  if (!shown) return;
  if (!shown.foundNewest) await store.lists.load(shown, 'newest');
  void focusMessage(shownIDs().at(-1));
}
