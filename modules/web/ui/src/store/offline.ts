import type { Message, ServerEvent, Snapshot } from '../api/types.ts';
import type { Narrow } from './narrow.ts';
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
  events: ServerEvent[];
  lists: SavedList[];
  messages: Message[];
}

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
 * open lists. Each page saves under the name of its event queue; the most recent one is restored.
 */
export class Offline {
  private vault: Vault | undefined;
  private now: () => number;
  private recent: () => Pick<SavedState, 'lists' | 'messages'>;
  private queue = '';
  private events: ServerEvent[] = [];
  private full = false;
  private changed = false;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(vault: Vault | undefined, now: () => number, recent: () => Pick<SavedState, 'lists' | 'messages'>) {
    this.vault = vault;
    this.now = now;
    this.recent = recent;
  }

  registered(s: Snapshot): void {
    if (!this.vault) return;
    clearTimeout(this.timer);
    this.queue = s.queue_id;
    this.events = [];
    this.full = false;
    this.changed = true;
    this.timer = setTimeout(() => void this.write(s), SNAPSHOT_DELAY);
  }

  private async write(s: Snapshot): Promise<void> {
    const text = JSON.stringify(s);
    const queue = this.queue;
    if (text.length > MAX_CHARACTERS) {
      this.queue = '';
      return;
    }
    await this.vault!.set(`snapshot ${queue}`, text);
    await this.flush();
    await this.prune(queue);
  }

  event(e: ServerEvent): void {
    if (this.queue === '' || this.full || irrelevant.has(e.type)) return;
    this.events.push(e);
    this.changed = true;
    this.full = this.events.length >= MAX_EVENTS;
    this.timer ??= setTimeout(() => void this.flush(), FLUSH_INTERVAL);
  }

  /** flush saves changes. It is also called before the page is unloaded. */
  async flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (!this.vault || this.queue === '' || !this.changed) return;
    this.changed = false;
    const recent: Recent = { at: this.now(), events: this.events, ...this.recent() };
    await this.vault.set(`recent ${this.queue}`, JSON.stringify(recent));
  }

  private async prune(queue: string): Promise<void> {
    const found = await this.all();
    const others = found.filter((f) => f.queue !== queue).slice(MAX_PAGES - 1);
    for (const { queue: q } of others) {
      await this.vault!.remove(`snapshot ${q}`);
      await this.vault!.remove(`recent ${q}`);
    }
  }

  /** all returns the saved states, most recent first. */
  private async all(): Promise<{ queue: string; recent: Recent }[]> {
    const found: { queue: string; recent: Recent }[] = [];
    for (const name of (await this.vault?.names()) ?? []) {
      const queue = /^recent (.+)$/.exec(name)?.[1];
      const text = queue && (await this.vault!.get<string>(name));
      if (queue && text) found.push({ queue, recent: JSON.parse(text) as Recent });
    }
    return found.sort((a, b) => b.recent.at - a.recent.at);
  }

  async restore(): Promise<SavedState | undefined> {
    const [last] = await this.all();
    const text = last && (await this.vault!.get<string>(`snapshot ${last.queue}`));
    return last && text ? { ...last.recent, snapshot: JSON.parse(text) as Snapshot } : undefined;
  }

  /** forget deletes everything and stops saving, for a logout. */
  async forget(): Promise<void> {
    clearTimeout(this.timer);
    this.queue = '';
    for (const name of (await this.vault?.names()) ?? []) await this.vault!.remove(name);
  }
}
