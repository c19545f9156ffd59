import type { Message } from '../api/types.ts';
import { conversationOf, key, type Conversation, type Narrow } from './narrow.ts';

export interface Row {
  message: Message;
  /** first is true if the row shows the sender: it starts a run of messages by one sender. */
  first: boolean;
  /** position is the message's place in the whole list, from 1. */
  position: number;
  /** unread marks the first message that was unread when the view was opened. */
  unread: boolean;
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
  /** before is how many messages of the list precede these. */
  before?: number;
}

/** groups splits the messages of a view into groups. */
export function groups(messages: readonly Message[], narrow: Narrow, o: GroupOptions): Group[] {
  const single = narrow.kind === 'topic' || narrow.kind === 'dm';
  const out: Group[] = [];
  let last: Message | undefined;
  let lastKey = '';
  let lastDay: number | undefined;
  let position = o.before ?? 0;
  for (const message of messages) {
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
    group.rows.push({ message, first, position: ++position, unread });
    last = message;
    lastKey = k;
    lastDay = day;
  }
  return out;
}
