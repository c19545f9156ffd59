import { ApiError, type Http } from '../api/http.ts';
import { Cell } from './cell.ts';
import { key, type Conversation } from './narrow.ts';
import type { Storage } from './storage.ts';

export interface Pending {
  localID: string;
  /** queue and localID together are the key by which the server knows a message that it has taken already. */
  queue: string;
  to: Conversation;
  content: string;
  timestamp: number;
  state: 'sending' | 'unsure' | 'sent' | 'failed';
  error?: string;
  id?: number;
}

interface Shelf {
  seen: number;
  items: Pending[];
}

const STORED = 'outbox';
/** REPEATABLE is for how many seconds the server recognizes a message that it has taken; it promises a day. */
const REPEATABLE = 23 * 3600;
/** ABANDONED is after how many seconds the tab that wrote something is taken to be gone. */
const ABANDONED = 90;
const BEAT = 20_000; // milliseconds
const MAX_SEEN = 100;

/**
 * Outbox sends messages, and shows them before the server has answered. A message without an answer may have arrived. It
 * is sent again when the connection is back, under the same key, so that the server takes it once. What could not be sent
 * is kept in the browser, also when it crashes.
 */
export class Outbox {
  readonly changed = new Cell();
  items: Pending[] = [];
  private http: Http;
  private storage: Storage;
  private queue: () => string;
  private now: () => number;
  private serial = 0;
  private tab = '';
  private seen = new Set<number>();
  private beat: ReturnType<typeof setInterval> | undefined;

  constructor(http: Http, storage: Storage, queue: () => string, now: () => number) {
    this.http = http;
    this.storage = storage;
    this.queue = queue;
    this.now = now;
  }

  /** restore brings back what an earlier page of this tab, and tabs that are gone, could not send. */
  restore(tab = ''): void {
    this.tab = tab;
    this.adopt();
    clearInterval(this.beat);
    this.beat = setInterval(() => this.adopt(), BEAT);
    (this.beat as { unref?: () => void }).unref?.(); // in Node.js, where nothing should wait for it
  }

  private shelves(): Record<string, Shelf> {
    return this.storage.get<Record<string, Shelf>>(STORED) ?? {};
  }

  private get seconds(): number {
    return Math.floor(this.now() / 1000);
  }

  /** adopt takes over what tabs have left that are gone, and tells others that this one is still there. */
  adopt(): void {
    const all = this.shelves();
    const known = new Set(this.items.map((p) => p.localID));
    const gone = Object.entries(all).filter(([tab, s]) => tab === this.tab || this.seconds - s.seen > ABANDONED);
    const found = gone.flatMap(([, s]) => s.items).filter((p) => !known.has(p.localID));
    const waiting = this.items.some((p) => p.state !== 'sent');
    if (found.length === 0 && !waiting) return;
    this.items = [...found.map((p) => this.again(p)), ...this.items];
    this.save(
      found.length > 0,
      gone.map(([tab]) => tab),
    );
  }

  /** again makes of a message that an earlier page has left one that is sent as soon as there is a connection. */
  private again(p: Pending): Pending {
    if (p.state === 'failed' || !p.queue) return { ...p, state: 'failed' };
    return { ...p, state: 'unsure' };
  }

  of(c: Conversation): Pending[] {
    const k = key(c);
    return this.items.filter((p) => key(p.to) === k);
  }

  async send(to: Conversation, content: string): Promise<number | undefined> {
    // Tabs that send at the same time must not choose the same name.
    const serial = `${this.now().toString(36)}.${++this.serial}.${Math.random().toString(36).slice(2, 8)}`;
    const item: Pending = {
      localID: serial,
      // Without a connection there is no queue yet; any name that nobody else has will do.
      queue: this.queue() || `none.${serial}`,
      to,
      content,
      timestamp: this.seconds,
      state: 'sending',
    };
    this.items = [...this.items, item];
    this.save();
    return this.post(item);
  }

  private async post(item: Pending): Promise<number | undefined> {
    try {
      const answer = await this.http.call<{ id: number }>('POST', '/messages', {
        ...(item.to.kind === 'topic'
          ? { type: 'channel', to: item.to.channel, topic: item.to.topic }
          : { type: 'direct', to: item.to.users }),
        content: item.content,
        queue_id: item.queue,
        local_id: item.localID,
      });
      if (this.seen.has(answer.id)) this.drop(item.localID);
      else this.set(item.localID, { state: 'sent', id: answer.id });
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

  private save(shown = true, adopted: string[] = []): void {
    const items = this.items.filter((p) => p.state !== 'sent');
    const kept = Object.entries(this.shelves()).filter(([tab]) => tab !== this.tab && !adopted.includes(tab));
    const all = Object.fromEntries(kept);
    if (items.length > 0) all[this.tab] = { seen: this.seconds, items };
    this.storage.set(STORED, Object.keys(all).length > 0 ? all : undefined);
    if (shown) this.changed.touch();
  }

  /** arrived is called with each message event; localID is set for those that this queue has sent. */
  arrived(localID: string | undefined, id: number): void {
    const item = this.items.find((p) => p.localID === localID || p.id === id);
    if (item) this.drop(item.localID);
    this.seen.add(id);
    if (this.seen.size > MAX_SEEN) this.seen.delete(this.seen.values().next().value!);
  }

  drop(localID: string): void {
    const rest = this.items.filter((p) => p.localID !== localID);
    if (rest.length === this.items.length) return;
    this.items = rest;
    this.save();
  }

  /** retry sends a message again, because a person wants it or because the connection is back. */
  async retry(localID: string): Promise<void> {
    const item = this.items.find((p) => p.localID === localID);
    if (!item || item.state === 'sending') return;
    // What is too old to be recognized, and what was refused, is sent as a new message.
    const old = !item.queue || this.seconds - item.timestamp > REPEATABLE;
    const next = { ...item, queue: old ? this.queue() : item.queue, timestamp: old ? this.seconds : item.timestamp };
    this.set(localID, { ...next, state: 'sending', error: undefined as never });
    await this.post(next);
  }

  /** caughtUp is called when the queue has been read to its end: what it did not name has not arrived, or long ago. */
  caughtUp(): void {
    for (const p of this.items) {
      if (p.state !== 'unsure') continue;
      if (this.seconds - p.timestamp > REPEATABLE) this.set(p.localID, { state: 'failed' });
      else void this.retry(p.localID);
    }
  }

  /** lostQueue is called after a new registration: what was sent is in the lists, which are fetched again. */
  lostQueue(): void {
    this.items = this.items.filter((p) => p.state !== 'sent');
    this.save();
  }
}
