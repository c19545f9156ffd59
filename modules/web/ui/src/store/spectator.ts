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

/** missing holds what the server may omit from a spectator's registration. */
const missing: Snapshot = {
  queue_id: '',
  last_event_id: -1,
  event_queue_longpoll_timeout_seconds: 0,
  user_id: 0,
  full_name: '',
  email: '',
  realm_users: [],
  realm_non_active_users: [],
  cross_realm_bots: [],
  realm_bots: [],
  realm_user_groups: [],
  realm_emoji: {},
  subscriptions: [],
  unsubscribed: [],
  never_subscribed: [],
  channel_folders: [],
  unread_msgs: { count: 0, pms: [], streams: [], huddles: [], mentions: [] },
  starred_messages: [],
  recent_private_conversations: [],
  user_topics: [],
  muted_users: [],
  user_settings: {},
  user_status: {},
  presences: {},
  presence_last_update_id: -1,
  server_timestamp: 0,
  drafts: [],
  scheduled_messages: [],
  reminders: [],
  saved_snippets: [],
  navigation_views: [],
  alert_words: [],
  custom_profile_fields: [],
  max_message_id: 0,
  realm_linkifiers: [],
  realm_playgrounds: [],
  realm_domains: [],
  realm_default_streams: [],
  realm_user_settings_defaults: {},
  realm_incoming_webhook_bots: [],
  realm_default_external_accounts: {},
  server_supported_permission_settings: { realm: {}, stream: {}, group: {} },
  server_report_message_types: [],
};

/** personal names what spectators have none of, whatever the server sends. */
const personal = [
  'unread_msgs',
  'starred_messages',
  'recent_private_conversations',
  'user_status',
  'presences',
  'presence_last_update_id',
  'drafts',
  'scheduled_messages',
  'reminders',
  'saved_snippets',
  'navigation_views',
  'alert_words',
] as const;

/** filled completes a spectator's registration. */
export function filled(s: Partial<Snapshot>): Snapshot {
  const own = Object.fromEntries(personal.map((name) => [name, missing[name]]));
  return { ...missing, ...s, ...own };
}
