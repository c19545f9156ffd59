// What keyboard shortcuts do with the messages on the screen.
import { store } from '../client.ts';
import type { Message } from '../api/types.ts';
import { nav } from './nav.svelte.ts';
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
export const withMessage = (run: (m: Message) => void) => (): void => {
  const m = current();
  if (m) run(m);
};

/** inMenu runs the entry of the current message's menu that has one of the labels, if the user may do that. */
export const inMenu = (...labels: (() => string)[]) =>
  withMessage((m) => {
    if (nav.route.view !== 'messages') return;
    const names = labels.map((label) => label());
    messageMenu(m, nav.route.narrow)
      .find((item) => names.includes(item.label))
      ?.run();
  });

/** press clicks a control of the current message. */
export const press = (selector: string) =>
  withMessage((m) => {
    ui.selected = m.id;
    box()?.querySelector<HTMLElement>(`[data-message="${m.id}"] :is(${selector})`)?.click();
  });

/** step selects the next or the previous message. */
export function step(by: 1 | -1): void {
  const ids = store.shown?.ids ?? [];
  const from = ui.selected ?? current()?.id;
  if (from === undefined) return;
  const next = ui.selected === undefined ? from : ids[ids.indexOf(from) + by];
  if (next !== undefined) ui.selected = next;
}

/** scroll moves by almost a page. The selection does not hold it back. */
export function scroll(by: 1 | -1): void {
  const scrolled = box();
  if (!scrolled) return;
  ui.selected = undefined;
  scrolled.scrollBy({ top: by * scrolled.clientHeight * 0.9 });
}

/** toFirst and toLast select the ends of the conversation, and load them if necessary. */
export function toFirst(): void {
  const { shown } = store;
  if (!shown) return;
  if (shown.foundOldest) ui.selected = shown.ids[0];
  else void store.lists.load(shown, 0).then(() => (ui.selected = shown.ids[0]));
}

export function toLast(): void {
  const { shown } = store;
  if (!shown) return;
  if (shown.foundNewest) ui.selected = shown.ids.at(-1);
  else void store.lists.load(shown, 'newest');
}
