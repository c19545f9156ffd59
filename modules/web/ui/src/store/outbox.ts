import { ApiError, type Http } from '../api/http.ts';
import { Cell } from './cell.ts';
import { key, type Conversation } from './narrow.ts';
import type { Storage } from './storage.ts';

export interface Pending {
  localID: string;
  /** queue and localID together are the key by which the server recognizes a repeated message. */
  queue: string;
  to: Conversation;
  content: string;
  timestamp: number;
  state: 'sending' | 'unsure' | 'sent' | 'failed';
  error?: string;
  id?: number;
}

interface TabItems {
  seen: number;
  items: Pending[];
}

const STORED = 'outbox';
/**
 * KEY_LIFETIME is the number of seconds during which a message is repeated with the same key. The server recognizes
 * keys for a day.
 */
const KEY_LIFETIME = 23 * 3600;
/** TAB_TIMEOUT is the number of seconds after which a silent tab counts as closed. */
const TAB_TIMEOUT = 90;
const HEARTBEAT = 20_000; // milliseconds
const MAX_SEEN = 100;
/** RETRY_DELAY is after how many milliseconds a message without a response is repeated if the connection persists. */
const RETRY_DELAY = 5_000;

/**
 * Outbox sends messages and shows them before the server has responded. A message without a response may have
 * arrived: it is sent again with the same key, after a while or once the connection is back, so that the server
 * accepts it only once.
 * Unsent messages are stored in the browser and survive a crash.
 */
export class Outbox {
  private readonly cell = new Cell();
  #items: Pending[] = [];
  private http: Http;
  private storage: Storage;
  private queue: () => string;
  private now: () => number;
  private serial = 0;
  private tab = '';
  private seen = new Set<number>();
  private beat: ReturnType<typeof setInterval> | undefined;
  /** onSent is called after the server has accepted a message whose event has not arrived. */
  onSent: () => void = () => undefined;
  /** onReturned is called with a message that the server refused because of maintenance, and that is no longer here. */
  onReturned: (to: Conversation, content: string, why: ApiError) => void = () => undefined;
  /** connected reports whether the server accepts messages. Otherwise, they wait for caughtUp. */
  connected: () => boolean = () => true;

  constructor(http: Http, storage: Storage, queue: () => string, now: () => number) {
    this.http = http;
    this.storage = storage;
    this.queue = queue;
    this.now = now;
  }

  get items(): readonly Pending[] {
    this.cell.track();
    return this.#items;
  }

  private set items(items: Pending[]) {
    this.#items = items;
    this.cell.touch();
  }

  /** restore loads the unsent messages of an earlier page in this tab and of closed tabs. */
  restore(tab = ''): void {
    this.tab = tab;
    this.adopt();
    clearInterval(this.beat);
    this.beat = setInterval(() => this.adopt(), HEARTBEAT);
    if (typeof this.beat === 'object') this.beat.unref(); // in Node.js, it must not keep the process alive
  }

  private storedTabs(): Record<string, TabItems> {
    return this.storage.get<Record<string, TabItems>>(STORED) ?? {};
  }

  private get seconds(): number {
    return Math.floor(this.now() / 1000);
  }

  /** adopt takes over the messages of closed tabs, and marks this tab as open if it has unsent messages. */
  adopt(): void {
    const all = this.storedTabs();
    const known = new Set(this.items.map((p) => p.localID));
    const gone = Object.entries(all).filter(([tab, s]) => tab === this.tab || this.seconds - s.seen > TAB_TIMEOUT);
    const found = gone.flatMap(([, s]) => s.items).filter((p) => !known.has(p.localID));
    const waiting = this.items.some((p) => p.state !== 'sent');
    if (found.length === 0 && !waiting) return;
    if (found.length > 0) this.items = [...found.map((p) => this.restored(p)), ...this.items];
    this.save(gone.map(([tab]) => tab));
  }

  /** restored returns a message of an earlier page in the state in which it is sent on the next connection. */
  private restored(p: Pending): Pending {
    if (p.state === 'failed' || !p.queue) return { ...p, state: 'failed' };
    return { ...p, state: 'unsure' };
  }

  /** waiting returns the messages that wait for the connection or the user. */
  get waiting(): readonly Pending[] {
    return this.items.filter((p) => p.state === 'unsure' || p.state === 'failed');
  }

  of(c: Conversation): Pending[] {
    const k = key(c);
    return this.items.filter((p) => key(p.to) === k);
  }

  async send(to: Conversation, content: string): Promise<number | undefined> {
    // Tabs that send at the same time need different IDs.
    const serial = `${this.now().toString(36)}.${++this.serial}.${Math.random().toString(36).slice(2, 8)}`;
    const item: Pending = {
      localID: serial,
      // Without a connection there is no queue yet. Any unique name will do.
      queue: this.queue() || `none.${serial}`,
      to,
      content,
      timestamp: this.seconds,
      state: 'sending',
    };
    this.items = [...this.items, item];
    this.save();
    return this.post(item, true);
  }

  /** post sends a message, for the first time or again. */
  private async post(item: Pending, first = false): Promise<number | undefined> {
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
      else {
        this.set(item.localID, { state: 'sent', id: answer.id });
        this.onSent();
      }
      return answer.id;
    } catch (e) {
      if (first && e instanceof ApiError && e.code === 'MAINTENANCE') {
        this.drop(item.localID);
        this.onReturned(item.to, item.content, e);
        return undefined;
      }
      const unsure = e instanceof ApiError && e.unanswered;
      const error = e instanceof Error ? e.message : String(e);
      this.set(item.localID, unsure ? { state: 'unsure' } : { state: 'failed', error });
      if (unsure) this.retryLater(item.localID);
      return undefined;
    }
  }

  private retryLater(localID: string): void {
    const timer = setTimeout(() => {
      const item = this.#items.find((p) => p.localID === localID);
      if (item?.state === 'unsure' && this.connected()) void this.retry(localID);
    }, RETRY_DELAY);
    if (typeof timer === 'object') timer.unref(); // in Node.js, it must not keep the process alive
  }

  private set(localID: string, change: Partial<Pending>): void {
    this.items = this.items.map((p) => (p.localID === localID ? { ...p, ...change } : p));
    this.save();
  }

  private save(adopted: string[] = []): void {
    const items = this.items.filter((p) => p.state !== 'sent');
    const kept = Object.entries(this.storedTabs()).filter(([tab]) => tab !== this.tab && !adopted.includes(tab));
    const all = Object.fromEntries(kept);
    if (items.length > 0) all[this.tab] = { seen: this.seconds, items };
    this.storage.set(STORED, Object.keys(all).length > 0 ? all : undefined);
  }

  /** arrived is called for each message event. localID is set for messages sent with this queue. */
  arrived(localID: string | undefined, id: number): void {
    const item = this.items.find((p) => p.localID === localID || p.id === id);
    if (item) this.drop(item.localID);
    this.seen.add(id);
    if (this.seen.size > MAX_SEEN) this.seen.delete(this.seen.values().next().value!);
  }

  /** found drops the sent messages among fetched ones. No event reports them in channels without a subscription. */
  found(ids: readonly number[]): void {
    const all = new Set(ids);
    for (const p of this.items) if (p.id !== undefined && all.has(p.id)) this.drop(p.localID);
  }

  drop(localID: string): void {
    const rest = this.items.filter((p) => p.localID !== localID);
    if (rest.length === this.items.length) return;
    this.items = rest;
    this.save();
  }

  /** retry sends a message again, on the user's request or after a reconnect. */
  async retry(localID: string): Promise<void> {
    const item = this.items.find((p) => p.localID === localID);
    if (!item || item.state === 'sending') return;
    // Messages that were refused, or are too old for the server to recognize, are sent as new ones.
    const old = !item.queue || this.seconds - item.timestamp > KEY_LIFETIME;
    const next = { ...item, queue: old ? this.queue() : item.queue, timestamp: old ? this.seconds : item.timestamp };
    this.set(localID, { ...next, state: 'sending', error: undefined });
    await this.post(next);
  }

  /** caughtUp is called once the queue is drained: messages that it did not contain have not arrived, or long ago. */
  caughtUp(): void {
    for (const p of this.items) {
      if (p.state !== 'unsure') continue;
      if (this.seconds - p.timestamp > KEY_LIFETIME) this.set(p.localID, { state: 'failed' });
      else void this.retry(p.localID);
    }
  }

  /** lostQueue is called after a new registration. Sent messages are in the lists, which are fetched again. */
  lostQueue(): void {
    this.items = this.items.filter((p) => p.state !== 'sent');
    this.save();
  }
}
