import type { RawEvent } from '../api/events.ts';
import type { Snapshot } from '../api/types.ts';
import type { Batch, Data, State, Status, Tabs } from './tabs.ts';

/** PATIENCE is how long, in milliseconds, a tab waits for the leader's answer before it asks again. */
const PATIENCE = 3_000;
const MAX_PENDING = 1000;

/** Follower is the tab as Following changes it. */
export interface Follower {
  /** last returns the last event that has been applied, or -1 without a state. */
  last(): number;
  reset(s: Snapshot): void;
  /** apply applies the events after the last one, up to last. It reports whether it could. */
  apply(events: readonly RawEvent[], last: number): boolean;
  /** adopt sets the queue that the tab polls once it leads. */
  adopt(queue: string, timeout: number): void;
  /** register gets a state from the server. */
  register(): Promise<boolean>;
  status(status: Status, drained: boolean): void;
}

/**
 * Following keeps a tab at the state of the leader. Each batch of events says after which event it begins: one that
 * does not continue the tab's state leads to a question to the leader. Until its answer, batches wait, since the answer
 * can arrive after them.
 */
export class Following {
  private tabs: Tabs;
  private tab: Follower;
  private queue = '';
  private synced = false;
  private asked: number | undefined;
  private registering = false;
  private pending: Batch[] = [];

  constructor(tabs: Tabs, tab: Follower) {
    this.tabs = tabs;
    this.tab = tab;
  }

  /** ask asks the leader for what the tab lacks, with -1 for everything. */
  ask(after = this.tab.last()): void {
    this.synced = false;
    this.asked = this.tabs.now();
    this.tabs.post({ type: 'hello', after });
  }

  /** end is called when the tab leads. */
  end(): void {
    this.synced = false;
    this.pending = [];
  }

  /** retry asks the leader to retry at once. */
  retry(): void {
    if (!this.synced) this.askAgain();
    this.tabs.post({ type: 'retry' });
  }

  receive(m: Data): void {
    if (m.type === 'state') void this.update(m);
    else if (m.type === 'events') this.follow(m);
    else if (m.type === 'status') {
      this.askAgain();
      this.tab.status(m.status, m.drained && this.synced);
    }
  }

  private askAgain(): void {
    if (this.synced || this.registering) return;
    if (this.asked === undefined || Math.abs(this.tabs.now() - this.asked) > PATIENCE) this.ask();
  }

  private follow(m: Batch): void {
    if (!this.synced) {
      if (this.pending.length < MAX_PENDING) this.pending.push(m);
      this.askAgain();
    } else if (m.queue !== this.queue || m.after > this.tab.last()) {
      this.pending = [m];
      this.ask(m.queue === this.queue ? this.tab.last() : -1);
    } else if (!this.tab.apply(m.events, m.last)) void this.register();
  }

  private async update(m: State): Promise<void> {
    if (this.registering) return;
    this.queue = m.queue;
    if (!this.take(m)) {
      await this.register();
      return;
    }
    this.synced = true;
    this.asked = undefined;
    const waiting = this.pending;
    this.pending = [];
    for (const batch of waiting) this.follow(batch);
    if (!this.synced) return;
    this.tabs.here();
    this.tab.status(m.status, m.drained);
  }

  /** take reports whether the leader's answer has brought the tab up to date. */
  private take(m: State): boolean {
    try {
      if (m.base) this.tab.reset(m.base);
    } catch (error) {
      console.error(error);
      return false;
    }
    this.tab.adopt(m.queue, m.timeout);
    return m.events !== undefined && this.tab.apply(m.events, m.last);
  }

  /** register gets a newer state from the server, and then the events after it from the leader. */
  private async register(): Promise<void> {
    if (this.registering) return;
    this.registering = true;
    this.synced = false;
    const done = await this.tab.register();
    this.registering = false;
    this.asked = this.tabs.now();
    if (done && !this.tabs.leads) this.ask();
  }
}
