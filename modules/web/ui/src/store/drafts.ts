import type { Http } from '../api/http.ts';
import { ApiError } from '../api/http.ts';
import type { Draft, ServerEvent, Snapshot } from '../api/types.ts';
import { Cell } from './cell.ts';
import { key, people, type Conversation } from './narrow.ts';
import type { Storage } from './storage.ts';

/** Writing is what stands in a compose box. Its slot is the view in which it was begun. */
export interface Writing {
  slot: string;
  to: Conversation | undefined;
  content: string;
  timestamp: number;
  draft?: number;
  /** tab tells tabs apart, which may write in the same slot. */
  tab?: string;
}

const STORED = 'writings';
const DELAY = 1500;
const MAX_KEPT = 50;
/** ABANDONED is after how many seconds the tab that wrote something is taken to be gone. */
const ABANDONED = 60;

/** Drafts keeps what is being written: at once in the browser, and a moment later on the server, for other devices. */
export class Drafts {
  readonly changed = new Cell();
  byID = new Map<number, Draft>();
  private http: Http;
  private storage: Storage;
  private now: () => number;
  private writings = new Map<string, Writing>();
  private timers = new Map<string, ReturnType<typeof setTimeout>>();
  private busy = new Map<string, Promise<void>>();
  /** touched are the slots of this page; those of other tabs are left as they are. */
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
    for (const w of this.stored()) this.take(w);
    this.compare();
  }

  private stored(): Writing[] {
    return this.storage.get<Writing[]>(STORED) ?? [];
  }

  /** take takes over what was kept. What a tab that is gone wrote in a slot that is taken becomes a draft of its own. */
  private take(w: Writing): void {
    const known = this.writings.get(w.slot);
    if (!known || w.tab === this.tab) {
      if (known) this.part(known);
      this.writings.set(w.slot, w);
    } else this.part(w);
  }

  private part(w: Writing): void {
    if (Math.floor(this.now() / 1000) - w.timestamp < ABANDONED) return;
    const slot = `${w.slot}#${w.tab}`;
    this.storage.set(
      STORED,
      this.stored().filter((o) => o.slot !== w.slot || o.tab !== w.tab),
    );
    this.touched.add(slot);
    this.writings.set(slot, { ...w, slot, tab: this.tab });
    this.save();
  }

  /** compare finds what an earlier page, or one without a connection, could not bring to the server. */
  private compare(): void {
    for (const w of this.writings.values()) {
      if (w.draft !== undefined && !this.byID.has(w.draft)) delete w.draft;
      if (w.content !== '' && this.byID.get(w.draft ?? 0)?.content !== w.content.trim()) this.plan(w.slot);
    }
    this.changed.touch();
  }

  reset(s: Snapshot): void {
    this.me = s.user_id;
    this.byID = new Map(s.drafts.map((d) => [d.id, d]));
    this.synced = s.user_settings.enable_drafts_synchronization !== false;
    this.compare();
  }

  /** list returns the drafts of all devices, those edited last first. */
  list(): Draft[] {
    return [...this.byID.values()].sort((a, b) => b.timestamp - a.timestamp || b.id - a.id);
  }

  conversation(d: Draft): Conversation | undefined {
    if (d.type === 'stream' && d.to[0] !== undefined) return { kind: 'topic', channel: d.to[0], topic: d.topic };
    return d.type === 'private' && d.to.length > 0 ? { kind: 'dm', users: people(d.to, this.me) } : undefined;
  }

  /** open returns what was being written in a slot, here or on another device. */
  open(slot: string, to: Conversation | undefined): Writing {
    const known = this.touched.has(slot) ? this.writings.get(slot) : this.fresh(slot);
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

  /** fresh looks again for what stands in a slot: another tab may have written in it, or sent it. */
  private fresh(slot: string): Writing | undefined {
    const kept = this.kept(slot);
    const known = this.writings.get(slot);
    if (kept) this.writings.set(slot, kept);
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

  /** kept is what is kept of a slot: what this tab wrote in it, or else what another one wrote last. */
  private kept(slot: string): Writing | undefined {
    const all = this.stored().filter((w) => w.slot === slot);
    return all.find((w) => w.tab === this.tab) ?? all.sort((a, b) => b.timestamp - a.timestamp)[0];
  }

  /** writtenElsewhere tells that another tab writes in the slot, too; each of them then has a draft of its own. */
  private writtenElsewhere(slot: string, content: string): boolean {
    const kept = this.kept(slot);
    if (!kept || kept.tab === this.tab) return false;
    if (this.touched.has(slot) || kept.content !== content) return true;
    // It goes on here.
    this.storage.set(
      STORED,
      this.stored().filter((w) => w.slot !== slot || w.tab !== kept.tab),
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

  /** sync brings a slot to the server, one request at a time, so that no draft is made twice. */
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
    else await this.remove(answer.ids[0]!); // it was sent meanwhile
    this.save();
  }

  /** rename takes what is being written along when a topic moves. */
  rename(slot: string, next: string, to: Conversation): void {
    const content = this.writings.get(slot)?.content ?? '';
    if (slot === next || content === '' || this.open(next, to).content !== '') return;
    this.write(next, to, content);
    this.sent(slot);
  }

  /** sent ends what was being written in a slot. */
  sent(slot: string): void {
    const w = this.writings.get(slot);
    this.writtenElsewhere(slot, w?.content ?? '');
    this.writings.delete(slot);
    this.touched.add(slot);
    clearTimeout(this.timers.get(slot));
    this.timers.delete(slot);
    this.save();
    if (w?.draft !== undefined) void this.remove(w.draft).catch(() => undefined);
    this.changed.touch();
  }

  async remove(id: number): Promise<void> {
    this.byID.delete(id);
    for (const [slot, w] of this.writings) if (w.draft === id && w.content === '') this.writings.delete(slot);
    this.changed.touch();
    try {
      await this.http.call('DELETE', `/drafts/${id}`);
    } catch (e) {
      if (!(e instanceof ApiError) || e.status !== 404) throw e;
    }
  }

  /** discard removes a draft, and what stands in the slot that shows it. */
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

  apply(e: ServerEvent): void {
    if (e.op === 'add') for (const d of e.drafts as Draft[]) this.byID.set(d.id, d);
    if (e.op === 'update') this.byID.set((e.draft as Draft).id, e.draft as Draft);
    if (e.op === 'remove') {
      this.byID.delete(e.draft_id as number);
      for (const w of this.writings.values()) if (w.draft === e.draft_id) delete w.draft;
    }
    this.changed.touch();
  }
}
