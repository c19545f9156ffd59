import { isKnown, type RawEvent } from '../api/events.ts';
import type { Message, Snapshot } from '../api/types.ts';
import { key, type Narrow } from './narrow.ts';
import { ownerOf } from './owner.ts';
import type { Vault } from './vault.ts';

export interface SavedList {
  narrow: Narrow;
  ids: number[];
  foundOldest: boolean;
  foundNewest: boolean;
}

/** WasRead is what was read: the lists that were opened, with their messages. The most recent come last. */
export interface WasRead {
  lists: SavedList[];
  messages: Message[];
}

/** Sharing connects the page with others that share its queue. */
interface Sharing {
  /** leads reports whether this page saves for all. */
  readonly leads: boolean;
  /** passOn sends what was read to the page that saves it. */
  passOn(what: WasRead): void;
}

/** SavedState is the state with which a page starts if it cannot reach the server. */
export interface SavedState extends WasRead {
  at: number;
  snapshot: Snapshot;
  events: RawEvent[];
}

/** Gone reports whether a message, or with the ID 0 a whole channel, must not be kept. */
type Gone = (id: number, channel: number | undefined) => boolean;

type Recent = Omit<SavedState, 'snapshot'>;

const MAX_EVENTS = 2000;
const MAX_CHARACTERS = 8_000_000; // of a snapshot; larger ones are not saved
const MAX_PAGES = 2; // whose state is saved
const MAX_LISTS = 24; // of all tabs
const SNAPSHOT_DELAY = 4_000; // milliseconds after a registration
const FLUSH_INTERVAL = 20_000; // milliseconds

/** irrelevant lists the event types that are irrelevant to an offline page. */
const irrelevant = new Set(['presence', 'typing', 'typing_edit_message', 'heartbeat']);

/**
 * Offline saves the last known state in the browser: the registration, the events after it, and the messages of the
 * open lists. Of the tabs that share a queue, only the leader saves, and the others pass on to it what was read in
 * them. Each page saves under its user and the name of the event queue with which it registered; the most recent state
 * of the user is restored. States belong to the user of the browser's session: they are neither shown to anybody else
 * nor kept once another user has registered.
 */
export class Offline {
  private vault: Vault | undefined;
  private now: () => number;
  private recent: () => WasRead;
  /** current returns the user of the browser's session, or undefined if there is none. */
  private current: () => string | undefined;
  private sharing: Sharing;
  /** elsewhere is what was read in other tabs. */
  private elsewhere: WasRead = { lists: [], messages: [] };
  /** unsaved is the registration until it is saved. */
  private unsaved: Snapshot | undefined;
  private owner = '';
  private queue = '';
  private events: RawEvent[] = [];
  private full = false;
  private changed = false;
  /** saved is true once the snapshot has been saved, without which the rest is useless. */
  private saved = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private snapshotTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    vault: Vault | undefined,
    now: () => number,
    recent: () => WasRead,
    current: () => string | undefined,
    sharing: Sharing,
  ) {
    this.vault = vault;
    this.now = now;
    this.recent = recent;
    this.current = current;
    this.sharing = sharing;
  }

  registered(s: Snapshot): void {
    if (!this.vault) return;
    clearTimeout(this.snapshotTimer);
    this.owner = ownerOf(s);
    this.queue = s.queue_id;
    this.events = [];
    this.elsewhere = { lists: [], messages: [] };
    this.full = false;
    this.changed = true;
    this.saved = false;
    this.unsaved = s;
    void this.keep((name) => name.startsWith(`${this.owner} `));
    this.led();
  }

  /** led is called when this page starts to save for all tabs. */
  led(): void {
    clearTimeout(this.snapshotTimer);
    this.snapshotTimer = setTimeout(() => void this.write(), SNAPSHOT_DELAY);
  }

  /** keep deletes everything except the names for which wanted is true. */
  private async keep(wanted: (name: string) => boolean): Promise<void> {
    for (const name of (await this.vault?.names()) ?? []) if (!wanted(name)) await this.vault!.remove(name);
  }

  private name(part: 'snapshot' | 'recent', queue: string): string {
    return `${this.owner} ${part} ${queue}`;
  }

  private async write(): Promise<void> {
    const s = this.unsaved;
    if (!s || !this.sharing.leads || this.queue !== s.queue_id || this.current() !== this.owner) return;
    this.unsaved = undefined;
    const text = JSON.stringify(s);
    if (text.length > MAX_CHARACTERS) {
      await this.forget(); // what an earlier page saved is outdated
      return;
    }
    await this.vault!.set(this.name('snapshot', s.queue_id), text);
    this.saved = this.queue === s.queue_id;
    await this.flush();
    await this.prune(s.queue_id);
  }

  event(e: RawEvent): void {
    if (this.queue === '' || this.full || irrelevant.has(e.type)) return;
    this.events.push(e);
    this.full = this.events.length >= MAX_EVENTS;
    this.read();
  }

  /** read is called when the lists have changed, because there are new messages or the user has opened others. */
  read(): void {
    if (this.queue === '') return;
    this.changed = true;
    this.timer ??= setTimeout(() => void this.flush(), FLUSH_INTERVAL);
  }

  /** readElsewhere is called with what was read in another tab. */
  readElsewhere(what: WasRead): void {
    this.elsewhere = merged(what, this.elsewhere);
    this.read();
  }

  /** wasRead returns what was read in this tab and others. */
  wasRead(): WasRead {
    return merged(this.recent(), this.elsewhere);
  }

  /** purge deletes messages at once from what this and earlier pages have saved. */
  async purge(gone: Gone): Promise<void> {
    const keep = (e: RawEvent) => !concerns(e, gone);
    this.events = this.events.filter(keep);
    this.elsewhere = without(this.elsewhere, gone);
    this.changed = true;
    await this.flush();
    if (this.owner === '' || this.current() !== this.owner) return;
    for (const { queue, recent } of await this.all()) {
      if (queue === this.queue) continue;
      const kept: Recent = { at: recent.at, events: recent.events.filter(keep), ...without(recent, gone) };
      await this.vault!.set(this.name('recent', queue), JSON.stringify(kept));
    }
  }

  /** flush saves changes. It is also called before the page is unloaded. */
  async flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (!this.vault || !this.changed || this.current() !== this.owner) return;
    if (!this.sharing.leads) {
      this.changed = false;
      this.sharing.passOn(this.wasRead());
      return;
    }
    if (!this.saved) return;
    this.changed = false;
    const recent: Recent = { at: this.now(), events: this.events, ...this.wasRead() };
    await this.vault.set(this.name('recent', this.queue), JSON.stringify(recent));
  }

  private async prune(queue: string): Promise<void> {
    const found = await this.all();
    const others = found.filter((f) => f.queue !== queue).slice(MAX_PAGES - 1);
    for (const { queue: q } of others) {
      await this.vault!.remove(this.name('snapshot', q));
      await this.vault!.remove(this.name('recent', q));
    }
  }

  /** all returns the saved states of the owner, most recent first. */
  private async all(): Promise<{ queue: string; recent: Recent }[]> {
    const found: { queue: string; recent: Recent }[] = [];
    const prefix = this.name('recent', '');
    for (const name of (await this.vault?.names()) ?? []) {
      const text = name.startsWith(prefix) && (await this.vault!.get<string>(name));
      if (text) found.push({ queue: name.slice(prefix.length), recent: JSON.parse(text) });
    }
    return found.sort((a, b) => b.recent.at - a.recent.at);
  }

  /** restore returns the last state of the user of the browser's session. Without a session, it deletes everything. */
  async restore(): Promise<SavedState | undefined> {
    const owner = this.current();
    if (owner === undefined) {
      await this.forget();
      return undefined;
    }
    this.owner = owner;
    const [last] = await this.all();
    const text = last && (await this.vault!.get<string>(this.name('snapshot', last.queue)));
    if (!text || this.current() !== owner) return undefined;
    const snapshot: Snapshot = JSON.parse(text);
    return ownerOf(snapshot) === owner ? { ...last.recent, snapshot } : undefined;
  }

  /** forget deletes everything and stops saving, because the session is over. */
  async forget(): Promise<void> {
    clearTimeout(this.snapshotTimer);
    clearTimeout(this.timer);
    this.timer = undefined;
    this.queue = '';
    this.saved = false;
    this.unsaved = undefined;
    await this.keep(() => false);
  }
}

/** concerns reports whether an event contains one of the messages, or names a topic among them. */
function concerns(e: RawEvent, gone: Gone): boolean {
  if (!isKnown(e)) return false;
  switch (e.type) {
    case 'message':
      return gone(e.message.id, e.message.stream_id);
    case 'update_message':
      return gone(e.message_id, e.stream_id);
    case 'delete_message':
      return e.message_type === 'stream' && gone(0, e.stream_id);
    case 'user_topic':
      return gone(0, e.stream_id);
    default:
      return false;
  }
}

/** merged returns what two tabs have read. Of a list that both have, it contains the former's version. */
function merged(a: WasRead, b: WasRead): WasRead {
  const own = new Set(a.lists.map((l) => key(l.narrow)));
  const lists = [...b.lists.filter((l) => !own.has(key(l.narrow))), ...a.lists].slice(-MAX_LISTS);
  const shown = new Set(lists.flatMap((l) => l.ids));
  const messages = new Map([...b.messages, ...a.messages].map((m) => [m.id, m]));
  return { lists, messages: [...messages.values()].filter((m) => shown.has(m.id)) };
}

function without(read: WasRead, gone: Gone): WasRead {
  return {
    lists: read.lists.filter((l) => !inside(l.narrow, gone)),
    messages: read.messages.filter((m) => !gone(m.id, m.stream_id)),
  };
}

function inside(n: Narrow, gone: Gone): boolean {
  return (n.kind === 'channel' || n.kind === 'topic') && gone(0, n.channel);
}
