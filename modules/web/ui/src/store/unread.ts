import type { EventOfType } from '../api/events.ts';
import type { Message, Snapshot } from '../api/types.ts';
import { Cell, CellSet, KeyCells, quietly } from './cell.ts';
import { Policy } from './channels.ts';
import { conversationOf, key, mentions, people, type Conversation, type Narrow } from './narrow.ts';
import { runs } from './realm.ts';
import { Tally } from './tally.ts';

interface Bucket {
  conversation: Conversation;
  /** ids holds the conversation as each message names it, since spellings of a topic may differ in case. */
  ids: Map<number, Conversation>;
  /** newest is the highest ID, whose message names the conversation, or 0 if both must be recomputed. */
  newest: number;
}

/** Topics is what decides which unread messages are listed and counted. */
export interface Topics {
  /** visibility changes with the results of the functions. */
  readonly visibility: Cell;
  isArchived(channel: number): boolean;
  inHome(channel: number, topic: string): boolean;
  policy(channel: number, topic: string): number;
}

/**
 * Unread tracks unread messages by conversation. Those in archived channels are kept, but neither listed nor counted.
 * A change is reported to those who have read the same message, conversation or channel, and to those who list or
 * count all.
 */
export class Unread {
  private topicFacts: Topics;
  private readonly cell = new Cell();
  private readonly messageCells = new KeyCells<number>();
  private readonly conversationCells = new KeyCells<string>();
  private readonly channelCells = new KeyCells<number>();
  /** direct is the number of unread direct messages. */
  private direct = 0;
  private readonly tallies: Tally[] = [];
  /** home counts topics that are shown in views that leave out muted ones. */
  readonly home: Tally;
  readonly followed: Tally;
  readonly notMuted: Tally;
  /** nowhere counts no topics. */
  readonly nowhere: Tally;
  private buckets = new Map<string, Bucket>();
  private where = new Map<number, string>();
  private byChannel = new Map<number, Set<string>>();
  private readonly mentions = new CellSet<number>();
  /** wildcards are the mentions that mention the user only with others. */
  private readonly wildcards = new CellSet<number>();
  private me = 0;

  constructor(topics: Topics) {
    this.topicFacts = topics;
    this.home = this.tally((channel, topic) => topics.inHome(channel, topic));
    this.followed = this.tally((channel, topic) => topics.policy(channel, topic) === Policy.followed);
    this.notMuted = this.tally((channel, topic) => topics.policy(channel, topic) !== Policy.muted);
    this.nowhere = this.tally(() => false);
  }

  private tally(counts: Tally['counts']): Tally {
    const counted = {
      channels: () => this.byChannel.keys(),
      inTopics: (channel: number, within: (topic: string) => boolean) => this.inTopics(channel, within),
      isHidden: (channel: number) => this.hides(channel),
    };
    const tally = new Tally(counted, this.topicFacts.visibility, counts);
    this.tallies.push(tally);
    return tally;
  }

  private hides(channel: number): boolean {
    this.topicFacts.visibility.track();
    return quietly(() => this.topicFacts.isArchived(channel));
  }

  private inTopics(channel: number, counts: (topic: string) => boolean): number {
    let n = 0;
    for (const k of this.byChannel.get(channel) ?? []) {
      const b = this.buckets.get(k)!;
      if (b.conversation.kind === 'topic' && counts(b.conversation.topic)) n += b.ids.size;
    }
    return n;
  }

  /** listed returns the conversations that are listed and counted. */
  private listed(): Bucket[] {
    this.cell.track();
    return [...this.buckets.values()].filter(({ conversation: c }) => c.kind === 'dm' || !this.hides(c.channel));
  }

  /** changed reports that the unread messages of a conversation have changed. */
  private changed(k: string, c: Conversation): void {
    if (c.kind === 'topic') {
      for (const tally of this.tallies) tally.changed(c.channel);
      this.channelCells.touch(c.channel);
    }
    this.conversationCells.touch(k);
    this.cell.touch();
  }

  /** changedAll reports that everything may have changed. */
  private changedAll(): void {
    for (const tally of this.tallies) tally.reset();
    for (const cells of [this.messageCells, this.conversationCells, this.channelCells]) cells.touchAll();
    this.cell.touch();
  }

  /** track makes a computation depend on which messages of a narrow are unread. */
  track(n: Narrow): void {
    if (n.kind === 'topic' || n.kind === 'dm') this.conversationCells.track(key(n));
    else if (n.kind === 'channel') this.channelCells.track(n.channel);
    else this.cell.track();
  }

  reset(s: Snapshot): void {
    this.me = s.user_id;
    this.clear();
    // Messages in channels remain unread if the server has stopped running channels.
    const channels = runs(s.stoa_modules, 'channels');
    for (const t of channels ? s.unread_msgs.streams : []) {
      this.addAll({ kind: 'topic', channel: t.stream_id, topic: t.topic }, t.unread_message_ids);
    }
    for (const p of s.unread_msgs.pms) {
      this.addAll({ kind: 'dm', users: people([p.other_user_id], this.me) }, p.unread_message_ids);
    }
    for (const h of s.unread_msgs.huddles) {
      const ids = h.user_ids_string.split(',').map(Number);
      this.addAll({ kind: 'dm', users: people(ids, this.me) }, h.unread_message_ids);
    }
    const counts = (id: number) => channels || this.where.has(id);
    for (const id of s.unread_msgs.wildcard_mentions ?? []) if (counts(id)) this.mention(id, false);
    for (const id of s.unread_msgs.mentions) if (counts(id) && !this.wildcards.has(id)) this.mention(id, true);
    this.changedAll();
  }

  private clear(): void {
    this.buckets = new Map();
    this.where = new Map();
    this.byChannel = new Map();
    this.direct = 0;
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
    const before = bucket.ids.size;
    for (const id of ids) {
      bucket.ids.set(id, conversation);
      if (bucket.ids.size === 1 || (bucket.newest > 0 && id >= bucket.newest))
        Object.assign(bucket, { conversation, newest: id });
      this.where.set(id, k);
      this.messageCells.touch(id);
    }
    if (conversation.kind === 'dm') this.direct += bucket.ids.size - before;
    this.changed(k, conversation);
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
    this.messageCells.track(id);
    return this.where.has(id);
  }

  count(c: Conversation): number {
    const k = key(c);
    this.conversationCells.track(k);
    return c.kind === 'dm' || !this.hides(c.channel) ? (this.buckets.get(k)?.ids.size ?? 0) : 0;
  }

  /** ofChannel counts a channel's unread messages in the topics of a tally. */
  ofChannel(channel: number, tally: Tally): number {
    this.channelCells.track(channel);
    this.topicFacts.visibility.track();
    return quietly(() => tally.in(channel));
  }

  /** all returns the conversations with unread messages, newest first. */
  all(): { conversation: Conversation; count: number; newest: number }[] {
    this.cell.track();
    const list = this.listed().map((b) => ({ conversation: this.name(b), count: b.ids.size, newest: b.newest }));
    return list.sort((a, b) => b.newest - a.newest);
  }

  /** total counts unread direct messages, and those in the topics of a tally. */
  total(tally: Tally): number {
    this.cell.track();
    this.topicFacts.visibility.track();
    return this.direct + quietly(() => tally.total());
  }

  /** pressing counts direct messages, mentions, and the topics of a tally; each message only once. */
  pressing(tally: Tally): number {
    const whole = (c: Conversation) => c.kind === 'dm' || quietly(() => tally.counts(c.channel, c.topic));
    let n = this.total(tally);
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
      if (this.hides(c.channel)) return [];
      const mutes = () => !this.topicFacts.inHome(c.channel, c.topic);
      return this.wildcards.has(id) && quietly(mutes) ? [] : [c];
    });
  }

  /** mentionCount counts the unread mentions of the user. */
  mentionCount(): number {
    return this.mentioning().length;
  }

  /** mentioned returns the keys of conversations with an unread mention of the user. */
  mentioned(): Set<string> {
    return new Set(this.mentioning().map(key));
  }

  topics(channel: number): { topic: string; count: number }[] {
    this.channelCells.track(channel);
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
  }

  /** forget removes messages that were read or deleted, and returns those that were unread. */
  forget(ids: Iterable<number>): number[] {
    const found: number[] = [];
    const changed = new Map<string, Conversation>();
    for (const id of ids) {
      const k = this.where.get(id);
      if (k === undefined) continue;
      found.push(id);
      this.where.delete(id);
      this.unmention(id);
      const bucket = this.buckets.get(k)!;
      bucket.ids.delete(id);
      this.messageCells.touch(id);
      changed.set(k, bucket.conversation);
      if (bucket.conversation.kind === 'dm') this.direct--;
      if (id === bucket.newest) bucket.newest = 0;
      if (bucket.ids.size > 0) continue;
      this.buckets.delete(k);
      if (bucket.conversation.kind === 'topic') this.byChannel.get(bucket.conversation.channel)?.delete(k);
    }
    for (const [k, c] of changed) this.changed(k, c);
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
  }

  move(ids: number[], to: { channel: number; topic: string }): void {
    const mentions = ids.filter((id) => this.mentions.has(id));
    const wildcards = new Set(mentions.filter((id) => this.wildcards.has(id)));
    const unread = this.forget(ids);
    if (unread.length === 0) return;
    this.addAll({ kind: 'topic', ...to }, unread);
    for (const id of mentions) this.mention(id, !wildcards.has(id));
  }

  apply(e: EventOfType<'update_message_flags'>): void {
    if (e.flag !== 'read') return;
    if (e.op === 'add') {
      if (e.all) {
        this.clear();
        this.changedAll();
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
  }
}
