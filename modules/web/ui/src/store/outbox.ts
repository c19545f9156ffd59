import { ApiError, type Http } from '../api/http.ts';
import { Cell } from './cell.ts';
import { key, type Conversation } from './narrow.ts';
import type { Storage } from './storage.ts';

export interface Pending {
  localID: string;
  to: Conversation;
  content: string;
  timestamp: number;
  state: 'sending' | 'unsure' | 'sent' | 'failed';
  error?: string;
}

const STORED = 'outbox';

/**
 * Outbox sends messages, and shows them before the server has answered. A message without an answer may have arrived:
 * the event queue tells, for it names the local ID. Only when the queue has been read up to its end is the message
 * sent again.
 */
export class Outbox {
  readonly changed = new Cell();
  items: Pending[] = [];
  private http: Http;
  private storage: Storage;
  private queue: () => string;
  private now: () => number;
  private serial = 0;
  private queues = new Map<string, string>();

  constructor(http: Http, storage: Storage, queue: () => string, now: () => number) {
    this.http = http;
    this.storage = storage;
    this.queue = queue;
    this.now = now;
  }

  /** restore brings back what an earlier page could not send. Nobody knows whether it arrived, so a person decides. */
  restore(): void {
    const kept = this.storage.get<Pending[]>(STORED) ?? [];
    this.items = kept.map((p) => ({ ...p, state: 'failed' as const }));
    this.changed.touch();
  }

  of(c: Conversation): Pending[] {
    const k = key(c);
    return this.items.filter((p) => key(p.to) === k);
  }

  async send(to: Conversation, content: string): Promise<number | undefined> {
    const item: Pending = {
      localID: `${this.now().toString(36)}.${++this.serial}`,
      to,
      content,
      timestamp: Math.floor(this.now() / 1000),
      state: 'sending',
    };
    this.items = [...this.items, item];
    this.save();
    return this.post(item);
  }

  private async post(item: Pending): Promise<number | undefined> {
    const queue = this.queue();
    this.queues.set(item.localID, queue);
    try {
      const answer = await this.http.call<{ id: number }>('POST', '/messages', {
        ...(item.to.kind === 'topic'
          ? { type: 'channel', to: item.to.channel, topic: item.to.topic }
          : { type: 'direct', to: item.to.users }),
        content: item.content,
        queue_id: queue,
        local_id: item.localID,
      });
      this.set(item.localID, { state: 'sent' });
      return answer.id;
    } catch (e) {
      const unsure = e instanceof ApiError && e.unanswered;
      const error = e instanceof Error ? e.message : String(e);
      this.set(item.localID, unsure ? { state: 'unsure' } : { state: 'failed', error });
      return undefined;
    }
  }

  private set(localID: string, change: Partial<Pending>): void {
    this.items = this.items.map((p) => (p.localID === localID ? { ...p, ...change } : p));
    this.save();
  }

  private save(): void {
    this.storage.set(
      STORED,
      this.items.filter((p) => p.state !== 'sent'),
    );
    this.changed.touch();
  }

  /** arrived is called with the local ID of each message event. */
  arrived(localID: string): void {
    this.drop(localID);
  }

  drop(localID: string): void {
    this.queues.delete(localID);
    const rest = this.items.filter((p) => p.localID !== localID);
    if (rest.length === this.items.length) return;
    this.items = rest;
    this.save();
  }

  async retry(localID: string): Promise<void> {
    const item = this.items.find((p) => p.localID === localID);
    if (!item || item.state === 'sending') return;
    this.set(localID, { state: 'sending', error: undefined as never });
    await this.post(item);
  }

  /** caughtUp is called when the queue has been read to its end: what it did not name has not arrived. */
  caughtUp(): void {
    for (const p of this.items) {
      if (p.state === 'unsure' && this.queues.get(p.localID) === this.queue()) void this.retry(p.localID);
    }
  }

  /** lostQueue is called after a new registration: what was on its way may have arrived or not. */
  lostQueue(): void {
    const queue = this.queue();
    this.items = this.items
      .filter((p) => p.state !== 'sent')
      .map((p) => (p.state === 'unsure' && this.queues.get(p.localID) !== queue ? { ...p, state: 'failed' } : p));
    this.save();
  }
}
