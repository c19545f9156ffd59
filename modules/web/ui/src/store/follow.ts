import type { RawEvent } from '../api/events.ts';
import type { Http } from '../api/http.ts';
import registration from './registration.json';

/** INTERVAL is the time between polls, in milliseconds. */
const INTERVAL = 3_000;
/** SOON is the time, in milliseconds, until a view that is still loading is refreshed first. It doubles each time. */
const SOON = 300;
const IDLE_QUEUE_SECONDS = 60;

/** Followed is a view whose messages do not come through the user's event queue. */
export interface Followed {
  /** channel is the name of the channel to follow; undefined: the view is only refreshed, every interval. */
  channel: string | undefined;
  interval?: number;
  /** refresh fetches the view's messages again, and reports whether it could. */
  refresh(): Promise<boolean>;
}

/**
 * Follow keeps one view current to whose messages the user has no subscription. An additional event queue, narrowed to
 * the channel, receives the channel's messages and all their changes. It is polled at an interval, so that neither the
 * number of requests nor that of open connections depends on what others write.
 */
export class Follow {
  private http: Http;
  private apply: (e: RawEvent) => void;
  private wake: (() => void) | undefined;
  private turn = 0;

  constructor(http: Http, apply: (e: RawEvent) => void) {
    this.http = http;
    this.apply = apply;
  }

  /** start follows a view, instead of the former one, until the returned function is called. */
  start(view: Followed): () => void {
    const turn = ++this.turn;
    const current = () => turn === this.turn;
    void (view.channel === undefined ? this.repeat(view, current) : this.poll(view, view.channel, current));
    return () => {
      if (!current()) return;
      this.turn++;
      this.wake?.();
    };
  }

  /** now polls at once, because the user has written a message. */
  now(): void {
    this.wake?.();
  }

  private async repeat(view: Followed, current: () => boolean): Promise<void> {
    while (current()) {
      const done = await view.refresh().catch(() => false);
      if (current()) await this.pause(done ? (view.interval ?? INTERVAL) : SOON * 10);
    }
  }

  private async poll(view: Followed, channel: string, current: () => boolean): Promise<void> {
    let queue: string | undefined;
    let last = -1;
    let fresh = false;
    let wait = SOON;
    while (current()) {
      try {
        if (queue === undefined) {
          const answer = await this.register(channel);
          [queue, last] = [answer.queue_id, answer.last_event_id];
          fresh = false; // nothing reports what happened before
        }
        if (!fresh) fresh = current() && (await view.refresh());
        const { events } = await this.http.call<{ events: RawEvent[] }>('GET', '/events', {
          queue_id: queue,
          last_event_id: last,
          dont_block: true,
        });
        for (const e of events) {
          if (!current() || e.id <= last) continue;
          last = e.id;
          this.apply(e);
        }
      } catch {
        queue = undefined; // lost, or the connection is; a new queue begins with a refresh
      }
      if (fresh || queue === undefined) wait = INTERVAL;
      if (current()) await this.pause(wait);
      wait = Math.min(2 * wait, INTERVAL);
    }
    if (queue !== undefined) this.http.call('DELETE', '/events', { queue_id: queue }).catch(() => undefined);
  }

  private register(channel: string): Promise<{ queue_id: string; last_event_id: number }> {
    const { apply_markdown, client_gravatar, client_capabilities } = registration;
    return this.http.call('POST', '/register', {
      apply_markdown,
      client_gravatar,
      client_capabilities: { ...client_capabilities, narrowed_changes: true },
      event_types: ['message', 'update_message', 'delete_message', 'reaction', 'submessage'],
      fetch_event_types: [],
      narrow: [['channel', channel]],
      idle_queue_timeout: IDLE_QUEUE_SECONDS,
    });
  }

  private async pause(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.wake = undefined;
  }
}
