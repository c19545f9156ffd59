import type { RawEvent } from '../api/events.ts';
import { ApiError, type Http } from '../api/http.ts';
import type { Snapshot } from '../api/types.ts';
import { Cell } from './cell.ts';
import registration from './registration.json';
import { filled } from './spectator.ts';

export type ConnectionState = 'starting' | 'online' | 'offline' | 'failed' | 'stopped';

const IDLE_QUEUE_SECONDS = 4 * 3600;
const FIRST_RETRY = 500; // milliseconds
const LAST_RETRY = 20_000; // milliseconds

export interface Handler {
  registered(s: Snapshot): void;
  /** event applies one event. If it throws, the client registers again. */
  event(e: RawEvent): void;
  /** caughtUp is called after a start or an interruption once the queue is known to be drained. */
  caughtUp(): void;
  /**
   * unreachable is called when the first registration gets no response. It reports whether a saved state can be
   * shown.
   */
  unreachable(): Promise<boolean>;
  /** checkVersion throws if the server is unreachable, and never returns if the page is older than the server. */
  checkVersion(): Promise<void>;
}

/** MAX_AGE is how long, in milliseconds, a spectator's registration stays valid. */
const MAX_AGE = 60_000;

/** Connection registers, polls for events, and recovers from interruptions. */
export class Connection {
  queue = '';
  private readonly cell = new Cell();
  #state: ConnectionState = 'starting';
  #error: ApiError | undefined;
  private http: Http;
  private handler: Handler;
  private last = -1;
  private timeout = 90;
  private retry = FIRST_RETRY;
  private wake: (() => void) | undefined;
  private polling: AbortController | undefined;
  private spectator: boolean;
  private at = 0;

  constructor(http: Http, handler: Handler, spectator = false) {
    this.http = http;
    this.handler = handler;
    this.spectator = spectator;
  }

  get state(): ConnectionState {
    this.cell.track();
    return this.#state;
  }

  private set state(state: ConnectionState) {
    this.#state = state;
    this.cell.touch();
  }

  get error(): ApiError | undefined {
    this.cell.track();
    return this.#error;
  }

  private set error(error: ApiError | undefined) {
    this.#error = error;
    this.cell.touch();
  }

  /** run receives events until stop is called. */
  async run(): Promise<void> {
    while (!this.stopped) {
      if (await this.register()) await (this.spectator ? this.waitUntilStale() : this.follow());
    }
  }

  private get stopped(): boolean {
    return this.state === 'stopped';
  }

  private set(state: ConnectionState): void {
    if (this.stopped || this.state === state) return;
    this.state = state;
  }

  private async register(): Promise<boolean> {
    try {
      await this.handler.checkVersion();
      const answer = await this.http.call<Snapshot>(
        'POST',
        '/register',
        {
          ...registration,
          idle_queue_timeout: IDLE_QUEUE_SECONDS,
        },
        { timeout: 60_000 },
      );
      const s = this.spectator ? filled(answer) : answer;
      this.queue = s.queue_id ?? '';
      this.at = Date.now();
      this.last = s.last_event_id;
      this.timeout = s.event_queue_longpoll_timeout_seconds;
      this.error = undefined;
      this.handler.registered(s);
      return true;
    } catch (e) {
      if (!(e instanceof ApiError)) console.error(e);
      this.error = e instanceof ApiError ? e : new ApiError(0, 'CLIENT', String(e));
      const shown = this.at > 0 || (this.error.unanswered && (await this.handler.unreachable()));
      this.set(shown ? 'offline' : 'failed');
      await this.pause();
      return false;
    }
  }

  /**
   * waitUntilStale waits until the user returns to a page whose registration is no longer fresh. Spectators have no
   * event queue.
   */
  private async waitUntilStale(): Promise<void> {
    this.retry = FIRST_RETRY;
    this.set('online');
    while (!this.stopped && Date.now() - this.at < MAX_AGE) {
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
    this.wake = undefined;
  }

  /** follow polls the queue and returns when the client has to register again. */
  private async follow(): Promise<void> {
    let check = true; // the next poll must return at once
    while (!this.stopped) {
      this.polling = new AbortController();
      let events: RawEvent[];
      try {
        const answer = await this.http.call<{ events: RawEvent[] }>(
          'GET',
          '/events',
          {
            queue_id: this.queue,
            last_event_id: this.last,
            ...(check ? { dont_block: true } : {}),
          },
          { signal: this.polling.signal, timeout: (this.timeout + 10) * 1000 },
        );
        events = answer.events;
      } catch (e) {
        if (this.stopped) return;
        if (e instanceof ApiError && !e.unanswered && e.status !== 429) return;
        this.set('offline');
        check = true;
        if (!this.polling.signal.aborted) await this.pause();
        continue;
      }
      this.retry = FIRST_RETRY;
      this.set('online');
      if (!this.deliver(events)) return;
      if (check) this.handler.caughtUp();
      check = false;
    }
  }

  private deliver(events: RawEvent[]): boolean {
    for (const e of events) {
      if (e.id <= this.last) continue;
      try {
        this.handler.event(e);
      } catch (error) {
        console.error('An event could not be applied; registering again.', e.type, error);
        return false;
      }
      this.last = e.id;
    }
    return true;
  }

  private async pause(): Promise<void> {
    const ms = this.retry * (0.75 + Math.random() / 2);
    this.retry = Math.min(LAST_RETRY, this.retry * 2);
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.wake = undefined;
  }

  /** retryNow retries at once, because the network is back or the user has returned to the page. */
  retryNow(): void {
    this.retry = FIRST_RETRY;
    this.wake?.();
  }

  /** networkLost aborts the current poll, because the network is down. */
  networkLost(): void {
    this.set('offline');
    this.polling?.abort();
  }

  stop(): void {
    this.set('stopped');
    this.polling?.abort();
    this.wake?.();
  }
}
