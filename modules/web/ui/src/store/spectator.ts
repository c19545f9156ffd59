import type { Method } from '../api/http.ts';
import type { Snapshot, Term } from '../api/types.ts';
import type { Narrow } from './narrow.ts';

// A spectator reads, without an account, the channels that are there for everybody on the web.

const readable: [Method, RegExp][] = [
  ['POST', /^\/register$/],
  ['GET', /^\/messages$/],
  ['GET', /^\/users\/me\/\d+\/topics$/],
];

/** spectatorMay reports whether the server answers a call of somebody who is not logged in. */
export function spectatorMay(method: Method, path: string): boolean {
  return readable.some(([m, p]) => m === method && p.test(path));
}

const searchable = new Set(['channel', 'channels', 'topic', 'sender', 'has', 'search', 'near', 'id', 'with']);

const allowed = (t: Term) => searchable.has(t.operator) || (t.operator === 'is' && t.operand === 'resolved');

/** spectatorSees reports whether a narrow can show something to a spectator. */
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

/** onlyPublic restricts a narrow as the server demands it of spectators. */
export function onlyPublic(terms: Term[]): Term[] {
  return [{ operator: 'channels', operand: 'web-public' }, ...terms.filter(allowed)];
}

/** filled adds to the registration of a spectator what the server leaves out since it is nobody's. */
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
