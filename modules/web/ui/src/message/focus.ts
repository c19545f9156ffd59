// Where the focus is in the list of messages on the screen.
import { store } from '../client.ts';
import { ui } from '../shell/ui.svelte.ts';

/** Rows is the list of messages on the screen. */
interface Rows {
  /** ids returns the messages that the list shows, whether their rows are rendered or not. */
  ids(): readonly number[];
  /** bring makes a message visible, and returns its row. */
  bring(id: number): Promise<HTMLElement | undefined>;
}

let rows: Rows | undefined;

/** attachRows makes a list the one on the screen. */
export function attachRows(list: Rows): () => void {
  rows = list;
  return () => {
    if (rows === list) rows = undefined;
  };
}

export const shownIDs = (): readonly number[] => rows?.ids() ?? [];

/** focusMessage selects a message, moves the focus to its row, and returns that. */
export async function focusMessage(id: number | undefined): Promise<HTMLElement | undefined> {
  if (id === undefined) return undefined;
  ui.selected = id;
  const row = await rows?.bring(id);
  if (ui.selected !== id) return undefined; // another one was selected meanwhile
  row?.focus({ preventScroll: true });
  return row;
}

/** afterMessage returns the message that takes the place of one that has gone: the next one, or the last. */
export function afterMessage(id: number): number | undefined {
  const ids = shownIDs();
  return ids.find((other) => other > id) ?? ids.at(-1);
}

/** startEditing opens the editor of a message, which may be far from the visible part of the list. */
export function startEditing(id: number): void {
  ui.editing = id;
  void rows?.bring(id);
}

/** editLast starts editing the user's newest message in view. */
export function editLast(): void {
  const id = shownIDs().findLast((n) => {
    const m = store.messages.get(n);
    return m !== undefined && store.can.editMessage(m);
  });
  if (id !== undefined) startEditing(id);
}
