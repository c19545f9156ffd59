import type { EventOfType } from '../api/events.ts';
import { ApiError, type Http } from '../api/http.ts';
import { CellMap } from './cell.ts';

/** MAX_ASKED is the number of people about whom the server is asked at once. */
const MAX_ASKED = 10;

/** Subscribers answers whether other people are subscribed to a channel. Answers are fetched when they are needed. */
export class Subscribers {
  private readonly known = new CellMap<string, boolean>();
  private http: Http;
  private asked = new Set<string>();

  constructor(http: Http) {
    this.http = http;
  }

  reset(): void {
    this.asked.clear();
    this.known.clear();
  }

  /** has reports whether a person is subscribed, or undefined until that is known. */
  has(channel: number, user: number): boolean | undefined {
    return this.known.get(`${channel}:${user}`);
  }

  /** load fetches what is not known yet. */
  load(channel: number, users: readonly number[]): void {
    const missing = users.filter((u) => this.has(channel, u) === undefined && !this.asked.has(`${channel}:${u}`));
    for (const user of missing.slice(0, MAX_ASKED)) void this.ask(channel, user);
  }

  private async ask(channel: number, user: number): Promise<void> {
    const key = `${channel}:${user}`;
    this.asked.add(key);
    try {
      const path = `/users/${user}/subscriptions/${channel}`;
      const { is_subscribed } = await this.http.call<{ is_subscribed: boolean }>('GET', path);
      // An event that arrived in the meantime is newer.
      if (this.asked.has(key) && !this.known.has(key)) this.known.set(key, is_subscribed);
    } catch (e) {
      // Asked again when it is needed next, unless the server has refused to tell: that may be at the next key.
      if (!(e instanceof ApiError) || e.unanswered) this.asked.delete(key);
    }
  }

  apply(e: EventOfType<'subscription'>): void {
    if (e.op !== 'peer_add' && e.op !== 'peer_remove') return;
    for (const channel of e.stream_ids) {
      for (const user of e.user_ids) {
        const key = `${channel}:${user}`;
        if (this.asked.has(key)) this.known.set(key, e.op === 'peer_add');
      }
    }
  }
}
