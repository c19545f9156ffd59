import type { Method } from '../api/http.ts';
import type { Snapshot, Term } from '../api/types.ts';
import type { Narrow } from './narrow.ts';

// Spectators read web-public channels without an account.

const readable: [Method, RegExp][] = [
  ['POST', /^\/register$/],
  ['GET', /^\/messages$/],
  ['GET', /^\/users\/me\/\d+\/topics$/],
];

/** spectatorMay reports whether the server accepts a call without a login. */
export function spectatorMay(method: Method, path: string): boolean {
  return readable.some(([m, p]) => m === method && p.test(path));
}

const searchable = new Set(['channel', 'channels', 'topic', 'sender', 'has', 'search', 'near', 'id', 'with']);

const allowed = (t: Term) => searchable.has(t.operator) || (t.operator === 'is' && t.operand === 'resolved');

/** spectatorSees reports whether a narrow can contain messages for a spectator. */
export function spectatorSees(n: Narrow, isChannel: (id: number) => boolean): boolean {
  switch (n.kind) {
    case 'feed':
      return true;
    case 'channel':
    case 'topic':
      return isChannel(n.channel);
    case 'search':
      return n.terms.every(allowed);
    default:
      return false;
  }
}

/** onlyPublic restricts a narrow to web-public channels, as the server requires of spectators. */
export function onlyPublic(terms: Term[]): Term[] {
  return [{ operator: 'channels', operand: 'web-public' }, ...terms.filter(allowed)];
}

/** filled completes a spectator's registration with empty values for the personal data that the server omits. */
export function filled(s: Partial<Snapshot>): Snapshot {
  return {
    ...({
      user_id: 0,
      realm_users: [],
      realm_non_active_users: [],
      cross_realm_bots: [],
      realm_user_groups: [],
      realm_emoji: {},
      subscriptions: [],
      unsubscribed: [],
      never_subscribed: [],
      channel_folders: [],
      user_topics: [],
      muted_users: [],
      user_settings: {},
      server_timestamp: 0,
      custom_profile_fields: [],
    } as unknown as Snapshot),
    ...s,
    streams: [],
    unread_msgs: { count: 0, pms: [], streams: [], huddles: [], mentions: [] },
    starred_messages: [],
    recent_private_conversations: [],
    user_status: {},
    presences: {},
    presence_last_update_id: -1,
    drafts: [],
    scheduled_messages: [],
    reminders: [],
    saved_snippets: [],
    navigation_views: [],
    alert_words: [],
  };
}
