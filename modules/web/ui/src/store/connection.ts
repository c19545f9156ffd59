import type { RawEvent } from '../api/events.ts';
import { ApiError, type Http } from '../api/http.ts';
import type { Snapshot } from '../api/types.ts';
import { Backlog } from './backlog.ts';
import { Cell } from './cell.ts';
import { Following } from './following.ts';
import type { WasRead } from './offline.ts';
import { ownerOf } from './owner.ts';
import registration from './registration.json';
import { filled } from './spectator.ts';
import { Tabs, type Data, type Status, type Wire } from './tabs.ts';

export type ConnectionState = Status | 'stopped';

const IDLE_QUEUE_SECONDS = 4 * 3600;
const FIRST_RETRY = 500; // milliseconds
const LAST_RETRY = 20_000; // milliseconds
/** BUSY is how long, in milliseconds, events are collected between two polls while each receives some within it. */
const BUSY = 100;
/** LONGEST is how long events are collected if they keep arriving. A short exchange is not delayed as much. */
const LONGEST = 250;
/** PART is the number of events that are applied at once. After an interruption there may be thousands. */
const PART = 50;

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
  /** rest lets the page respond between parts of much work. */
  rest?(): Promise<void>;
  /** led is called when this tab starts to lead the others of its browser. */
  led?(): void;
  /** followed is called when another tab starts to lead. */
  followed?(): void;
  /** read is called with what was read in another tab. */
  read?(what: WasRead): void;
  /** wasRead returns what was read in this tab, and what others have passed on to it. */
  wasRead?(): WasRead;
}

/** MAX_AGE is how long, in milliseconds, a spectator's registration stays valid. */
const MAX_AGE = 60_000;

/**
 * Connection registers, polls for events, and recovers from interruptions. The tabs of a browser share one queue: the
 * leader polls it and passes the events on (following.ts).
 */
export class Connection {
  /** queue is the shared queue. Messages are sent in its name by all tabs. */
  queue = '';
  private readonly cell = new Cell();
  #state: ConnectionState = 'starting';
  #error: ApiError | undefined;
  private http: Http;
  private handler: Handler;
  /** last is the last event that has been applied. */
  private last = -1;
  private timeout = 90;
  private retry = FIRST_RETRY;
  private wake: (() => void) | undefined;
  private polling: AbortController | undefined;
  private spectator: boolean;
  private at = 0;
  /** resets is the number of states that have been shown so far. */
  private resets = 0;
  private tabs: Tabs | undefined;
  private backlog = new Backlog();
  private following: Following | undefined;
  /** lost is true while there is no queue to poll. */
  private lost = true;
  private drained = false;
  /** asked is true if another tab waits for the registration. */
  private asked = false;

  constructor(http: Http, handler: Handler, spectator = false, wire?: Wire) {
    this.http = http;
    this.handler = handler;
    this.spectator = spectator;
    if (!wire || spectator) return;
    this.tabs = new Tabs(wire, {
      lead: () => this.lead(),
      follow: () => this.follow(),
      receive: (m, from) => this.receive(m, from),
    });
    this.following = new Following(this.tabs, {
      last: () => (this.at > 0 ? this.last : -1),
      reset: (s) => {
        if (this.at > 0) this.handler.checkVersion().catch(() => undefined);
        this.reset(s);
      },
      apply: (events, last) => this.apply(events, last),
      adopt: (queue, timeout) => this.adopt(queue, timeout),
      register: () => this.register(),
      status: (status, drained) => void this.follows(status, drained),
    });
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

  /** leads reports whether this tab polls, and saves what all share. */
  get leads(): boolean {
    return !this.tabs || this.tabs.leads;
  }

  /** announces reports whether this tab should notify the user of new messages. */
  get announces(): boolean {
    return !this.tabs || this.tabs.announces;
  }

  /** run receives events until stop is called. */
  async run(): Promise<void> {
    this.tabs?.join();
    while (!this.stopped) {
      if (!this.confirmed()) await new Promise<void>((resolve) => (this.wake = resolve));
      else if (!this.lost || (await this.register())) {
        await (this.spectator ? this.waitUntilStale() : this.poll());
      } else await this.pauseLonger();
    }
  }

  /** confirmed reports whether this tab leads, after a look at the lease. */
  private confirmed(): boolean {
    return !this.tabs || this.tabs.confirm();
  }

  private get stopped(): boolean {
    return this.#state === 'stopped';
  }

  private set(state: Status): void {
    if (this.stopped || this.#state === state) return;
    this.state = state;
    if (state !== 'online') this.drained = false;
    this.tell();
  }

  /** register registers. A tab that does not lead gets its state in this way, but not its queue. */
  private async register(): Promise<boolean> {
    const before = this.resets;
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
      if (this.stopped) return false;
      const s = this.spectator ? filled(answer) : answer;
      if (this.tabs && ownerOf(s) !== this.tabs.owner) this.part();
      this.error = undefined;
      // Another tab may have become the leader meanwhile, and have sent its state.
      if (this.leads || this.resets === before) this.reset(s);
      if (!this.leads) this.http.call('DELETE', '/events', { queue_id: s.queue_id }).catch(() => undefined);
      else {
        this.adopt(s.queue_id ?? '', s.event_queue_longpoll_timeout_seconds);
        if (this.asked || this.tabs?.hasPeers) this.tabs?.post(this.stateAfter(-1));
        this.asked = false;
      }
      return true;
    } catch (e) {
      if (!(e instanceof ApiError)) console.error(e);
      this.error = e instanceof ApiError ? e : new ApiError(0, 'CLIENT', String(e));
      this.set((await this.shows(this.error.unanswered)) ? 'offline' : 'failed');
      return false;
    }
  }

  /** shows reports whether there is anything to show without the server. */
  private async shows(unanswered: boolean): Promise<boolean> {
    return this.at > 0 || (unanswered && (await this.handler.unreachable()));
  }

  private reset(s: Snapshot): void {
    this.last = s.last_event_id;
    this.at = Date.now();
    this.resets++;
    this.backlog.start(s);
    this.handler.registered(s);
  }

  private adopt(queue: string, timeout: number): void {
    this.queue = queue;
    this.timeout = timeout;
    this.lost = false;
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
    this.lost = true;
  }

  /** poll polls the queue and returns when this tab has to register again, or no longer leads. */
  private async poll(): Promise<void> {
    let check = true; // the next poll must return at once
    let collecting = 0; // milliseconds before the next poll
    while (!this.stopped && this.confirmed()) {
      const polling = new AbortController();
      this.polling = polling;
      const begun = performance.now();
      const after = this.last;
      let events: RawEvent[];
      try {
        const answer = await this.http.call<{ events: RawEvent[] }>(
          'GET',
          '/events',
          {
            queue_id: this.queue,
            last_event_id: after,
            ...(check ? { dont_block: true } : {}),
          },
          { signal: polling.signal, timeout: (this.timeout + 10) * 1000 },
        );
        events = answer.events;
      } catch (e) {
        if (this.stopped || !this.confirmed()) return;
        if (e instanceof ApiError && !e.unanswered && e.status !== 429) {
          this.lost = true;
          return;
        }
        this.set('offline');
        check = true;
        if (!polling.signal.aborted) await this.pauseLonger();
        continue;
      }
      if (this.stopped || !this.leads) return; // the new leader receives these events, too
      const arrived = performance.now();
      this.retry = FIRST_RETRY;
      this.set('online');
      if (events.length === 0 && !check) this.tabs?.assert(); // another leader polls, too
      if (!(await this.deliver(events))) return;
      if (!check) {
        collecting = arrived - begun < BUSY ? Math.min(LONGEST, Math.max(BUSY, collecting * 1.5)) : 0;
        if (collecting > 0) await this.pause(collecting);
        continue;
      }
      check = false;
      this.drained = true;
      this.tell();
      this.handler.caughtUp();
    }
  }

  /**
   * deliver passes events on to the other tabs and applies them, in parts between which the page can respond. It
   * reports whether this tab shall go on polling.
   */
  private async deliver(events: readonly RawEvent[]): Promise<boolean> {
    for (let at = 0; at < events.length; at += PART) {
      if (at > 0) await this.handler.rest?.();
      if (this.stopped || !this.leads) return false;
      const part = events.slice(at, at + PART);
      const [after, last] = [this.last, part.at(-1)!.id];
      if (last > after) this.tabs?.post({ type: 'events', queue: this.queue, after, last, events: part });
      if (this.apply(part, last)) continue;
      this.lost = true;
      return false;
    }
    return true;
  }

  private apply(events: readonly RawEvent[], last: number): boolean {
    for (const e of events) {
      if (e.id <= this.last || this.stopped) continue;
      try {
        this.handler.event(e);
      } catch (error) {
        console.error('An event could not be applied; registering again.', e.type, error);
        return false;
      }
      this.backlog.add(e);
      this.last = e.id;
    }
    this.last = Math.max(this.last, last);
    return true;
  }

  /** pauseLonger pauses before the next attempt, longer each time. */
  private async pauseLonger(): Promise<void> {
    const ms = this.retry * (0.75 + Math.random() / 2);
    this.retry = Math.min(LAST_RETRY, this.retry * 2);
    await this.pause(ms);
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

  private lead(): void {
    this.following?.end();
    this.handler.led?.();
    this.wake?.();
  }

  private follow(): void {
    this.polling?.abort();
    this.wake?.();
    if (this.at === 0) this.handler.checkVersion().catch(() => undefined);
    this.following?.ask();
    this.handler.followed?.();
  }

  private receive(m: Data, from: string): void {
    if (m.type === 'read') {
      this.handler.read?.(m);
    } else if (!this.leads) {
      this.following?.receive(m);
    } else if (m.type === 'hello') {
      if (this.lost) this.asked = true;
      if (this.lost) this.tell();
      else this.tabs?.post(this.stateAfter(m.after), from);
    } else if (m.type === 'retry') {
      this.retryNow();
      this.tell();
    }
  }

  /** stateAfter returns what a tab needs that has applied the events up to one, or with -1 none. */
  private stateAfter(after: number): Data {
    const base = after < 0 || this.backlog.after(after) === undefined ? this.backlog.base : undefined;
    const age = (Date.now() - this.at) / 1000;
    return {
      type: 'state',
      queue: this.queue,
      timeout: this.timeout,
      last: this.last,
      events: base ? this.backlog.after(base.last_event_id) : this.backlog.after(after),
      // The registration is as old as this tab's state, but its receiver sets the clock by it.
      base: base && { ...base, server_timestamp: base.server_timestamp + age },
      status: this.status,
      drained: this.drained,
    };
  }

  /** tell tells the other tabs the state of the connection. */
  private tell(): void {
    if (this.tabs?.leads) this.tabs.post({ type: 'status', status: this.status, drained: this.drained });
  }

  private get status(): Status {
    return this.#state === 'stopped' ? 'offline' : this.#state;
  }

  /** follows is called when the leader has told its state. */
  private async follows(status: Status, drained: boolean): Promise<void> {
    if (status === 'failed' || status === 'offline') {
      const shown = await this.shows(true);
      if (!this.leads) this.set(shown ? 'offline' : 'failed');
    } else if (this.at > 0) this.set(status);
    if (drained && !this.lost) this.handler.caughtUp();
  }

  /** part makes this tab independent of the others, because another user has logged in. */
  private part(): void {
    this.tabs?.leave();
    this.tabs = undefined;
    this.wake?.();
  }

  /** retryNow retries at once, because the network is back or the user has returned to the page. */
  retryNow(): void {
    this.retry = FIRST_RETRY;
    if (this.leads) this.wake?.();
    else this.following?.retry();
  }

  /** networkLost aborts the current poll, because the network is down. */
  networkLost(): void {
    this.set('offline');
    this.polling?.abort();
  }

  /** leave lets another tab lead, because this one is closed, frozen or kept in the browser's history. */
  leave(): void {
    this.tabs?.leave(this.legacy);
    if (this.tabs) this.polling?.abort();
  }

  private legacy = (): Data => ({ type: 'read', lists: [], messages: [], ...this.handler.wasRead?.() });

  /** passOn sends what was read to the tab that saves it, if that is another one. */
  passOn(what: WasRead): void {
    this.tabs?.postToLeader({ type: 'read', ...what });
  }

  /** rejoin follows leave if the page is shown again. */
  rejoin(): void {
    if (!this.stopped) this.tabs?.join();
  }

  /** refocus is called when the page may have gained or lost the focus, or its visibility has changed. */
  refocus(): void {
    this.tabs?.focus();
  }

  stop(): void {
    this.leave();
    if (!this.stopped) this.state = 'stopped';
    this.polling?.abort();
    this.wake?.();
  }
}
