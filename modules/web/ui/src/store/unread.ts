import type { EventOfType } from '../api/events.ts';
import type { Message, Snapshot } from '../api/types.ts';
import { Cell, CellSet } from './cell.ts';
import { conversationOf, key, mentions, people, type Conversation } from './narrow.ts';

interface Bucket {
  conversation: Conversation;
  /** ids holds the conversation as each message names it, since spellings of a topic may differ in case. */
  ids: Map<number, Conversation>;
  /** newest is the highest ID, whose message names the conversation, or 0 if both must be recomputed. */
  newest: number;
}

/** Places tells where unread messages count. */
interface Places {
  /** hides reports whether a channel's messages are kept, but neither listed nor counted. */
  hides(channel: number): boolean;
  /** mutes reports whether mentions of the user with others are not counted in a topic. */
  mutes(channel: number, topic: string): boolean;
}

/** Unread tracks unread messages by conversation. */
export class Unread {
  private readonly places: Places;
  private readonly cell = new Cell();
  private buckets = new Map<string, Bucket>();
  private where = new Map<number, string>();
  private byChannel = new Map<number, Set<string>>();
  private readonly mentions = new CellSet<number>();
  /** wildcards are the mentions that mention the user only with others. */
  private readonly wildcards = new Set<number>();
  private me = 0;

  constructor(places: Places) {
    this.places = places;
  }

  /** listed returns the conversations that are listed and counted. */
  private listed(): Bucket[] {
    this.cell.track();
    return [...this.buckets.values()].filter(
      ({ conversation: c }) => c.kind === 'dm' || !this.places.hides(c.channel),
    );
  }

  reset(s: Snapshot): void {
    this.me = s.user_id;
    this.clear();
    for (const t of s.unread_msgs.streams) {
      this.addAll({ kind: 'topic', channel: t.stream_id, topic: t.topic }, t.unread_message_ids);
    }
    for (const p of s.unread_msgs.pms) {
      this.addAll({ kind: 'dm', users: people([p.other_user_id], this.me) }, p.unread_message_ids);
    }
    for (const h of s.unread_msgs.huddles) {
      const ids = h.user_ids_string.split(',').map(Number);
      this.addAll({ kind: 'dm', users: people(ids, this.me) }, h.unread_message_ids);
    }
    for (const id of s.unread_msgs.wildcard_mentions ?? []) this.mention(id, false);
    for (const id of s.unread_msgs.mentions) if (!this.wildcards.has(id)) this.mention(id, true);
    this.cell.touch();
  }

  private clear(): void {
    this.buckets = new Map();
    this.where = new Map();
    this.byChannel = new Map();
    this.mentions.clear();
    this.wildcards.clear();
  }

  private addAll(conversation: Conversation, ids: Iterable<number>): void {
    const k = key(conversation);
    let bucket = this.buckets.get(k);
    if (!bucket) {
      bucket = { conversation, ids: new Map(), newest: 0 };
      this.buckets.set(k, bucket);
      if (conversation.kind === 'topic') {
        const topics = this.byChannel.get(conversation.channel) ?? new Set();
        this.byChannel.set(conversation.channel, topics.add(k));
      }
    }
    for (const id of ids) {
      bucket.ids.set(id, conversation);
      if (bucket.ids.size === 1 || (bucket.newest > 0 && id >= bucket.newest))
        Object.assign(bucket, { conversation, newest: id });
      this.where.set(id, k);
    }
  }

  /** name finds a conversation's newest message if it is unknown, and returns the conversation as it names it. */
  private name(b: Bucket): Conversation {
    if (b.newest === 0) {
      for (const id of b.ids.keys()) b.newest = Math.max(b.newest, id);
      b.conversation = b.ids.get(b.newest) ?? b.conversation;
    }
    return b.conversation;
  }

  /** ids returns the unread messages of the conversations for which matches returns true. */
  ids(matches: (c: Conversation) => boolean): number[] {
    return [...this.buckets.values()].flatMap((b) => (matches(b.conversation) ? [...b.ids.keys()] : []));
  }

  has(id: number): boolean {
    this.cell.track();
    return this.where.has(id);
  }

  count(c: Conversation): number {
    this.cell.track();
    return c.kind === 'dm' || !this.places.hides(c.channel) ? (this.buckets.get(key(c))?.ids.size ?? 0) : 0;
  }

  /** ofChannel counts a channel's unread messages in topics for which counts returns true. */
  ofChannel(channel: number, counts: (topic: string) => boolean): number {
    this.cell.track();
    let n = 0;
    for (const k of this.byChannel.get(channel) ?? []) {
      const b = this.buckets.get(k)!;
      if (b.conversation.kind === 'topic' && counts(b.conversation.topic)) n += b.ids.size;
    }
    return n;
  }

  /** all returns the conversations with unread messages, newest first. */
  all(): { conversation: Conversation; count: number; newest: number }[] {
    this.cell.track();
    const list = this.listed().map((b) => ({ conversation: this.name(b), count: b.ids.size, newest: b.newest }));
    return list.sort((a, b) => b.newest - a.newest);
  }

  /** total counts unread direct messages, and those in topics for which counts returns true. */
  total(counts: (channel: number, topic: string) => boolean): number {
    this.cell.track();
    let n = 0;
    for (const { conversation: c, ids } of this.listed()) {
      if (c.kind === 'dm' || counts(c.channel, c.topic)) n += ids.size;
    }
    return n;
  }

  /** pressing counts direct messages, mentions, and topics for which counts returns true; each message only once. */
  pressing(counts: (channel: number, topic: string) => boolean): number {
    const whole = (c: Conversation) => c.kind === 'dm' || counts(c.channel, c.topic);
    let n = this.total(counts);
    for (const c of this.mentioning()) if (!whole(c)) n++;
    return n;
  }

  /** mention records an unread mention of the user, either by name or only with others. */
  private mention(id: number, named: boolean): void {
    this.mentions.add(id);
    if (named) this.wildcards.delete(id);
    else this.wildcards.add(id);
  }

  private unmention(id: number): void {
    this.mentions.delete(id);
    this.wildcards.delete(id);
  }

  /** mentioning returns the conversation of each unread mention of the user. */
  private mentioning(): Conversation[] {
    return [...this.mentions].flatMap((id): Conversation[] => {
      const c = this.buckets.get(this.where.get(id) ?? '')?.conversation;
      if (!c) return [];
      if (c.kind === 'dm') return [c];
      if (this.places.hides(c.channel)) return [];
      return this.wildcards.has(id) && this.places.mutes(c.channel, c.topic) ? [] : [c];
    });
  }

  /** mentionCount counts the unread mentions of the user. */
  mentionCount(): number {
    return this.mentioning().length;
  }

  /** mentioned returns the keys of conversations with an unread mention of the user. */
  mentioned(): Set<string> {
    this.cell.track();
    return new Set(this.mentioning().map(key));
  }

  topics(channel: number): { topic: string; count: number }[] {
    this.cell.track();
    return [...(this.byChannel.get(channel) ?? [])].flatMap((k) => {
      const b = this.buckets.get(k)!;
      const c = this.name(b);
      return c.kind === 'topic' ? [{ topic: c.topic, count: b.ids.size }] : [];
    });
  }

  received(m: Message, flags: readonly string[]): void {
    if (flags.includes('read')) return;
    this.addAll(conversationOf(m, this.me), [m.id]);
    if (mentions(flags)) this.mention(m.id, flags.includes('mentioned'));
    this.cell.touch();
  }

  /** forget removes messages that were read or deleted, and returns those that were unread. */
  forget(ids: Iterable<number>): number[] {
    const found: number[] = [];
    for (const id of ids) {
      const k = this.where.get(id);
      if (k === undefined) continue;
      found.push(id);
      this.where.delete(id);
      this.unmention(id);
      const bucket = this.buckets.get(k)!;
      bucket.ids.delete(id);
      if (id === bucket.newest) bucket.newest = 0;
      if (bucket.ids.size > 0) continue;
      this.buckets.delete(k);
      if (bucket.conversation.kind === 'topic') this.byChannel.get(bucket.conversation.channel)?.delete(k);
    }
    if (found.length > 0) this.cell.touch();
    return found;
  }

  /** lost removes the messages of channels that the user can no longer read. */
  lost(channels: Iterable<number>): void {
    for (const id of channels) {
      for (const k of [...(this.byChannel.get(id) ?? [])]) this.forget([...(this.buckets.get(k)?.ids.keys() ?? [])]);
    }
  }

  /** edited updates whether a message mentions the user. */
  edited(id: number, flags: readonly string[]): void {
    if (!this.where.has(id)) return;
    if (mentions(flags)) this.mention(id, flags.includes('mentioned'));
    else this.unmention(id);
    this.cell.touch();
  }

  move(ids: number[], to: { channel: number; topic: string }): void {
    const mentions = ids.filter((id) => this.mentions.has(id));
    const wildcards = new Set(mentions.filter((id) => this.wildcards.has(id)));
    const unread = this.forget(ids);
    if (unread.length === 0) return;
    this.addAll({ kind: 'topic', ...to }, unread);
    for (const id of mentions) this.mention(id, !wildcards.has(id));
    this.cell.touch();
  }

  apply(e: EventOfType<'update_message_flags'>): void {
    if (e.flag !== 'read') return;
    if (e.op === 'add') {
      if (e.all) {
        this.clear();
        this.cell.touch();
      } else this.forget(e.messages);
      return;
    }
    for (const [id, d] of Object.entries(e.message_details ?? {})) {
      const conversation: Conversation =
        d.type === 'stream'
          ? { kind: 'topic', channel: d.stream_id, topic: d.topic }
          : { kind: 'dm', users: people(d.user_ids, this.me) };
      this.addAll(conversation, [Number(id)]);
      if (d.mentioned) this.mention(Number(id), !d.wildcard_mentioned);
    }
    this.cell.touch();
  }
}
