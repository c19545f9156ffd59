import type { EventOfType } from '../api/events.ts';
import type { Http } from '../api/http.ts';
import { ApiError } from '../api/http.ts';
import type { Draft, Snapshot } from '../api/types.ts';
import { CellMap } from './cell.ts';
import { key, people, type Conversation } from './narrow.ts';
import type { Storage } from './storage.ts';

/** Writing is the text in a compose box. slot names the view in which it was started. */
export interface Writing {
  slot: string;
  to: Conversation | undefined;
  content: string;
  timestamp: number;
  draft?: number;
  /** tab identifies the browser tab. Several tabs can write in the same slot. */
  tab?: string;
}

const STORED = 'writings';
const DELAY = 1500; // milliseconds
const MAX_KEPT = 50;
/** TAB_TIMEOUT is the number of seconds after which the tab that wrote a text counts as closed. */
const TAB_TIMEOUT = 60;

/**
 * Drafts saves unsent text: immediately in the browser, and shortly afterwards as a draft on the server for other
 * devices.
 */
export class Drafts {
  readonly byID = new CellMap<number, Draft>();
  private http: Http;
  private storage: Storage;
  private now: () => number;
  private writings = new Map<string, Writing>();
  private timers = new Map<string, ReturnType<typeof setTimeout>>();
  private busy = new Map<string, Promise<void>>();
  /** touched holds the slots that this tab has written. Those of other tabs are left alone. */
  private touched = new Set<string>();
  private synced = true;
  private me = 0;
  private session: Storage;
  private tab = '';

  constructor(http: Http, storage: Storage, session: Storage, now: () => number) {
    this.http = http;
    this.storage = storage;
    this.session = session;
    this.now = now;
  }

  restore(): void {
    this.tab = this.session.get<string>('tab') ?? Math.random().toString(36).slice(2);
    this.session.set('tab', this.tab);
    for (const w of this.stored()) this.adopt(w);
    this.planUploads();
  }

  private stored(): Writing[] {
    return this.storage.get<Writing[]>(STORED) ?? [];
  }

  /** adopt restores a stored text. If its slot is occupied and its tab is closed, it becomes a separate draft. */
  private adopt(w: Writing): void {
    const known = this.writings.get(w.slot);
    if (!known || w.tab === this.tab) {
      if (known) this.splitOff(known);
      this.writings.set(w.slot, w);
    } else this.splitOff(w);
  }

  private splitOff(w: Writing): void {
    if (Math.floor(this.now() / 1000) - w.timestamp < TAB_TIMEOUT) return;
    const slot = `${w.slot}#${w.tab}`;
    this.storage.set(
      STORED,
      this.stored().filter((o) => o.slot !== w.slot || o.tab !== w.tab),
    );
    this.touched.add(slot);
    this.writings.set(slot, { ...w, slot, tab: this.tab });
    this.save();
  }

  /** planUploads schedules the upload of texts that an earlier or offline page did not bring to the server. */
  private planUploads(): void {
    for (const w of this.writings.values()) {
      if (w.draft !== undefined && !this.byID.has(w.draft)) delete w.draft;
      if (w.content !== '' && this.byID.get(w.draft ?? 0)?.content !== w.content.trim()) this.plan(w.slot);
    }
  }

  reset(s: Snapshot): void {
    this.me = s.user_id;
    this.byID.replace(s.drafts.map((d) => [d.id, d]));
    this.synced = s.user_settings.enable_drafts_synchronization !== false;
    this.planUploads();
  }

  /** list returns the drafts of all devices, most recently edited first. */
  list(): Draft[] {
    return [...this.byID.values()].sort((a, b) => b.timestamp - a.timestamp || b.id - a.id);
  }

  conversation(d: Draft): Conversation | undefined {
    if (d.type === 'stream' && d.to[0] !== undefined) return { kind: 'topic', channel: d.to[0], topic: d.topic };
    return d.type === 'private' && d.to.length > 0 ? { kind: 'dm', users: people(d.to, this.me) } : undefined;
  }

  /** open returns the unsent text of a slot, from this browser or from another device's draft. */
  open(slot: string, to: Conversation | undefined): Writing {
    const known = this.touched.has(slot) ? this.writings.get(slot) : this.reload(slot);
    if (known && known.content !== '') return known;
    const match =
      to &&
      this.list().find((d) => {
        const c = this.conversation(d);
        return c !== undefined && key(c) === key(to);
      });
    if (match) {
      const w: Writing = { slot, to, content: match.content, timestamp: match.timestamp, draft: match.id };
      this.writings.set(slot, w);
      return w;
    }
    return { slot, to, content: '', timestamp: 0 };
  }

  /** reload reloads a slot from storage: another tab may have edited or sent its text. */
  private reload(slot: string): Writing | undefined {
    const found = this.storedIn(slot);
    const known = this.writings.get(slot);
    if (found) this.writings.set(slot, found);
    else if (!this.byID.has(known?.draft ?? 0)) this.writings.delete(slot);
    return this.writings.get(slot);
  }

  write(slot: string, to: Conversation | undefined, content: string): void {
    const known = this.writings.get(slot);
    if (!known && content === '') return;
    if (known && known.content === content && JSON.stringify(known.to) === JSON.stringify(to)) return;
    const next: Writing = { ...known, slot, to, content, timestamp: Math.floor(this.now() / 1000) };
    next.tab = this.tab;
    if (this.writtenElsewhere(slot, known?.content ?? '')) delete next.draft;
    this.writings.delete(slot);
    this.writings.set(slot, next);
    this.touched.add(slot);
    this.save();
    this.plan(slot);
  }

  /** storedIn returns the stored text of a slot: this tab's own, or else the latest from another tab. */
  private storedIn(slot: string): Writing | undefined {
    const all = this.stored().filter((w) => w.slot === slot);
    return all.find((w) => w.tab === this.tab) ?? all.sort((a, b) => b.timestamp - a.timestamp)[0];
  }

  /**
   * writtenElsewhere reports whether another tab is writing in the slot as well. Each tab then has a separate draft.
   */
  private writtenElsewhere(slot: string, content: string): boolean {
    const found = this.storedIn(slot);
    if (!found || found.tab === this.tab) return false;
    if (this.touched.has(slot) || found.content !== content) return true;
    // The other tab's text is unchanged: this tab takes it over.
    this.storage.set(
      STORED,
      this.stored().filter((w) => w.slot !== slot || w.tab !== found.tab),
    );
    return false;
  }

  private save(): void {
    const others = this.stored().filter((w) => w.tab !== this.tab || !this.touched.has(w.slot));
    const own = [...this.writings.values()].filter((w) => w.content !== '' && this.touched.has(w.slot));
    this.storage.set(STORED, [...others, ...own].slice(-MAX_KEPT));
  }

  private plan(slot: string): void {
    clearTimeout(this.timers.get(slot));
    if (!this.synced) return;
    this.timers.set(
      slot,
      setTimeout(() => void this.sync(slot), DELAY),
    );
  }

  /** sync uploads a slot. Requests for a slot run one after the other, so that no draft is created twice. */
  async sync(slot: string): Promise<void> {
    clearTimeout(this.timers.get(slot));
    this.timers.delete(slot);
    const before = this.busy.get(slot) ?? Promise.resolve();
    const running = before
      .then(() => this.push(slot))
      .catch((e: unknown) => {
        if (!(e instanceof ApiError)) throw e;
        if (e.unanswered) this.plan(slot);
      });
    this.busy.set(slot, running);
    await running;
    if (this.busy.get(slot) === running) this.busy.delete(slot);
  }

  private async push(slot: string): Promise<void> {
    const w = this.writings.get(slot);
    if (!w) return;
    if (w.content.trim() === '') {
      this.writings.delete(slot);
      if (w.draft !== undefined) await this.remove(w.draft);
      return;
    }
    const body = {
      type: w.to === undefined ? '' : w.to.kind === 'topic' ? 'stream' : 'private',
      to: w.to === undefined ? [] : w.to.kind === 'topic' ? [w.to.channel] : w.to.users,
      topic: w.to?.kind === 'topic' ? w.to.topic : '',
      content: w.content,
      timestamp: w.timestamp,
    };
    if (w.draft !== undefined) {
      try {
        await this.http.call('PATCH', `/drafts/${w.draft}`, { draft: body });
        return;
      } catch (e) {
        if (!(e instanceof ApiError) || e.status !== 404) throw e;
      }
    }
    const answer = await this.http.call<{ ids: number[] }>('POST', '/drafts', { drafts: [body] });
    const now = this.writings.get(slot);
    if (now) now.draft = answer.ids[0]!;
    else await this.remove(answer.ids[0]!); // the message was sent in the meantime
    this.save();
  }

  /** rename moves the unsent text to another slot when a topic moves. */
  rename(slot: string, next: string, to: Conversation): void {
    const content = this.writings.get(slot)?.content ?? '';
    if (slot === next || content === '' || this.open(next, to).content !== '') return;
    this.write(next, to, content);
    this.sent(slot);
  }

  /** sent clears a slot after its text was sent. */
  sent(slot: string): void {
    const w = this.writings.get(slot);
    this.writtenElsewhere(slot, w?.content ?? '');
    this.writings.delete(slot);
    this.touched.add(slot);
    clearTimeout(this.timers.get(slot));
    this.timers.delete(slot);
    this.save();
    if (w?.draft !== undefined) void this.remove(w.draft).catch(() => undefined);
  }

  async remove(id: number): Promise<void> {
    this.byID.delete(id);
    for (const [slot, w] of this.writings) if (w.draft === id && w.content === '') this.writings.delete(slot);
    try {
      await this.http.call('DELETE', `/drafts/${id}`);
    } catch (e) {
      if (!(e instanceof ApiError) || e.status !== 404) throw e;
    }
  }

  /** discard deletes a draft and clears the slot that shows it. */
  async discard(id: number): Promise<void> {
    for (const [slot, w] of this.writings) {
      if (w.draft !== id) continue;
      this.writtenElsewhere(slot, w.content);
      this.writings.delete(slot);
      this.touched.add(slot);
    }
    this.save();
    await this.remove(id);
  }

  /** recreate creates a discarded draft again. */
  recreate({ type, to, topic, content, timestamp }: Draft): Promise<unknown> {
    return this.http.call('POST', '/drafts', { drafts: [{ type, to, topic, content, timestamp }] });
  }

  apply(e: EventOfType<'drafts'>): void {
    if (e.op === 'add') for (const d of e.drafts) this.byID.set(d.id, d);
    if (e.op === 'update') this.byID.set(e.draft.id, e.draft);
    if (e.op === 'remove') {
      this.byID.delete(e.draft_id);
      for (const w of this.writings.values()) if (w.draft === e.draft_id) delete w.draft;
    }
  }
}
