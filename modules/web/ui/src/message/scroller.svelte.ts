import { tick } from 'svelte';
import type { Message } from '../api/types.ts';
import { store } from '../client.ts';
import type { MessageList } from '../store/lists.ts';
import { nav } from '../shell/nav.svelte.ts';
import { personName, plainText } from '../format/names.ts';

/** FIRST is the number of messages in the DOM when a list opens. */
const FIRST = 60;
/** STEP is the number of messages that leave together while others arrive. */
const STEP = 20;
// A browser paints what is up to 4,000 pixels away. While all rows are that near, scrolling paints nothing.
const LOAD_DISTANCE = 900; // pixels, within which the window moves
const AHEAD = 2000; // pixels by which it moves
const KEPT = 1500; // pixels of rows that stay on the other side, more than LOAD_DISTANCE
const STICK_DISTANCE = 40; // pixels
const FIRST_LINE = 24; // pixels
const REPORT_INTERVAL = 400; // milliseconds

/**
 * Scroller renders a window of a long list and moves it during scrolling. It keeps the topmost visible message at its
 * position whenever content above changes size, so that the text being read never jumps.
 */
export class Scroller {
  /** away is true while the newest message is more than a screenful below. */
  away = $state(false);
  /** below is the number of messages under the visible part that are unread, or have arrived while it was shown. */
  below = $state(0);
  private fresh = new Set<number>();
  /** live is whether the list extended to the newest message when it was last looked at. */
  private live = false;
  announced = $state('');
  /** announcedMessage is the message from which that is. */
  private announcedMessage: number | undefined;
  /** range is the first message and the number of messages to render, or undefined for the newest ones. */
  private range = $state.raw<{ from: number; size: number } | undefined>();
  /** tail is the number of newest messages that are rendered at the end of the list. */
  private tail = $state(FIRST);
  private list: MessageList;
  private box: HTMLElement | undefined;
  private anchor: { id: number; offset: number } | undefined;
  private stick = true;
  private wanted: { id: number; where: 'top' | 'upper' | 'middle' } | undefined;
  private frame = 0;
  private reported: ReturnType<typeof setTimeout> | undefined;
  private unreported = false;
  private last: number | undefined;

  constructor(list: MessageList) {
    this.list = list;
  }

  /** whole is true while the page is printed. */
  whole = $state(false);

  /**
   * slice returns the range of messages to render, by default the newest ones. Those are up to STEP more: if each
   * message that arrives made another one leave, all rows would move.
   */
  slice(ids: readonly number[]): [number, number] {
    if (this.whole) return [0, ids.length];
    if (!this.range) return [Math.max(0, Math.floor((ids.length - this.tail) / STEP) * STEP), ids.length];
    const { from, size } = this.range;
    const at = ids.findIndex((id) => id >= from);
    const last = Math.max(0, ids.length - size);
    const begin = at < 0 ? last : Math.min(at, last);
    return [begin, Math.min(ids.length, begin + size)];
  }

  attach = (box: HTMLElement): (() => void) => {
    this.box = box;
    const observer = new ResizeObserver(() => this.resized());
    observer.observe(box);
    const contents = new MutationObserver(() => {
      for (const child of box.children) observer.observe(child);
    });
    contents.observe(box, { childList: true });
    for (const child of box.children) observer.observe(child);
    const onscroll = () => {
      this.frame ||= requestAnimationFrame(() => {
        this.frame = 0;
        this.scrolled();
      });
    };
    box.addEventListener('scroll', onscroll, { passive: true });
    const turns = ['wheel', 'touchmove', 'pointerdown', 'keydown', 'focusin'];
    const onturn = () => {
      if (nav.reading) return;
      nav.reading = true;
      this.markVisible();
    };
    for (const type of turns) box.addEventListener(type, onturn, { passive: true });
    return () => {
      observer.disconnect();
      contents.disconnect();
      box.removeEventListener('scroll', onscroll);
      for (const type of turns) box.removeEventListener(type, onturn);
      cancelAnimationFrame(this.frame);
      if (this.unreported) this.report();
      clearTimeout(this.reported);
      this.reported = undefined;
      this.box = undefined;
    };
  };

  row(id: number): HTMLElement | null {
    return this.box?.querySelector<HTMLElement>(`[data-message="${id}"]`) ?? null;
  }

  private rows(): HTMLElement[] {
    return [...(this.box?.querySelectorAll<HTMLElement>('[data-message]') ?? [])];
  }

  /** place scrolls to a message when the list opens, or to the end without one. */
  place(id: number | undefined, where: 'top' | 'upper' | 'middle'): void {
    const ids = this.list.ids;
    const at = id === undefined ? -1 : ids.findIndex((other) => other >= id);
    this.last = ids.at(-1) ?? 0;
    this.fresh.clear();
    this.live = this.list.foundNewest;
    this.below = 0;
    if (at < 0) {
      this.wanted = undefined;
      this.stick = true;
      this.anchor = undefined;
      this.range = undefined;
    } else this.render(at, where);
    void tick().then(() => this.changed());
  }

  /** render renders the part of the list around a message, and scrolls to it. */
  private render(at: number, where: 'top' | 'upper' | 'middle'): void {
    const { ids } = this.list;
    this.stick = false;
    this.wanted = { id: ids[at]!, where };
    this.range = { from: ids[Math.max(0, at - FIRST / 2)]!, size: FIRST };
  }

  /** changed is called after the DOM was updated. */
  changed(): void {
    this.restore();
    this.scheduleScrolled();
  }

  /** recount is called after the number of messages below may have changed, but not the DOM. */
  recount(): void {
    this.scheduleScrolled();
  }

  private scheduleScrolled(): void {
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      this.scrolled();
    });
  }

  /** appended is called after messages were appended. */
  appended(): void {
    const newest = this.list.ids.at(-1);
    if (this.announced !== '' && !this.list.ids.includes(this.announcedMessage!)) this.announced = '';
    const live = this.live; // messages that are fetched while scrolling down have not just arrived
    this.live = this.list.foundNewest;
    if (this.last === undefined || newest === undefined || newest <= this.last) {
      this.last ??= newest;
      return;
    }
    const fresh = this.list.ids.filter((id) => id > this.last!);
    this.last = newest;
    // An answer may arrive together with what the user has written since.
    const other = fresh.findLast((id) => this.isHeard(store.messages.get(id)));
    if (other !== undefined && fresh.length < 10) this.announce(store.messages.get(other)!);
    const message = store.messages.get(newest);
    if (message?.sender_id === store.me && this.list.foundNewest) this.toEnd();
    else if (live) for (const id of fresh) this.fresh.add(id);
  }

  /** isHeard reports whether a message is from somebody else, and shown. */
  private isHeard(m: Message | undefined): boolean {
    if (!m || m.sender_id === store.me) return false;
    return this.list.narrow.kind === 'dm' || !store.users.muted.has(m.sender_id);
  }

  private announce(m: Message): void {
    const said = `${personName(m.sender_id)}: ${plainText(m.content, 120)}`;
    // A live region announces only changes: repeat the same text with a difference.
    this.announcedMessage = m.id;
    this.announced = said === this.announced ? `${said}\u00a0` : said;
  }

  /** resized keeps the position, and the box in view in which the user writes. */
  private resized(): void {
    this.restore();
    const focused = document.activeElement;
    if (this.box?.contains(focused)) focused!.closest('form')?.scrollIntoView({ block: 'nearest' });
  }

  private restore(): void {
    const box = this.box;
    if (!box) return;
    if (this.wanted) {
      const row = this.row(this.wanted.id);
      if (!row) return;
      const part = { top: 0, upper: 0.2, middle: 0.4 }[this.wanted.where];
      box.scrollTop += row.getBoundingClientRect().top - box.getBoundingClientRect().top - box.clientHeight * part;
      this.wanted = undefined;
      this.saveAnchor();
      return;
    }
    if (this.stick) {
      box.scrollTop = box.scrollHeight;
      return;
    }
    const row = this.anchor && this.row(this.anchor.id);
    if (!row) return;
    const offset = textTop(row) - box.getBoundingClientRect().top;
    const shift = offset - this.anchor!.offset;
    if (Math.abs(shift) >= 1) box.scrollTop += shift;
  }

  /** saveAnchor stores which message is topmost. */
  private saveAnchor(rows = this.rows()): void {
    const box = this.box;
    if (!box) return;
    const top = box.getBoundingClientRect().top;
    const row = rows[firstRow(rows, (r) => r.bottom > top + 4)];
    if (row) this.anchor = { id: Number(row.dataset.message), offset: textTop(row) - top };
    store.position = this.stick ? undefined : this.anchor?.id;
    nav.remember(this.stick ? undefined : this.anchor?.id);
  }

  private scrolled(): void {
    const box = this.box;
    if (!box || !this.list.loaded) return;
    const rest = box.scrollHeight - box.scrollTop - box.clientHeight;
    const [begin, end] = this.slice(this.list.ids);
    const atEnd = end === this.list.ids.length && this.list.foundNewest;
    this.stick = atEnd && rest < STICK_DISTANCE;
    if (this.stick) this.range = undefined;
    this.away = !atEnd || rest > box.clientHeight;
    const rows = this.rows();
    this.saveAnchor(rows);
    this.see(rows);
    this.unreported = true;
    if (this.stick || this.reported === undefined) this.report(rows);
    if (box.scrollTop < LOAD_DISTANCE) {
      if (begin === 0) void store.lists.older(this.list);
      else if (this.stick) this.tail += STEP;
      else this.moveUp(begin, end, rows);
    } else if (!this.stick && !this.range) {
      this.range = { from: this.list.ids[begin]!, size: end - begin }; // what is being read stays
    }
    if (rest < LOAD_DISTANCE) {
      if (end < this.list.ids.length) this.moveDown(begin, end, rows);
      else if (!this.list.foundNewest) void store.lists.newer(this.list);
    }
  }

  /** moveUp renders older messages, and drops those that are far below. */
  private moveUp(begin: number, end: number, rows: readonly HTMLElement[]): void {
    const { bottom } = this.box!.getBoundingClientRect();
    const first = Math.max(0, begin - this.ahead(rows));
    const far = rows[firstRow(rows, (r) => r.top > bottom + KEPT)];
    const size = (far ? this.list.ids.indexOf(Number(far.dataset.message)) : end) - first;
    this.range = { from: this.list.ids[first]!, size };
  }

  /** moveDown renders newer messages, and drops those that are far above. */
  private moveDown(begin: number, end: number, rows: readonly HTMLElement[]): void {
    const { top } = this.box!.getBoundingClientRect();
    const near = rows[firstRow(rows, (r) => r.bottom > top - KEPT)];
    const first = near ? this.list.ids.indexOf(Number(near.dataset.message)) : begin;
    this.range = { from: this.list.ids[first]!, size: end - first + this.ahead(rows) };
  }

  /** ahead returns the number of messages by which the window moves. */
  private ahead(rows: readonly HTMLElement[]): number {
    return Math.max(STEP, Math.ceil((AHEAD * rows.length) / this.box!.scrollHeight));
  }

  /**
   * report counts what is below, and marks as read what was visible. Both change counts all over the page, which costs
   * as much as scrolling does, so while a list is scrolled it is done at intervals.
   */
  private report(rows = this.rows()): void {
    this.unreported = false;
    if (this.box) this.below = this.countBelow(this.box, rows);
    store.reading.markSeen();
    clearTimeout(this.reported);
    this.reported = setTimeout(() => {
      this.reported = undefined;
      if (this.unreported) this.report();
    }, REPORT_INTERVAL);
  }

  private countBelow(box: HTMLElement, rows: readonly HTMLElement[]): number {
    const { bottom } = box.getBoundingClientRect();
    // A message is visible if its first line is.
    const last = rows[firstRow(rows, (r) => r.top + FIRST_LINE > bottom) - 1];
    const seen = Number(last?.dataset.message ?? 0);
    for (const id of this.fresh) if (id <= seen) this.fresh.delete(id);
    const counts = (id: number) => this.isHeard(store.messages.get(id));
    const below = this.list.ids.filter((id) => id > seen && (this.fresh.has(id) || store.unread.has(id)));
    return [...below, ...this.list.later].filter(counts).length;
  }

  /** markVisible marks the visible messages as read. */
  markVisible(): void {
    const rows = this.rows();
    this.see(rows);
    this.report(rows);
  }

  /** see notes the visible messages if the page has focus, and the user reads. */
  private see(rows: readonly HTMLElement[]): void {
    const box = this.box;
    if (!box || !document.hasFocus() || !nav.reading || this.list.narrow.kind === 'search') return;
    const policy = store.personal.settings.web_mark_read_on_scroll_policy;
    if (policy === 3 || (policy === 2 && this.list.narrow.kind !== 'topic' && this.list.narrow.kind !== 'dm')) return;
    const { top, bottom } = box.getBoundingClientRect();
    for (const row of rows.slice(firstRow(rows, (r) => r.bottom >= top))) {
      const id = Number(row.dataset.message);
      if (!store.unread.has(id)) continue;
      const r = row.getBoundingClientRect();
      if (r.top > bottom) break;
      // A message taller than the screen counts as read once its end is visible.
      if (r.bottom >= top && r.bottom <= bottom + 4) store.reading.seen(id);
    }
  }

  toEnd(): void {
    this.range = undefined;
    this.stick = true;
    this.below = 0;
    this.changed();
  }

  /** reveal scrolls as little as necessary to make a message visible. */
  reveal(id: number): void {
    const row = this.row(id);
    if (!row || !this.box || this.wanted) return;
    const focused = document.activeElement;
    if (focused !== row && row.contains(focused)) return; // the browser has shown the control inside it
    this.stick = false;
    row.scrollIntoView({ block: 'nearest' });
    this.scheduleScrolled();
  }

  /** bring makes a message visible, and returns its row, which it renders if necessary. */
  async bring(id: number): Promise<HTMLElement | undefined> {
    const { ids, foundNewest } = this.list;
    if (foundNewest && id === ids.at(-1)) this.toEnd();
    else if (ids.includes(id) && !this.row(id)) this.render(ids.indexOf(id), 'middle');
    await tick();
    this.restore();
    this.reveal(id);
    return this.row(id) ?? undefined;
  }
}

/** firstRow returns the index of the first row for which found is true, as for all after it. It reads few positions. */
function firstRow(rows: readonly HTMLElement[], found: (r: DOMRect) => boolean): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (found(rows[middle]!.getBoundingClientRect())) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** textTop returns the top of a row's text. The sender above it comes and goes with the preceding message. */
function textTop(row: HTMLElement): number {
  return (row.querySelector('.rendered') ?? row).getBoundingClientRect().top;
}
