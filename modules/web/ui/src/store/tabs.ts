import type { RawEvent } from '../api/events.ts';
import type { Snapshot } from '../api/types.ts';
import type { WasRead } from './offline.ts';

/** Lease names the leader in the browser's storage, so that a new page knows whether to expect one. */
export interface Lease {
  term: number;
  tab: string;
  /** at is when the leader was last known to live, in milliseconds. */
  at: number;
}

export type Status = 'starting' | 'online' | 'offline' | 'failed';

/** Batch holds all events of the queue after one event and up to another. */
export interface Batch {
  type: 'events';
  queue: string;
  after: number;
  last: number;
  events: RawEvent[];
}

/**
 * State brings a tab up to date: with the events that it lacks, with a registration and the events after it, or with
 * neither if the leader has no longer all of them.
 */
export interface State {
  type: 'state';
  queue: string;
  timeout: number;
  last: number;
  base?: Snapshot;
  events?: RawEvent[];
  status: Status;
  drained: boolean;
}

/** Data is what the leader's tab and the others exchange about the queue. */
export type Data =
  | Batch
  | State
  /** asks for the state. after is the last event that the tab has applied, -1: none. */
  | { type: 'hello'; after: number }
  /** drained is true once the queue is known to contain nothing that has happened during an interruption. */
  | { type: 'status'; status: Status; drained: boolean }
  | { type: 'retry' }
  /** passes on what was read, which the leader saves. */
  | ({ type: 'read' } & WasRead);

type Control =
  | { type: 'lead'; term: number }
  | { type: 'bye'; term: number; heir?: string }
  | { type: 'ping' }
  | { type: 'here'; visible: boolean }
  | { type: 'gone' }
  | { type: 'focus'; on: boolean };

export type TabMessage = (Data | Control) & { tab: string };

/** Wire connects the tabs of a browser that belong to the same user and run the same version of the client. */
export interface Wire {
  /** tab identifies this page. */
  readonly tab: string;
  /** owner is the user, as ownerOf names it. */
  readonly owner: string;
  /** post sends a message to all other tabs, or to one. */
  post(m: TabMessage, to?: string): void;
  listen(receive: (m: TabMessage) => void): void;
  /** lease is undefined if there is no leader. */
  lease: Lease | undefined;
  now(): number;
  /** after calls a function later unless it is cancelled. */
  after(ms: number, run: () => void): () => void;
  visible(): boolean;
  focused(): boolean;
}

export interface Role {
  /** lead is called when this tab becomes the leader. */
  lead(): void;
  /** follow is called when another tab does. */
  follow(): void;
  receive(m: Data, from: string): void;
}

/** The following times are in milliseconds. */
const LEASE = 120_000; // without a sign of life; a hidden page renews it with each response to a poll
const RENEWAL = 10_000;
const START = 700; // a new page waits for the leader
const LOADING = 15_000; // a leader that young may be busy with its own start
const START_LOADING = 3_000;
const SILENCE = 5_000; // before a tab asks whether the leader lives
const ANSWER = 2_500;
const HEIR = 1_500; // before another tab takes over instead of the heir
const FOCUS = 45_000; // before a focused tab that has not said so again counts as closed
const REFOCUS = 20_000;

/**
 * Tabs elects one of the tabs as the leader. Browsers delay the timers of hidden pages by up to a minute, but not their
 * messages: the leader therefore does not prove with a timer that it lives, but answers when a tab asks, and a leader
 * that leaves names its heir. If two tabs lead for a moment, the one with the higher term, then the higher name, stays.
 */
export class Tabs {
  leads = false;
  private wire: Wire;
  private role: Role;
  private term = 0;
  private leader = '';
  private heard = 0;
  private left = true;
  private synced = false;
  /** peers says which of the other tabs are up to date and could lead, and whether they are visible. */
  private peers = new Map<string, boolean>();
  /** focused holds the tabs that have the focus, and until when that is certain. */
  private focused = new Map<string, number>();
  private refocused = 0;
  private cancelClaim: (() => void) | undefined;
  private cancelWatch: (() => void) | undefined;

  constructor(wire: Wire, role: Role) {
    this.wire = wire;
    this.role = role;
    wire.listen((m) => this.received(m));
  }

  get owner(): string {
    return this.wire.owner;
  }

  now(): number {
    return this.wire.now();
  }

  /** join makes this tab a follower, or the leader if there is none. */
  join(): void {
    this.left = false;
    this.leader = '';
    this.term = 0;
    this.checkLeader();
    this.focus();
    const lease = this.wire.lease;
    this.term = lease?.term ?? 0;
    const age = Math.abs(this.wire.now() - (lease?.at ?? 0));
    if (!lease || age > LEASE) {
      this.claim();
      return;
    }
    this.control({ type: 'ping' });
    this.claimAfter(age < LOADING ? START_LOADING : START);
  }

  /**
   * leave is called when the page is closed, frozen or kept in the browser's history. join may follow. The next leader
   * receives what legacy returns.
   */
  leave(legacy?: () => Data): void {
    if (this.left) return;
    this.left = true;
    this.cancelClaim?.();
    this.cancelWatch?.();
    if (this.leads) {
      this.leads = false;
      const all = [...this.peers];
      const heir = (all.find(([, visible]) => visible) ?? all[0])?.[0];
      const held = this.holdsLease;
      if (held) this.wire.lease = heir ? { term: this.term + 1, tab: heir, at: this.wire.now() } : undefined;
      this.control({ type: 'bye', term: this.term, ...(heir ? { heir } : {}) });
      if (heir && legacy) this.wire.post({ ...legacy(), tab: this.wire.tab }, heir);
    } else this.control({ type: 'gone' });
  }

  /** post sends data to all tabs, or to one. */
  post(m: Data, to?: string): void {
    if (!this.left) this.wire.post({ ...m, tab: this.wire.tab }, to);
  }

  /** postToLeader sends data to the leader, if it is another tab. */
  postToLeader(m: Data): void {
    if (!this.leads && this.leader !== '') this.post(m, this.leader);
  }

  /** hasPeers reports whether there are other tabs that follow. */
  get hasPeers(): boolean {
    return this.peers.size > 0;
  }

  /** here announces that this tab is up to date and could lead. */
  here(): void {
    this.synced = true;
    this.control({ type: 'here', visible: this.wire.visible() });
  }

  /** confirm reports whether this tab still leads, and renews the lease. Another may lead since this one was frozen. */
  confirm(): boolean {
    const lease = this.wire.lease;
    const now = this.wire.now();
    if (this.leads && lease && lease.tab !== this.wire.tab && lease.term > this.term) {
      this.demote(lease.term, lease.tab);
      this.control({ type: 'ping' });
      this.claimAfter(ANSWER);
    }
    if (this.leads && (lease?.tab !== this.wire.tab || Math.abs(now - lease.at) > RENEWAL)) {
      this.wire.lease = { term: this.term, tab: this.wire.tab, at: now };
    }
    return this.leads;
  }

  /** assert tells other leaders to step down, or learns from their answer. */
  assert(): void {
    if (this.leads) this.control({ type: 'lead', term: this.term });
  }

  /** announces reports whether this tab should notify the user: only the leader does, unless some tab has the focus. */
  get announces(): boolean {
    const now = this.wire.now();
    return this.leads && ![...this.focused.values()].some((until) => until > now && until <= now + FOCUS);
  }

  /** focus is called when this tab may have gained or lost the focus, or its visibility has changed. */
  focus(): void {
    if (this.left) return;
    this.refocused = this.wire.now();
    this.control({ type: 'focus', on: this.wire.focused() });
    if (this.synced && !this.leads) this.here();
  }

  private control(m: Control): void {
    this.wire.post({ ...m, tab: this.wire.tab });
  }

  private get holdsLease(): boolean {
    const lease = this.wire.lease;
    return !lease || lease.tab === this.wire.tab;
  }

  private claim(): void {
    this.cancelClaim?.();
    this.cancelClaim = undefined;
    this.term = Math.max(this.term, this.wire.lease?.term ?? 0) + 1;
    this.leader = this.wire.tab;
    this.leads = true;
    this.peers.clear();
    this.wire.lease = { term: this.term, tab: this.wire.tab, at: this.wire.now() };
    this.assert();
    this.role.lead();
  }

  private claimAfter(ms: number): void {
    this.cancelClaim?.();
    this.cancelClaim = this.wire.after(ms, () => {
      this.cancelClaim = undefined;
      if (!this.leads && !this.left) this.claim();
    });
  }

  /** checkLeader asks a silent leader whether it lives, again and again. */
  private checkLeader(): void {
    this.cancelWatch?.();
    this.cancelWatch = this.wire.after(SILENCE, () => {
      if (this.left) return;
      const now = this.wire.now();
      if (this.wire.focused() && Math.abs(now - this.refocused) >= REFOCUS) this.focus();
      if (!this.leads && !this.cancelClaim && Math.abs(now - this.heard) >= SILENCE) {
        this.control({ type: 'ping' });
        this.claimAfter(ANSWER);
      }
      this.checkLeader();
    });
  }

  private demote(term: number, leader: string): void {
    const led = this.leads;
    this.leads = false;
    this.term = term;
    this.leader = leader;
    if (led) this.peers.clear();
    this.focus(); // the new leader does not know who has the focus, and who could be its heir
    this.role.follow();
  }

  private received(m: TabMessage): void {
    if (this.left) return;
    if (m.tab === this.leader) this.sign();
    switch (m.type) {
      case 'lead':
        if (m.tab === this.leader && m.term === this.term) return;
        if (m.term > this.term || (m.term === this.term && (this.leader === '' || m.tab > this.leader))) {
          this.sign();
          this.demote(m.term, m.tab);
        } else if (this.leads) this.assert();
        return;
      case 'bye':
        this.forget(m.tab);
        if (m.tab !== this.leader) return;
        this.term = m.term;
        this.leader = '';
        if (m.heir === this.wire.tab) this.claim();
        else this.claimAfter(HEIR);
        return;
      case 'ping':
        if (this.leads) this.assert();
        return;
      case 'here':
        this.peers.set(m.tab, m.visible);
        return;
      case 'gone':
        this.forget(m.tab);
        return;
      case 'focus':
        if (m.on) this.focused.set(m.tab, this.wire.now() + FOCUS);
        else this.focused.delete(m.tab);
        return;
      case 'hello':
      case 'retry':
      case 'read':
        this.role.receive(m, m.tab);
        return;
      default:
        if (m.tab === this.leader) this.role.receive(m, m.tab);
    }
  }

  /** sign notes a sign of life of the leader. */
  private sign(): void {
    this.heard = this.wire.now();
    this.cancelClaim?.();
    this.cancelClaim = undefined;
  }

  private forget(tab: string): void {
    this.peers.delete(tab);
    this.focused.delete(tab);
  }
}
