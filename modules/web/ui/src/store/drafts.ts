import type { EventOfType } from '../api/events.ts';
import type { Http } from '../api/http.ts';
import { ApiError } from '../api/http.ts';
import type { Draft, Snapshot } from '../api/types.ts';
import { CellMap } from './cell.ts';
import { runs } from './realm.ts';
import { key, people, type Conversation } from './narrow.ts';
import type { Storage } from './storage.ts';
import { Writings, type Writing } from './writings.ts';

const DELAY = 1500; // milliseconds

/** NEW_DIRECT is the slot of direct messages without recipients yet. */
export const NEW_DIRECT = 'newdirect';

/**
 * Drafts saves unsent text: immediately in the browser, and shortly afterwards as a draft on the server. Each text has
 * one draft, which all browsers show and follow while they have nothing unsaved of their own.
 */
export class Drafts {
  readonly byID = new CellMap<number, Draft>();
  private http: Http;
  private writings: Writings;
  private timers = new Map<string, ReturnType<typeof setTimeout>>();
  private busy = new Map<string, Promise<void>>();
  /** echoes holds, by slot, the contents sent to the server whose events have not arrived. */
  private echoes = new Map<string, string[]>();
  /** homes holds the conversation of each slot that belongs to one. */
  private homes = new Map<string, Conversation>();
  private synced = true;
  /** current is false for a registration that was saved by an earlier page, which may lack drafts. */
  private current = true;
  private me = 0;

  /** reaches reports whether the user can open a conversation and write there. */
  readonly reaches: (to: Conversation) => boolean;

  constructor(
    http: Http,
    storage: Storage,
    session: Storage,
    now: () => number,
    reaches = (_: Conversation) => true,
  ) {
    this.http = http;
    this.reaches = reaches;
    this.writings = new Writings(storage, session, now);
  }

  restore(): void {
    this.writings.restore();
    if (this.current) this.reconcile();
  }

  reset(s: Snapshot, current = true): void {
    this.current = current;
    this.me = s.user_id;
    // Drafts in channels remain on a server that has stopped running channels.
    const channels = runs(s.stoa_modules, 'channels');
    this.byID.replace(s.drafts.filter((d) => channels || d.type !== 'stream').map((d) => [d.id, d]));
    this.echoes.clear();
    this.synced = runs(s.stoa_modules, 'drafts') && s.user_settings.enable_drafts_synchronization !== false;
    if (current) this.reconcile();
  }

  /** reconcile compares the texts with the server's drafts, and schedules the upload of those that it lacks. */
  private reconcile(): void {
    if (!this.synced) return;
    for (const w of [...this.writings.values()]) {
      if (w.content === '' || !this.writings.owns(w)) continue;
      const draft = this.byID.get(w.draft ?? 0) ?? this.created(w);
      if (!draft) {
        if (w.saved) this.forget(w.slot);
        else this.writings.note({ ...w, draft: undefined });
      } else if (draft.content === w.content.trim()) {
        this.writings.note({ ...w, draft: draft.id, saved: true });
      } else if (w.saved) this.follow(w, draft);
      // Both were edited: each text keeps a draft of its own.
      else this.writings.note({ ...w, draft: draft.timestamp > w.timestamp ? undefined : draft.id });
      const now = this.writings.get(w.slot);
      if (now && !now.saved) this.plan(w.slot);
    }
  }

  /** created finds the draft of a text whose creation got no response. */
  private created(w: Writing): Draft | undefined {
    const used = new Set([...this.writings.values()].map((o) => o.draft));
    return this.list().find(
      (d) => !used.has(d.id) && this.isFor(d, w.to) && (d.content === w.content.trim() || d.content === w.posted),
    );
  }

  private isFor(d: Draft, to: Conversation | undefined): boolean {
    const c = this.conversation(d);
    return c === undefined || to === undefined ? c === to : key(c) === key(to);
  }

  /** list returns the drafts of all devices, most recently edited first. */
  list(): Draft[] {
    return [...this.byID.values()].sort((a, b) => b.timestamp - a.timestamp || b.id - a.id);
  }

  conversation(d: Draft): Conversation | undefined {
    if (d.type === 'stream' && d.to[0] !== undefined) return { kind: 'topic', channel: d.to[0], topic: d.topic };
    return d.type === 'private' && d.to.length > 0 ? { kind: 'dm', users: people(d.to, this.me) } : undefined;
  }

  /** enter is called when a slot is about to be shown, with the conversation to which it belongs, if any. */
  enter(slot: string, home: Conversation | undefined): void {
    if (home) this.homes.set(slot, home);
    this.writings.enter(slot);
    if (this.isBlank(this.writings.get(slot))) this.writings.delete(slot);
  }

  /** leave uploads a slot that is no longer shown. */
  async leave(slot: string): Promise<void> {
    await this.sync(slot);
    if (this.isBlank(this.writings.get(slot))) this.writings.delete(slot);
  }

  /** isBlank reports whether a text was cleared, and its draft deleted. */
  private isBlank(w: Writing | undefined): boolean {
    return w !== undefined && w.content === '' && w.draft === undefined;
  }

  /** get returns the unsent text of a slot: this browser's, or else the draft of its conversation. */
  get(slot: string): Writing {
    const known = this.writings.get(slot);
    if (known) return known;
    const home = this.homes.get(slot);
    const d = home || slot === NEW_DIRECT ? this.list().find((o) => this.isFor(o, home)) : undefined;
    if (!d) return { slot, to: home, content: '', timestamp: 0 };
    return { slot, to: home, content: d.content, timestamp: d.timestamp, draft: d.id, saved: true };
  }

  /** show puts a draft into a slot. A text that is there keeps a draft of its own. */
  async show(slot: string, d: Draft): Promise<void> {
    await this.leave(slot);
    const there = this.writings.get(slot);
    if (there && !there.saved) return; // it has no draft yet
    this.writings.put({ slot, to: undefined, content: d.content, timestamp: d.timestamp, draft: d.id, saved: true });
    this.writings.save();
  }

  /** open enters a slot and returns its text. */
  open(slot: string, home: Conversation | undefined): Writing {
    this.enter(slot, home);
    return this.get(slot);
  }

  write(slot: string, to: Conversation | undefined, content: string): void {
    const known = this.get(slot);
    const same = known.content === content;
    if (same && (content === '' || JSON.stringify(known.to) === JSON.stringify(to))) return;
    const next: Writing = { ...known, to, content, timestamp: this.writings.seconds, saved: false };
    if (!this.writings.takeOver(slot)) next.draft = undefined;
    this.writings.put(next);
    this.writings.save();
    this.plan(slot);
  }

  private plan(slot: string): void {
    clearTimeout(this.timers.get(slot));
    if (!this.synced) return;
    this.timers.set(
      slot,
      setTimeout(() => void this.sync(slot), DELAY),
    );
  }

  private unplan(slot: string): void {
    clearTimeout(this.timers.get(slot));
    this.timers.delete(slot);
  }

  /** sync uploads a slot. Requests for a slot run one after the other, so that no draft is created twice. */
  async sync(slot: string): Promise<void> {
    this.unplan(slot);
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

  /** flush uploads all texts of this browser that the server lacks, also those of other tabs. */
  async flush(): Promise<void> {
    if (!this.synced) return;
    const others = this.writings.elsewhere().filter((w) => !w.saved);
    await Promise.allSettled([
      ...[...this.timers.keys()].map((slot) => this.sync(slot)),
      // Those of lost conversations stay reachable as drafts without recipients.
      ...others.map((w) => this.upload(w, w.to).catch(() => this.upload(w, undefined))),
    ]);
  }

  private async push(slot: string): Promise<void> {
    const w = this.writings.get(slot);
    if (!w || w.saved || !this.synced || !this.writings.owns(w)) return;
    const content = w.content.trim();
    if (content === '') {
      this.writings.put({ ...w, content: '', draft: undefined });
      if (w.draft !== undefined) await this.remove(w.draft);
      return;
    }
    this.echoes.set(slot, [...(this.echoes.get(slot) ?? []), content]);
    try {
      await this.upload(w, w.to && this.reaches(w.to) ? w.to : undefined);
    } catch (e) {
      if (!(e instanceof ApiError) || e.status !== 400 || w.to === undefined) throw e;
      // The user has lost access, or the channel is archived: the text stays reachable as a draft without recipients.
      await this.upload(this.writings.get(slot) ?? w, undefined);
    }
  }

  /** upload saves a text as a draft for a conversation. */
  private async upload(w: Writing, to: Conversation | undefined): Promise<void> {
    const body = {
      type: to === undefined ? '' : to.kind === 'topic' ? 'stream' : 'private',
      to: to === undefined ? [] : to.kind === 'topic' ? [to.channel] : to.users,
      topic: to?.kind === 'topic' ? to.topic : '',
      content: w.content,
      timestamp: w.timestamp,
    };
    if (w.draft !== undefined) {
      try {
        await this.http.call('PATCH', `/drafts/${w.draft}`, { draft: body });
        this.pushed(w, w.draft);
        return;
      } catch (e) {
        if (!(e instanceof ApiError) || e.status !== 404) throw e;
      }
    }
    this.writings.note({ ...w, draft: undefined, posted: w.content.trim() });
    const answer = await this.http.call<{ ids: number[] }>('POST', '/drafts', { drafts: [body] });
    if (!this.pushed(w, answer.ids[0]!)) await this.remove(answer.ids[0]!); // it was sent in the meantime
  }

  /** pushed notes that a text was uploaded. It returns false if there is none any more. */
  private pushed(w: Writing, draft: number): boolean {
    const now = this.writings.get(w.slot);
    if (!now || now.content === '') return now?.draft === draft;
    const saved = now.content === w.content && JSON.stringify(now.to) === JSON.stringify(w.to);
    this.writings.note({ ...now, draft, saved });
    return true;
  }

  /**
   * rename moves the unsent text to another slot when a topic moves. The text keeps its draft, since all browsers that
   * show it do the same.
   */
  rename(slot: string, next: string, to: Conversation): void {
    const w = this.get(slot);
    if (slot === next || w.content === '' || (w.draft === undefined && !this.writings.owns(w))) return;
    const there = this.open(next, to);
    const moved = there.draft !== undefined && there.draft === w.draft;
    if (there.content !== '' && !moved) return;
    const waiting = this.echoes.get(slot) ?? [];
    this.forget(slot);
    if (moved) return;
    const draft = this.byID.get(w.draft ?? 0);
    if (draft && to.kind === 'topic') this.byID.set(draft.id, { ...draft, to: [to.channel], topic: to.topic });
    this.echoes.set(next, waiting);
    this.writings.put({ ...w, slot: next, to, timestamp: this.writings.seconds, saved: false });
    this.writings.save();
    this.plan(next);
  }

  /** sent clears a slot after its text was sent. */
  sent(slot: string): void {
    const { draft } = this.get(slot);
    this.clear(slot);
    if (draft !== undefined) void this.discard(draft).catch(() => undefined);
  }

  /** clear empties a slot. It stays empty while it is shown, even if there is another draft for its conversation. */
  private clear(slot: string): void {
    const known = this.get(slot);
    this.writings.takeOver(slot);
    this.writings.put({ ...known, content: '', draft: undefined, saved: true });
    this.unplan(slot);
    this.writings.save();
  }

  /** forget drops a text whose draft was sent or deleted elsewhere. */
  private forget(slot: string): void {
    this.clear(slot);
    this.echoes.delete(slot);
  }

  /** follow applies an edit made elsewhere. */
  private follow(w: Writing, d: Draft): void {
    const to = this.conversation(d);
    this.writings.note({ ...w, to, content: d.content, timestamp: d.timestamp, draft: d.id, saved: true });
    this.echoes.delete(w.slot);
  }

  private async remove(id: number): Promise<void> {
    this.byID.delete(id);
    try {
      await this.http.call('DELETE', `/drafts/${id}`);
    } catch (e) {
      if (!(e instanceof ApiError) || e.status !== 404) throw e;
    }
  }

  /** discard deletes a draft and clears the slots that show it. */
  async discard(id: number): Promise<void> {
    for (const w of [...this.writings.values()]) if (w.draft === id) this.clear(w.slot);
    await this.remove(id);
  }

  /** recreate creates a discarded draft again. */
  recreate({ type, to, topic, content, timestamp }: Draft): Promise<unknown> {
    return this.http.call('POST', '/drafts', { drafts: [{ type, to, topic, content, timestamp }] });
  }

  /** isEcho reports whether an event answers a request of this page for a slot. */
  private isEcho(slot: string, content: string): boolean {
    const waiting = this.echoes.get(slot) ?? [];
    const at = waiting.indexOf(content);
    if (at >= 0) this.echoes.set(slot, waiting.slice(at + 1));
    return at >= 0;
  }

  apply(e: EventOfType<'drafts'>): void {
    if (e.op === 'add') for (const d of e.drafts) this.added(d);
    if (e.op === 'update') this.updated(e.draft);
    if (e.op === 'remove') this.removed(e.draft_id);
  }

  private added(d: Draft): void {
    this.byID.set(d.id, d);
    for (const w of [...this.writings.values()]) {
      if (!this.isFor(d, w.to) || (w.draft !== undefined && w.draft !== d.id)) continue;
      if (this.isEcho(w.slot, d.content) || w.draft === d.id) continue;
      if (w.content === '') this.writings.delete(w.slot);
      else if (w.content.trim() === d.content) this.writings.note({ ...w, draft: d.id, saved: true });
    }
  }

  private updated(d: Draft): void {
    this.byID.set(d.id, d);
    for (const w of [...this.writings.values()]) {
      if (w.draft !== d.id || this.isEcho(w.slot, d.content)) continue;
      if (this.isUnsaved(w) && w.content.trim() !== d.content) this.writings.note({ ...w, draft: undefined });
      else this.follow(w, d);
    }
  }

  private removed(id: number): void {
    const former = this.byID.get(id)?.content;
    this.byID.delete(id);
    for (const w of [...this.writings.values()]) {
      if (w.draft !== id) continue;
      if (this.isUnsaved(w) && w.content.trim() !== former) this.writings.note({ ...w, draft: undefined });
      else this.forget(w.slot);
    }
  }

  /** isUnsaved reports whether this tab has changed a text since it was uploaded. */
  private isUnsaved(w: Writing): boolean {
    return !w.saved && this.writings.owns(w);
  }
}
