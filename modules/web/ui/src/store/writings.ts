import { CellMap } from './cell.ts';
import type { Conversation } from './narrow.ts';
import type { Storage } from './storage.ts';

/** Writing is the text in a compose box. slot names the view in which it was started. */
export interface Writing {
  slot: string;
  to: Conversation | undefined;
  content: string;
  timestamp: number;
  /** draft is the ID of its draft on the server. */
  draft?: number | undefined;
  /** saved is true while the draft has this content. */
  saved?: boolean;
  /** posted is the content with which a draft was last created, whose response may be missing. */
  posted?: string;
  /** tab identifies the browser tab. Several tabs can write in the same slot. */
  tab?: string;
}

const STORED = 'writings';
const MAX_KEPT = 50;
/** TAB_TIMEOUT is the number of seconds after which the tab that wrote a text counts as closed. */
const TAB_TIMEOUT = 60;

/** Writings holds unsent texts by slot, and stores them in the browser. */
export class Writings extends CellMap<string, Writing> {
  private storage: Storage;
  private session: Storage;
  private now: () => number;
  /** touched holds the slots that this tab has written. Those of other tabs are left alone. */
  private touched = new Set<string>();
  private tab = '';

  constructor(storage: Storage, session: Storage, now: () => number) {
    super();
    this.storage = storage;
    this.session = session;
    this.now = now;
  }

  get seconds(): number {
    return Math.floor(this.now() / 1000);
  }

  restore(): void {
    this.tab = this.session.get<string>('tab') ?? Math.random().toString(36).slice(2);
    this.session.set('tab', this.tab);
    for (const w of this.stored()) this.adopt(w);
  }

  private stored(): Writing[] {
    return this.storage.get<Writing[]>(STORED) ?? [];
  }

  /** elsewhere returns the texts that other tabs have stored. */
  elsewhere(): Writing[] {
    return this.stored().filter((w) => w.tab !== this.tab && !this.touched.has(w.slot));
  }

  private storeWithout(slot: string, tab: string | undefined): void {
    this.storage.set(
      STORED,
      this.stored().filter((w) => w.slot !== slot || w.tab !== tab),
    );
  }

  /** adopt restores a stored text. If its slot is occupied and its tab is closed, it becomes a separate draft. */
  private adopt(w: Writing): void {
    const known = this.get(w.slot);
    if (!known || w.tab === this.tab) {
      if (known) this.splitOff(known);
      this.set(w.slot, w);
    } else this.splitOff(w);
  }

  private splitOff(w: Writing): void {
    if (!this.isAbandoned(w)) return;
    this.storeWithout(w.slot, w.tab);
    this.put({ ...w, slot: `${w.slot}#${w.tab}` });
    this.save();
  }

  private isAbandoned(w: Writing): boolean {
    return this.seconds - w.timestamp >= TAB_TIMEOUT;
  }

  /** owns reports whether this tab brings a text to the server: it has written it, or the tab that has is closed. */
  owns(w: Writing): boolean {
    return this.touched.has(w.slot) || w.tab === this.tab || this.isAbandoned(w);
  }

  /** enter loads a slot that is about to be shown: another tab may have edited or sent its text. */
  enter(slot: string): void {
    if (this.touched.has(slot)) return;
    const found = this.storedIn(slot);
    if (found) this.set(slot, found);
    else this.delete(slot);
  }

  /** put sets a text as one of this tab. */
  put(w: Writing): void {
    this.touched.add(w.slot);
    this.delete(w.slot); // move it to the end, as the most recent
    this.set(w.slot, { ...w, tab: this.tab });
  }

  /** drop deletes a text. */
  drop(slot: string): void {
    this.touched.add(slot);
    this.delete(slot);
  }

  /** storedIn returns the stored text of a slot: this tab's own, or else the latest from another tab. */
  private storedIn(slot: string): Writing | undefined {
    const all = this.stored().filter((w) => w.slot === slot);
    return all.find((w) => w.tab === this.tab) ?? all.sort((a, b) => b.timestamp - a.timestamp)[0];
  }

  /**
   * takeOver makes the text of a slot this tab's. It returns false if another tab is writing in the slot as well: each
   * then has a separate draft.
   */
  takeOver(slot: string): boolean {
    const found = this.storedIn(slot);
    if (!found || found.tab === this.tab) return true;
    if (this.touched.has(slot) || found.content !== (this.get(slot)?.content ?? '')) return false;
    this.storeWithout(slot, found.tab);
    return true;
  }

  /** save stores the texts of this tab. */
  save(): void {
    const others = this.stored().filter((w) => w.tab !== this.tab || !this.touched.has(w.slot));
    const own = [...this.values()].filter((w) => w.content !== '' && this.touched.has(w.slot));
    this.storage.set(STORED, [...others, ...own].slice(-MAX_KEPT));
  }

  /** note stores what is known about a text's draft, in place of the same text without it. */
  note(w: Writing): void {
    this.set(w.slot, w);
    this.storage.set(
      STORED,
      this.stored().map((o) => (o.slot === w.slot && o.tab === w.tab ? w : o)),
    );
  }
}
