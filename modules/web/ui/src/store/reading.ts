import type { Http } from '../api/http.ts';
import type { Messages } from './messages.ts';
import type { Unread } from './unread.ts';

const DELAY = 700; // milliseconds
const RETRY = 5_000; // milliseconds
const BATCH = 1000;

/** Reading marks messages as read: immediately in the store, and in batches on the server. */
export class Reading {
  private http: Http;
  private messages: Messages;
  private unread: Unread;
  private pending = new Set<number>();
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** visible holds the messages that were visible since the last call of markSeen. */
  private visible = new Set<number>();
  /** keptUnread holds messages that the user has marked as unread, which scrolling must not mark as read again. */
  private keptUnread = new Set<number>();

  constructor(http: Http, messages: Messages, unread: Unread) {
    this.http = http;
    this.messages = messages;
    this.unread = unread;
  }

  /** seen notes a message that was visible, which markSeen or flush marks as read. */
  seen(id: number): void {
    this.visible.add(id);
  }

  markSeen(): void {
    const ids = [...this.visible].filter((id) => !this.keptUnread.has(id));
    this.visible.clear();
    this.mark(ids);
  }

  mark(ids: readonly number[]): void {
    const unread = this.unread.forget(ids);
    if (unread.length === 0) return;
    this.messages.setFlag(unread, 'read', true);
    for (const id of unread) this.pending.add(id);
    this.plan(DELAY);
  }

  private plan(ms: number): void {
    this.timer ??= setTimeout(() => void this.flush(), ms);
  }

  /** flush saves what was read. With leaving, the request outlives the page. */
  async flush(leaving = false): Promise<void> {
    this.markSeen();
    clearTimeout(this.timer);
    this.timer = undefined;
    const ids = [...this.pending].slice(0, BATCH);
    if (ids.length === 0) return;
    for (const id of ids) this.pending.delete(id);
    try {
      await this.http.call('POST', '/messages/flags', { messages: ids, op: 'add', flag: 'read' }, { leaving });
      if (this.pending.size > 0) this.plan(DELAY);
    } catch {
      for (const id of ids) this.pending.add(id);
      this.plan(RETRY);
    }
  }

  /** markUnread marks messages as unread, in as many requests as needed. */
  async markUnread(ids: readonly number[]): Promise<void> {
    for (const id of ids) this.keptUnread.add(id);
    for (let at = 0; at < ids.length; at += BATCH) {
      const messages = ids.slice(at, at + BATCH);
      await this.http.call('POST', '/messages/flags', { messages, op: 'remove', flag: 'read' });
    }
  }

  /** leaveView clears keptUnread, because the user has switched to another view. */
  leaveView(): void {
    this.markSeen();
    this.keptUnread.clear();
  }

  /** unsent returns the messages that the server still counts as unread. */
  unsent(): number[] {
    return [...this.pending];
  }
}
