import type { EventOfType } from '../api/events.ts';
import type { Http } from '../api/http.ts';
import type { Snapshot } from '../api/types.ts';
import { Cell } from './cell.ts';
import { runs } from './realm.ts';
import { key, people, type Conversation } from './narrow.ts';

/** Typing sends the user's typing notifications and tracks those of others. */
export class Typing {
  private readonly cell = new Cell();
  private http: Http;
  private now: () => number;
  private writers = new Map<string, Map<number, ReturnType<typeof setTimeout>>>();
  private me = 0;
  private expiry = 45_000;
  private repeatAfter = 30_000;
  private idle = 12_000;
  private current: { to: Conversation; since: number } | undefined;
  private stopTimer: ReturnType<typeof setTimeout> | undefined;
  private allowed = { topic: true, dm: true };

  /** may reports whether the user may still write to a conversation. */
  private may: (to: Conversation) => boolean;

  constructor(http: Http, now: () => number, may: (to: Conversation) => boolean) {
    this.http = http;
    this.now = now;
    this.may = may;
  }

  reset(s: Snapshot): void {
    this.me = s.user_id;
    this.expiry = Number(s.server_typing_started_expiry_period_milliseconds) || this.expiry;
    this.repeatAfter = Number(s.server_typing_started_wait_period_milliseconds) || this.repeatAfter;
    this.idle = Number(s.server_typing_stopped_wait_period_milliseconds) || this.idle;
    const offered = runs(s.stoa_modules, 'typing');
    this.allowed = {
      topic: offered && s.user_settings.send_stream_typing_notifications !== false,
      dm: offered && s.user_settings.send_private_typing_notifications !== false,
    };
    for (const m of this.writers.values()) for (const t of m.values()) clearTimeout(t);
    this.writers.clear();
    this.cell.touch();
  }

  in(c: Conversation): number[] {
    this.cell.track();
    return [...(this.writers.get(key(c))?.keys() ?? [])];
  }

  apply(e: EventOfType<'typing'>): void {
    const user = e.sender.user_id;
    if (user === this.me) return;
    const c: Conversation =
      e.message_type === 'stream'
        ? { kind: 'topic', channel: e.stream_id, topic: e.topic }
        : {
            kind: 'dm',
            users: people(
              e.recipients.map((r) => r.user_id),
              this.me,
            ),
          };
    this.end(c, user);
    if (e.op === 'start') {
      const all = this.writers.get(key(c)) ?? new Map();
      all.set(
        user,
        setTimeout(() => this.end(c, user), this.expiry),
      );
      this.writers.set(key(c), all);
    }
    this.cell.touch();
  }

  /** end is also called when a message from the user arrives. */
  end(c: Conversation, user: number): void {
    const all = this.writers.get(key(c));
    const timer = all?.get(user);
    if (!all || timer === undefined) return;
    clearTimeout(timer);
    all.delete(user);
    if (all.size === 0) this.writers.delete(key(c));
    this.cell.touch();
  }

  /** wrote is called on every change in the compose box. */
  wrote(to: Conversation | undefined): void {
    if (this.current && (!to || key(this.current.to) !== key(to))) this.stop();
    if (!to || !this.allowed[to.kind] || (to.kind === 'dm' && to.users[0] === this.me)) return;
    if (!this.current || this.now() - this.current.since > this.repeatAfter) {
      this.current = { to, since: this.now() };
      this.send('start', to);
    }
    clearTimeout(this.stopTimer);
    this.stopTimer = setTimeout(() => this.stop(), this.idle);
  }

  stop(): void {
    if (this.current && this.may(this.current.to)) this.send('stop', this.current.to);
    this.forget();
  }

  /** forget is stop without telling others. */
  forget(): void {
    clearTimeout(this.stopTimer);
    this.current = undefined;
  }

  private send(op: 'start' | 'stop', to: Conversation): void {
    const where =
      to.kind === 'topic'
        ? { type: 'channel', stream_id: to.channel, topic: to.topic }
        : { type: 'direct', to: to.users };
    // A lost notification expires soon anyway.
    this.http.call('POST', '/typing', { op, ...where }).catch(() => undefined);
  }
}
