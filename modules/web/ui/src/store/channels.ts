import type { EventOfType } from '../api/events.ts';
import type { Channel, Folder, Snapshot, Subscription, UserTopic } from '../api/types.ts';
import { Cell, CellMap, memo, Tracked } from './cell.ts';
import { collator } from './users.ts';

export const Policy = { none: 0, muted: 1, unmuted: 2, followed: 3 } as const;

const topicKey = (channel: number, topic: string) => `${channel}:${topic.toLowerCase()}`;

/** Channels holds the channels the user can access, their subscriptions and their topic policies. */
export class Channels extends Tracked {
  readonly all = new CellMap<number, Channel>();
  readonly subscribed = new CellMap<number, Subscription>();
  folders: Folder[] = [];
  private readonly policies = new CellMap<string, UserTopic>();
  /** visibility changes with what isArchived, inHome and policy return. */
  readonly visibility = new Cell();

  reset(s: Snapshot): void {
    const all = [...s.never_subscribed, ...s.unsubscribed, ...s.subscriptions];
    this.all.replace(all.map((c) => [c.stream_id, c]));
    this.subscribed.replace(s.subscriptions.map((c) => [c.stream_id, c]));
    this.folders = s.channel_folders;
    this.policies.replace(s.user_topics.map((t) => [topicKey(t.stream_id, t.topic_name), t]));
    this.visibility.touch();
  }

  get(id: number): Channel | undefined {
    return this.subscribed.get(id) ?? this.all.get(id);
  }

  isArchived(id: number): boolean {
    return this.get(id)?.is_archived === true;
  }

  /** byName returns all channels in order of name. */
  readonly byName = memo(() => [...this.all.values()].sort(channelOrder), this.all.cell, collator.cell);

  named(name: string): Channel | undefined {
    const lower = name.toLowerCase();
    for (const c of this.all.values()) if (c.name.toLowerCase() === lower) return c;
    return undefined;
  }

  color(id: number): string {
    const c = this.subscribed.get(id)?.color ?? '';
    return /^#[0-9a-f]{6}$/i.test(c) ? c : '#8a8f98';
  }

  policy(channel: number, topic: string): number {
    return this.policies.get(topicKey(channel, topic))?.visibility_policy ?? Policy.none;
  }

  /** topics returns all visibility policies, keyed by channel ID and lowercase topic. */
  topics(): Record<string, number> {
    return Object.fromEntries([...this.policies].map(([k, t]) => [k, t.visibility_policy]));
  }

  /** inHome reports whether a topic is shown and counted in views that leave out muted topics. */
  inHome(channel: number, topic: string): boolean {
    const policy = this.policy(channel, topic);
    if (policy === Policy.muted) return false;
    if (policy === Policy.unmuted || policy === Policy.followed) return true;
    return !(this.subscribed.get(channel)?.is_muted ?? false);
  }

  /** foldered groups the subscriptions for the sidebar: pinned channels, then each folder, then the rest. */
  foldered(): { folder: Folder | undefined; pinned: boolean; list: Subscription[] }[] {
    const { pinned, others } = this.sorted();
    const known = this.folders.filter((f) => !f.is_archived).sort((a, b) => a.order - b.order);
    const ids = new Set(known.map((f) => f.id));
    return [
      { folder: undefined, pinned: true, list: pinned },
      ...known.map((folder) => ({
        folder,
        pinned: false,
        list: others.filter((c) => c.folder_id === folder.id),
      })),
      { folder: undefined, pinned: false, list: others.filter((c) => !ids.has(c.folder_id ?? 0)) },
    ];
  }

  /** sorted returns the subscriptions in order of name, pinned ones separately. */
  sorted(): { pinned: Subscription[]; others: Subscription[] } {
    const list = [...this.subscribed.values()].filter((c) => !c.is_archived).sort(channelOrder);
    return { pinned: list.filter((c) => c.pin_to_top), others: list.filter((c) => !c.pin_to_top) };
  }

  apply(e: EventOfType<'stream' | 'subscription' | 'user_topic' | 'channel_folder'>): void {
    switch (e.type) {
      case 'stream':
        this.applyChannel(e);
        break;
      case 'subscription':
        this.applySubscription(e);
        break;
      case 'user_topic':
        this.applyPolicy(e);
        break;
      case 'channel_folder':
        this.applyFolder(e);
        break;
    }
  }

  private applyChannel(e: EventOfType<'stream'>): void {
    if (e.op === 'create') {
      for (const c of e.streams) this.all.set(c.stream_id, c);
      this.visibility.touch();
    } else if (e.op === 'delete') {
      for (const id of e.stream_ids) {
        this.all.delete(id);
        this.subscribed.delete(id);
      }
      this.visibility.touch();
    } else {
      const change: Record<string, unknown> = { [e.property]: e.value };
      for (const extra of ['rendered_description', 'history_public_to_subscribers', 'is_web_public'] as const) {
        if (e[extra] !== undefined) change[extra] = e[extra];
      }
      this.change(e.stream_id, change);
    }
  }

  private change(id: number, change: Record<string, unknown>): void {
    const c = this.all.get(id);
    if (c) this.all.set(id, { ...c, ...change });
    const sub = this.subscribed.get(id);
    if (sub) this.subscribed.set(id, { ...sub, ...change });
    if ('is_muted' in change || 'is_archived' in change) this.visibility.touch();
  }

  private applySubscription(e: EventOfType<'subscription'>): void {
    switch (e.op) {
      case 'add':
        for (const s of e.subscriptions) {
          this.subscribed.set(s.stream_id, s);
          this.all.set(s.stream_id, s);
        }
        this.visibility.touch();
        break;
      case 'remove':
        for (const s of e.subscriptions) {
          this.subscribed.delete(s.stream_id);
          this.count(s.stream_id, -1);
        }
        this.visibility.touch();
        break;
      case 'peer_add':
        for (const id of e.stream_ids) this.count(id, e.user_ids.length);
        break;
      case 'peer_remove':
        for (const id of e.stream_ids) this.count(id, -e.user_ids.length);
        break;
      case 'update':
        if (this.subscribed.has(e.stream_id)) this.change(e.stream_id, { [e.property]: e.value });
        break;
    }
  }

  /** count adjusts the number of subscribers. The client does not receive who they are. */
  private count(id: number, by: number): void {
    const known = this.get(id)?.subscriber_count;
    if (known !== undefined) this.change(id, { subscriber_count: Math.max(0, known + by) });
  }

  private applyPolicy(t: UserTopic): void {
    const key = topicKey(t.stream_id, t.topic_name);
    if (t.visibility_policy === Policy.none) this.policies.delete(key);
    else this.policies.set(key, t);
    this.visibility.touch();
  }

  private applyFolder(e: EventOfType<'channel_folder'>): void {
    if (e.op === 'add') this.folders = [...this.folders, e.channel_folder];
    if (e.op === 'update') {
      this.folders = this.folders.map((f) => (f.id === e.channel_folder_id ? { ...f, ...e.data } : f));
    }
    if (e.op === 'reorder') {
      const { order } = e;
      this.folders = this.folders.map((f) => ({ ...f, order: order.indexOf(f.id) }));
    }
  }
}

export function channelOrder(a: Channel, b: Channel): number {
  return collator.compare(a.name, b.name) || a.stream_id - b.stream_id;
}
