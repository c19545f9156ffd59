import type { RawEvent } from '../api/events.ts';
import type { Snapshot } from '../api/types.ts';

const MAX_EVENTS = 2000;

/** transient lists the event types that mean nothing to a tab that receives them later. */
const transient = new Set(['typing', 'typing_edit_message', 'heartbeat']);

/**
 * Backlog holds what another tab needs to get up to date: the registration and the events after it. The IDs of events
 * are the same in all queues of a user, so that events of one queue may follow a registration of another.
 */
export class Backlog {
  /** base is the registration, or undefined if events after it have been dropped. */
  base: Snapshot | undefined;
  private events: RawEvent[] = [];
  private from = Infinity;

  start(base: Snapshot): void {
    this.base = base;
    this.from = base.last_event_id;
    this.events = [];
  }

  add(e: RawEvent): void {
    if (transient.has(e.type)) return;
    this.events.push(e);
    if (this.events.length <= MAX_EVENTS) return;
    this.base = undefined;
    this.from = this.events.splice(0, MAX_EVENTS / 2).at(-1)!.id;
  }

  /** after returns the events after the one with the given ID, or undefined if it does not have all of them. */
  after(id: number): RawEvent[] | undefined {
    return id >= this.from ? this.events.filter((e) => e.id > id) : undefined;
  }
}
