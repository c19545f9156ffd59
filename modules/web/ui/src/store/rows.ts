import type { Message } from '../api/types.ts';
import { conversationOf, key, type Conversation, type Narrow } from './narrow.ts';

export interface Row {
  message: Message;
  /** first is true if the row shows the sender: it starts a run of messages by one sender. */
  first: boolean;
  /** unread marks the first message that was unread when the view was opened. */
  unread: boolean;
  /** position is the message's place in the whole list, from 1. */
  position: number;
}

/** Group is a run of messages in one conversation on one day. */
export interface Group {
  key: string;
  conversation: Conversation;
  /** day is set on the first group of a day. */
  day: number | undefined;
  /** bar is true if the group has a header that names its conversation. */
  bar: boolean;
  rows: Row[];
}

const SAME_SENDER_SECONDS = 10 * 60;

export interface GroupOptions {
  me: number;
  dayOf(seconds: number): number;
  unreadFrom: number | undefined;
  /** before is the number of messages in the list before the first one. */
  before: number;
}

/**
 * grouper returns a function that splits the messages of a view into groups. What has not changed since its last call
 * stays the same object, and a group keeps its key while it has a message that it had before, so that only what has
 * changed is rendered again.
 */
export function grouper(): typeof groups {
  let rows = new Map<number, Row>();
  let parts = new Map<number, Group>();
  return (messages, narrow, o) => {
    const taken = new Set<string>();
    const out = groups(messages, narrow, o).map((g) => {
      g.rows = g.rows.map((row) => unchanged(rows.get(row.message.id), row));
      const before = g.rows.map((row) => parts.get(row.message.id)).find((p) => p && !taken.has(p.key));
      if (before) g.key = before.key;
      while (!before && taken.has(g.key)) g.key += '+';
      taken.add(g.key);
      return before && sameGroup(before, g) ? before : g;
    });
    rows = new Map(out.flatMap((g) => g.rows.map((row) => [row.message.id, row])));
    parts = new Map(out.flatMap((g) => g.rows.map((row) => [row.message.id, g])));
    return out;
  };
}

function unchanged(before: Row | undefined, now: Row): Row {
  const same =
    before?.message === now.message &&
    before.first === now.first &&
    before.unread === now.unread &&
    before.position === now.position;
  return same ? before : now;
}

function sameGroup(a: Group, b: Group): boolean {
  return (
    a.day === b.day &&
    a.bar === b.bar &&
    JSON.stringify(a.conversation) === JSON.stringify(b.conversation) &&
    a.rows.length === b.rows.length &&
    a.rows.every((row, i) => row === b.rows[i])
  );
}

/** groups splits the messages of a view into groups. */
export function groups(messages: readonly Message[], narrow: Narrow, o: GroupOptions): Group[] {
  const single = narrow.kind === 'topic' || narrow.kind === 'dm';
  const out: Group[] = [];
  let last: Message | undefined;
  let lastKey = '';
  let lastDay: number | undefined;
  for (const [i, message] of messages.entries()) {
    const conversation = conversationOf(message, o.me);
    const k = key(conversation);
    const day = o.dayOf(message.timestamp);
    const newDay = day !== lastDay;
    const unread = message.id === o.unreadFrom;
    let group = out.at(-1);
    if (!group || newDay || (!single && k !== lastKey)) {
      group = { key: `${message.id}`, conversation, day: newDay ? day : undefined, bar: !single, rows: [] };
      out.push(group);
      last = undefined;
    }
    const first =
      !last ||
      unread ||
      last.sender_id !== message.sender_id ||
      message.is_me_message ||
      last.is_me_message ||
      message.timestamp - last.timestamp > SAME_SENDER_SECONDS;
    group.rows.push({ message, first, unread, position: o.before + i + 1 });
    last = message;
    lastKey = k;
    lastDay = day;
  }
  return out;
}
