import { isKnown, type RawEvent } from '../api/events.ts';
import type { Message, Snapshot } from '../api/types.ts';
import type { Narrow } from './narrow.ts';
import { ownerOf } from './owner.ts';
import type { Vault } from './vault.ts';

export interface SavedList {
  narrow: Narrow;
  ids: number[];
  foundOldest: boolean;
  foundNewest: boolean;
}

/** SavedState is the state with which a page starts if it cannot reach the server. */
export interface SavedState {
  at: number;
  snapshot: Snapshot;
  events: RawEvent[];
  lists: SavedList[];
  messages: Message[];
}

/** Gone reports whether a message, or with the ID 0 a whole channel, must not be kept. */
type Gone = (id: number, channel: number | undefined) => boolean;

type Recent = Omit<SavedState, 'snapshot'>;

const MAX_EVENTS = 2000;
const MAX_CHARACTERS = 8_000_000; // of a snapshot; larger ones are not saved
const MAX_PAGES = 2; // whose state is saved
const SNAPSHOT_DELAY = 4_000; // milliseconds after a registration
const FLUSH_INTERVAL = 20_000; // milliseconds

/** irrelevant lists the event types that are irrelevant to an offline page. */
const irrelevant = new Set(['presence', 'typing', 'typing_edit_message', 'heartbeat']);

/**
 * Offline saves the last known state in the browser: the registration, the events after it, and the messages of the
 * open lists. Of the tabs that share a queue, only the leader saves. Each page saves under its user and the name of the
 * event queue with which it registered; the most recent state of the user is
 * restored. States belong to the user of the browser's session: they are neither shown to anybody else nor kept once
 * another user has registered.
 */
export class Offline {
  private vault: Vault | undefined;
  private now: () => number;
  private recent: () => Pick<SavedState, 'lists' | 'messages'>;
  /** current returns the user of the browser's session, or undefined if there is none. */
  private current: () => string | undefined;
  /** leads reports whether this page saves for all tabs that share its queue. */
  private leads: () => boolean;
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
    recent: () => Pick<SavedState, 'lists' | 'messages'>,
    current: () => string | undefined,
    leads: () => boolean,
  ) {
    this.vault = vault;
    this.now = now;
    this.recent = recent;
    this.current = current;
    this.leads = leads;
  }

  registered(s: Snapshot): void {
    if (!this.vault) return;
    clearTimeout(this.snapshotTimer);
    this.owner = ownerOf(s);
    this.queue = s.queue_id;
    this.events = [];
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
    if (!s || !this.leads() || this.queue !== s.queue_id || this.current() !== this.owner) return;
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

  /** purge deletes messages at once from what this and earlier pages have saved. */
  async purge(gone: Gone): Promise<void> {
    const keep = (e: RawEvent) => !concerns(e, gone);
    this.events = this.events.filter(keep);
    this.changed = true;
    await this.flush();
    if (this.owner === '' || this.current() !== this.owner) return;
    for (const { queue, recent } of await this.all()) {
      if (queue === this.queue) continue;
      const messages = recent.messages.filter((m) => !gone(m.id, m.stream_id));
      const events = recent.events.filter(keep);
      const lists = recent.lists.filter((l) => !inside(l.narrow, gone));
      await this.vault!.set(this.name('recent', queue), JSON.stringify({ ...recent, messages, events, lists }));
    }
  }

  /** flush saves changes. It is also called before the page is unloaded. */
  async flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (!this.vault || !this.saved || !this.changed || !this.leads() || this.current() !== this.owner) return;
    this.changed = false;
    const recent: Recent = { at: this.now(), events: this.events, ...this.recent() };
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

function inside(n: Narrow, gone: Gone): boolean {
  return (n.kind === 'channel' || n.kind === 'topic') && gone(0, n.channel);
}
