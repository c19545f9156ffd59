import type { Message, Term } from '../api/types.ts';

/** Narrow describes which messages a view shows. */
export type Narrow =
  | { kind: 'feed' }
  | { kind: 'channel'; channel: number }
  | { kind: 'topic'; channel: number; topic: string }
  | { kind: 'dm'; users: number[] }
  | { kind: 'is'; what: 'starred' | 'mentioned' | 'dm' | 'unread' | 'followed' }
  | { kind: 'search'; terms: Term[] };

/** Conversation is a narrow that messages can be sent to. */
export type Conversation = Extract<Narrow, { kind: 'topic' | 'dm' }>;

/** sameTopic compares topics like the server: ignoring case. */
export function sameTopic(a: string, b: string): boolean {
  return a === b || a.toLowerCase() === b.toLowerCase();
}

export function key(n: Narrow): string {
  switch (n.kind) {
    case 'feed':
      return 'feed';
    case 'channel':
      return `channel:${n.channel}`;
    case 'topic':
      return `topic:${n.channel}:${n.topic.toLowerCase()}`;
    case 'dm':
      return `dm:${n.users.join(',')}`;
    case 'is':
      return `is:${n.what}`;
    case 'search':
      return `search:${JSON.stringify(n.terms)}`;
  }
}

/** people returns the other participants of a direct conversation in ascending order, or the user in a note to self. */
export function people(ids: readonly number[], me: number): number[] {
  const others = [...new Set(ids)].filter((id) => id !== me).sort((a, b) => a - b);
  return others.length > 0 ? others : [me];
}

export function conversationOf(m: Message, me: number): Conversation {
  if (m.type === 'stream') return { kind: 'topic', channel: m.stream_id ?? 0, topic: m.subject };
  const ids = typeof m.display_recipient === 'string' ? [] : m.display_recipient.map((p) => p.id);
  return { kind: 'dm', users: people(ids, me) };
}

export function terms(n: Narrow): Term[] {
  switch (n.kind) {
    case 'feed':
      return [{ operator: 'in', operand: 'home' }];
    case 'channel':
      return [{ operator: 'channel', operand: n.channel }];
    case 'topic':
      return [
        { operator: 'channel', operand: n.channel },
        { operator: 'topic', operand: n.topic },
      ];
    case 'dm':
      return [{ operator: 'dm', operand: n.users }];
    case 'is':
      return [{ operator: 'is', operand: n.what }];
    case 'search':
      return n.terms;
  }
}

/** Visibility answers questions that depend on the user's settings. */
export interface Visibility {
  joined(channel: number): boolean;
  me: number;
  inHome(channel: number, topic: string): boolean;
}

/** matches reports whether a new message belongs to a narrow, or undefined if only the server can decide. */
export function matches(n: Narrow, m: Message, flags: readonly string[], v: Visibility): boolean | undefined {
  switch (n.kind) {
    case 'feed':
      return m.type === 'private' || v.inHome(m.stream_id ?? 0, m.subject);
    case 'channel':
      return m.stream_id === n.channel;
    case 'topic':
      return m.stream_id === n.channel && sameTopic(m.subject, n.topic);
    case 'dm':
      return m.type === 'private' && key(conversationOf(m, v.me)) === key(n);
    case 'is':
      if (n.what === 'dm') return m.type === 'private';
      if (n.what === 'starred') return flags.includes('starred');
      if (n.what === 'mentioned') return mentions(flags);
      return undefined;
    case 'search':
      return undefined;
  }
}

/** mentions reports whether a message with these flags mentions the user, alone or with others. */
export function mentions(flags: readonly string[]): boolean {
  return flags.some((f) => f === 'mentioned' || f.endsWith('wildcard_mentioned'));
}

/** simplify returns the narrow equivalent to the terms, or a search if there is none. */
export function simplify(found: Term[], me: number): Narrow {
  const channel = found.find((t) => t.operator === 'channel');
  const topic = found.find((t) => t.operator === 'topic');
  const [a, b] = found;
  if (a && found.length <= 2 && found.every((t) => !t.negated)) {
    if (typeof channel?.operand === 'number') {
      if (!b) return { kind: 'channel', channel: channel.operand };
      if (topic) return { kind: 'topic', channel: channel.operand, topic: String(topic.operand) };
    }
    if (!b && a.operator === 'dm' && Array.isArray(a.operand)) return { kind: 'dm', users: people(a.operand, me) };
    if (!b && a.operator === 'in' && a.operand === 'home') return { kind: 'feed' };
    if (!b && a.operator === 'is') {
      const what = a.operand;
      if (what === 'starred' || what === 'mentioned' || what === 'dm' || what === 'unread' || what === 'followed') {
        return { kind: 'is', what };
      }
    }
  }
  return { kind: 'search', terms: found };
}
