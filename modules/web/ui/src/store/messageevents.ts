import type { EventOfType, RawEvent, ServerEvent } from '../api/events.ts';
import { isKnown } from '../api/events.ts';
import type { Message } from '../api/types.ts';
import type { Access } from './access.ts';
import type { Channels } from './channels.ts';
import type { Drafts } from './drafts.ts';
import type { Lists, MessageList } from './lists.ts';
import type { Messages } from './messages.ts';
import { conversationOf, key, type Conversation, type Visibility } from './narrow.ts';
import type { Offline } from './offline.ts';
import type { Outbox } from './outbox.ts';
import type { Recent } from './recent.ts';
import type { Topics } from './topics.ts';
import type { Typing } from './typing.ts';
import type { Unread } from './unread.ts';

/** MAX_MESSAGES is the number of messages in memory from which on those in no list are dropped. */
const MAX_MESSAGES = 8000;

/** Parts are the parts of the store that show messages. */
interface Parts {
  readonly me: number;
  /** asOf is set while the state is that of an earlier page. */
  readonly asOf: number | undefined;
  readonly visibility: Visibility;
  /** shown is the list on the screen. */
  readonly shown: MessageList | undefined;
  /** position is the ID of the topmost visible message, unless it shows the end. */
  readonly position: number | undefined;
  readonly access: Access;
  readonly channels: Channels;
  readonly drafts: Drafts;
  readonly lists: Lists;
  readonly messages: Messages;
  readonly offline: Offline;
  readonly outbox: Outbox;
  readonly recent: Recent;
  readonly topics: Topics;
  readonly typing: Typing;
  readonly unread: Unread;
  /** onMessage is called for each new message after the store has applied it. */
  onMessage(m: Message, flags: readonly string[]): void;
  /** onGone is called with the IDs of messages that were deleted or that the user can no longer read. */
  onGone(ids: readonly number[]): void;
  /** onTopicMoved is called when the whole topic on the screen has moved. */
  onTopicMoved(to: Conversation): void;
}

/** MessageEvents applies new, changed, moved and deleted messages to all parts of the store that show them. */
export class MessageEvents {
  private parts: Parts;
  /** most is the number of messages in memory above which those in no list are dropped. */
  private most = MAX_MESSAGES;

  /** lost holds the channels whose messages the user could read before. */
  private lost = new Set<number>();

  constructor(parts: Parts) {
    this.parts = parts;
  }

  apply(e: EventOfType<'message' | 'update_message' | 'delete_message'>): void {
    switch (e.type) {
      case 'message':
        this.received(e);
        break;
      case 'update_message':
        this.edited(e);
        break;
      case 'delete_message':
        this.gone(e.message_ids, e.message_type === 'stream' ? e.stream_id : undefined);
        break;
    }
  }

  /**
   * followed applies an event of a channel without a subscription. New messages are neither unread nor recent there,
   * since the user does not receive them.
   */
  followed(e: RawEvent): void {
    if (!isKnown(e)) return;
    const { access, lists, messages } = this.parts;
    switch (e.type) {
      case 'message':
        if (messages.get(e.message.id) || !access.reads(e.message.stream_id ?? 0)) break;
        this.show({ ...e.message, flags: ['read'] });
        break;
      case 'update_message':
      case 'delete_message':
        this.apply(e);
        break;
      case 'reaction':
      case 'submessage':
        messages.apply(e);
        lists.changed([e.message_id]);
        break;
    }
  }

  private received(e: EventOfType<'message'>): void {
    const { flags } = e;
    const m: Message = { ...e.message, flags };
    const { lists, messages, recent, unread } = this.parts;
    if (messages.size > this.most) {
      lists.prune();
      this.most = Math.max(MAX_MESSAGES, 1.25 * messages.size);
    }
    unread.received(m, flags);
    this.show(m, e.local_message_id);
    recent.received(m);
    if (this.parts.asOf === undefined) this.parts.onMessage(m, flags);
  }

  /** show adds a message to the open lists. */
  private show(m: Message, localID?: string): void {
    const { lists, me, messages, outbox, shown, topics, typing, visibility } = this.parts;
    messages.put([m]);
    lists.received(m, m.flags, visibility, shown);
    if (m.type === 'stream') topics.received(m);
    typing.end(conversationOf(m, me), m.sender_id);
    outbox.arrived(localID, m.id);
  }

  private edited(e: EventOfType<'update_message'>): void {
    const { access, channels, drafts, lists, messages, recent, shown, topics, unread } = this.parts;
    messages.edited(e);
    lists.changed(e.message_ids);
    unread.edited(e.message_id, e.flags);
    lists.edited(e.message_id, e.flags, shown);
    if (e.content !== undefined) lists.rematch(e.message_id, shown);
    if (e.orig_subject === undefined) return;
    const channel = e.new_stream_id ?? e.stream_id;
    const topic = e.subject ?? e.orig_subject;
    const ids = e.message_ids;
    if (!access.reads(channel)) {
      this.gone(ids, e.stream_id);
      return;
    }
    // Messages in channels without a subscription are never unread.
    if (channels.subscribed.has(channel)) {
      unread.move(ids, { channel, topic });
    } else unread.forget(ids);
    const from: Conversation = { kind: 'topic', channel: e.stream_id, topic: e.orig_subject };
    const to: Conversation = { kind: 'topic', channel, topic };
    const whole = e.propagate_mode === 'change_all';
    const follows = whole && shown && key(shown.narrow) === key(from);
    lists.moved(e, shown, follows ? { to, position: this.parts.position } : undefined);
    topics.moved({ from, to, ids, whole });
    recent.moved(ids, to, whole);
    // The view may have followed the topic before this event arrived.
    if (whole) drafts.rename(key(from), key(to), to);
    if (follows) this.parts.onTopicMoved(to);
  }

  /** gone drops messages of a conversation that were deleted or moved out of reach. */
  private gone(ids: readonly number[], channel: number | undefined): void {
    const { offline, recent, topics } = this.parts;
    this.remove(ids);
    recent.deleted(ids);
    if (channel !== undefined) topics.deleted(channel, ids);
    const all = new Set(ids);
    void offline.purge((id) => all.has(id));
  }

  private remove(ids: readonly number[]): void {
    const { lists, messages, unread } = this.parts;
    lists.deleted(ids);
    messages.remove(ids);
    unread.forget(ids);
    this.parts.onGone(ids);
  }

  /** accessChanged drops what the user can no longer read after an event, and finds what can be read again. */
  accessChanged(e: ServerEvent): void {
    const { access, lists, messages, offline, recent, shown, topics, unread } = this.parts;
    if (!access.isChangedBy(e)) return;
    const { lost, gained } = access.change();
    const partly = [...lost].filter((id) => access.reads(id)); // with protected history
    if (lost.size > 0) {
      for (const id of lost) this.lost.add(id);
      // Of a protected history, only what the user has received can be read, such as all that is unread.
      const kept = (m: Message) => partly.includes(m.stream_id ?? 0) && unread.has(m.id);
      const known = [...messages.values()].filter((m) => lost.has(m.stream_id ?? 0) && !kept(m)).map((m) => m.id);
      const all = new Set(known);
      lists.lost(lost, shown);
      unread.lost([...lost].filter((id) => !partly.includes(id)));
      topics.lost(lost);
      recent.lost(lost);
      this.remove(known);
      void offline.purge((id, channel) => all.has(id) || lost.has(channel ?? 0));
    }
    const more = new Set([...gained, ...partly]);
    if (more.size === 0) return;
    recent.invalidate();
    lists.gained(more, new Set([...more].filter((id) => this.lost.delete(id))), shown, this.parts.position);
  }
}
