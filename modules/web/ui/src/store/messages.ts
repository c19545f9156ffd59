import type { EventOfType } from '../api/events.ts';
import type { Message, Reaction, Submessage } from '../api/types.ts';
import { CellSet, KeyCells } from './cell.ts';

/** MAX_REMOVED is the number of removed messages that are remembered. */
const MAX_REMOVED = 5000;

/** Messages holds one copy of every message that is in a list. */
export class Messages {
  private byID = new Map<number, Message>();
  private readonly cells = new KeyCells<number>();
  readonly starred = new CellSet<number>();
  /** removed holds messages that were deleted or that the user can no longer read. */
  readonly removed = new CellSet<number>();

  get(id: number): Message | undefined {
    this.cells.track(id);
    return this.byID.get(id);
  }

  private set(m: Message): void {
    this.byID.set(m.id, m);
    this.cells.touch(m.id);
  }

  private delete(id: number): void {
    if (this.byID.delete(id)) this.cells.touch(id);
  }

  /** put stores messages and replaces existing copies, since the server's response is newer. */
  put(list: readonly Message[]): void {
    for (const m of list) {
      this.removed.delete(m.id);
      this.set(m);
    }
  }

  remove(ids: readonly number[]): void {
    if (this.removed.size > MAX_REMOVED) this.removed.clear();
    for (const id of ids) this.removed.add(id);
    for (const id of ids) {
      this.delete(id);
      this.starred.delete(id);
    }
  }

  clear(): void {
    this.byID.clear();
    this.cells.touchAll();
  }

  /** retain drops all messages except the given ones, to bound memory use. */
  retain(ids: ReadonlySet<number>): void {
    for (const id of this.byID.keys()) if (!ids.has(id)) this.delete(id);
  }

  get size(): number {
    return this.byID.size;
  }

  values(): Iterable<Message> {
    return this.byID.values();
  }

  update(id: number, change: (m: Message) => Message): void {
    const m = this.byID.get(id);
    if (m) this.set(change(m));
  }

  /** setFlag reports no change of the flag "read", since views ask Unread instead. */
  setFlag(ids: Iterable<number>, flag: string, on: boolean): void {
    for (const id of ids) {
      if (flag === 'starred') {
        if (on) this.starred.add(id);
        else this.starred.delete(id);
      }
      const m = this.byID.get(id);
      if (!m || m.flags.includes(flag) === on) continue;
      const flags = on ? [...m.flags, flag] : m.flags.filter((f) => f !== flag);
      if (flag === 'read') m.flags = flags;
      else this.set({ ...m, flags });
    }
  }

  apply(e: EventOfType<'reaction' | 'submessage' | 'update_message_flags'>): void {
    switch (e.type) {
      case 'reaction':
        this.react(e.message_id, e, e.op === 'add');
        break;
      case 'submessage':
        this.update(e.message_id, (m) => {
          const sub: Submessage = {
            id: e.submessage_id,
            message_id: m.id,
            sender_id: e.sender_id,
            msg_type: e.msg_type,
            content: e.content,
          };
          return m.submessages.some((s) => s.id === sub.id) ? m : { ...m, submessages: [...m.submessages, sub] };
        });
        break;
      case 'update_message_flags':
        if (e.all) this.setFlag([...this.byID.keys()], e.flag, true);
        else this.setFlag(e.messages, e.flag, e.op === 'add');
        break;
    }
  }

  react(id: number, r: Reaction, add: boolean): void {
    this.update(id, (m) => {
      const rest = m.reactions.filter((o) => !(sameEmoji(o, r) && o.user_id === r.user_id));
      const { emoji_name, emoji_code, reaction_type, user_id } = r;
      if (!add) return { ...m, reactions: rest };
      if (rest.length < m.reactions.length) return m;
      return { ...m, reactions: [...rest, { emoji_name, emoji_code, reaction_type, user_id }] };
    });
  }

  /** edited applies an update_message event. */
  edited(e: EventOfType<'update_message'>): void {
    if (e.content !== undefined || e.rendering_only) {
      this.update(e.message_id, (m) => ({
        ...m,
        content: e.rendered_content ?? m.content,
        match_content: undefined,
        is_me_message: e.is_me_message ?? m.is_me_message,
        ...(e.rendering_only ? {} : { last_edit_timestamp: e.edit_timestamp }),
      }));
    }
    this.update(e.message_id, (m) => ({ ...m, flags: e.flags }));
    if (e.orig_subject === undefined) return;
    const { subject, new_stream_id: channel } = e;
    const resolving = channel === undefined && subject !== undefined && isResolve(e.orig_subject, subject);
    for (const id of e.message_ids) {
      this.update(id, (m) => ({
        ...m,
        subject: subject ?? m.subject,
        stream_id: channel ?? e.stream_id,
        ...(resolving ? {} : { last_moved_timestamp: e.edit_timestamp }),
      }));
    }
  }
}

export function sameEmoji(a: { emoji_code: string; reaction_type: string }, b: typeof a): boolean {
  return a.emoji_code === b.emoji_code && a.reaction_type === b.reaction_type;
}

export const RESOLVED = '✔ ';

export function isResolved(topic: string): boolean {
  return topic.startsWith(RESOLVED);
}

export function plainTopic(topic: string): string {
  return isResolved(topic) ? topic.slice(RESOLVED.length) : topic;
}

/** renamedTopic returns the full name of a topic with another plain name. */
export function renamedTopic(topic: string, name: string): string {
  return isResolved(topic) && !isResolved(name) ? RESOLVED + name : name;
}

/** isResolve reports whether a change of a topic marks it as resolved or unresolved. */
export function isResolve(from: string, to: string): boolean {
  return isResolved(from) !== isResolved(to) && plainTopic(from) === plainTopic(to);
}
