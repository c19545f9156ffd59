import type { ServerEvent } from '../api/events.ts';
import type { Can } from './can.ts';
import type { Channels } from './channels.ts';
import type { Users } from './users.ts';

/** Access tells which channels the user can read, and which of them an event has taken away or given back. */
export class Access {
  private can: Can;
  private channels: Channels;
  private users: Users;
  private readable = new Set<number>();
  private protectedHistory = new Set<number>();

  constructor(can: Can, channels: Channels, users: Users) {
    this.can = can;
    this.channels = channels;
    this.users = users;
  }

  /** reads reports whether the user can read messages in a channel. */
  reads(id: number): boolean {
    return this.can.read(this.channels.get(id));
  }

  /** isChangedBy reports whether an event may change which channels the user can read. */
  isChangedBy(e: ServerEvent): boolean {
    switch (e.type) {
      case 'stream':
      case 'user_group':
        return true;
      case 'subscription':
        return e.op === 'add' || e.op === 'remove';
      case 'realm_user':
        return e.op === 'update' && e.person.user_id === this.users.me;
      default:
        return false;
    }
  }

  /**
   * change returns the channels in which the user can now read fewer messages than after the last call, and those in
   * which the user can read more.
   */
  change(): { lost: Set<number>; gained: Set<number> } {
    const readable = new Set<number>();
    const protectedHistory = new Set<number>();
    for (const c of this.channels.all.values()) {
      if (!this.reads(c.stream_id)) continue;
      readable.add(c.stream_id);
      if (!c.history_public_to_subscribers) protectedHistory.add(c.stream_id);
    }
    const was = this.readable;
    const hid = this.protectedHistory;
    this.readable = readable;
    this.protectedHistory = protectedHistory;
    return {
      lost: new Set([...was].filter((id) => !readable.has(id) || (protectedHistory.has(id) && !hid.has(id)))),
      gained: new Set([...readable].filter((id) => !was.has(id) || (hid.has(id) && !protectedHistory.has(id)))),
    };
  }
}
