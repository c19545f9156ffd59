import type { ChannelEvents } from './events/channels.ts';
import type { MessageEvents } from './events/messages.ts';
import type { OrganizationEvents } from './events/organization.ts';
import type { PeopleEvents } from './events/people.ts';
import type { PersonalEvents } from './events/personal.ts';

/** Events holds the fields of all known events. An event without an op is named by its type, others by "type/op". */
interface Events extends MessageEvents, ChannelEvents, PeopleEvents, OrganizationEvents, PersonalEvents {}

/** EventName names a known event. */
export type EventName = keyof Events;

type Header<N> = N extends `${infer Type}/${infer Op}`
  ? { id: number; type: Type; op: Op }
  : { id: number; type: N; op?: undefined };
type Flat<T> = T extends unknown ? { [K in keyof T]: T[K] } : never;

/** EventOf is the event with the given name. */
export type EventOf<N extends EventName> = N extends unknown ? Flat<Header<N> & Events[N]> : never;

/** ServerEvent is any known event. type and op tell which one. */
export type ServerEvent = EventOf<EventName>;

/** EventOfType is any event of the given type. */
export type EventOfType<T extends ServerEvent['type']> = Extract<ServerEvent, { type: T }>;

/** MovedEvent is an update_message event with a change of topic or channel. */
export type MovedEvent = Extract<ServerEvent, { type: 'update_message'; orig_subject: string }>;

/** RawEvent is an event as received. It may be of a type that the client does not know. */
export interface RawEvent {
  id: number;
  type: string;
  op?: string;
}

/** known lists the names of all events of the union. The compiler refuses missing and superfluous names. */
/** known lists the types of events that the client knows. */
export const known: Record<EventName, true> = {
  message: true,
  update_message: true,
  delete_message: true,
  'reaction/add': true,
  'reaction/remove': true,
  submessage: true,
  'update_message_flags/add': true,
  'update_message_flags/remove': true,
  'typing/start': true,
  'typing/stop': true,
  'typing_edit_message/start': true,
  'typing_edit_message/stop': true,
  presence: true,
  user_status: true,
  'stream/create': true,
  'stream/delete': true,
  'stream/update': true,
  'subscription/add': true,
  'subscription/remove': true,
  'subscription/update': true,
  'subscription/peer_add': true,
  'subscription/peer_remove': true,
  'channel_folder/add': true,
  'channel_folder/update': true,
  'channel_folder/reorder': true,
  default_streams: true,
  default_stream_groups: true,
  user_topic: true,
  muted_topics: true,
  'realm_user/add': true,
  'realm_user/update': true,
  'realm_user/remove': true,
  'user_group/add': true,
  'user_group/update': true,
  'user_group/remove': true,
  'user_group/add_members': true,
  'user_group/remove_members': true,
  'user_group/add_subgroups': true,
  'user_group/remove_subgroups': true,
  muted_users: true,
  custom_profile_fields: true,
  'realm_bot/add': true,
  'realm_bot/update': true,
  'realm_bot/delete': true,
  'realm/update': true,
  'realm/update_dict': true,
  'realm/deactivated': true,
  'realm_emoji/update': true,
  'realm_emoji/add': true,
  'realm_emoji/update_one': true,
  realm_linkifiers: true,
  realm_playgrounds: true,
  'realm_domains/add': true,
  'realm_domains/change': true,
  'realm_domains/remove': true,
  'realm_user_settings_defaults/update': true,
  'stoa_settings/update': true,
  realm_export: true,
  realm_export_consent: true,
  invites_changed: true,
  heartbeat: true,
  restart: true,
  alert_words: true,
  'user_settings/update': true,
  'drafts/add': true,
  'drafts/update': true,
  'drafts/remove': true,
  'scheduled_messages/add': true,
  'scheduled_messages/update': true,
  'scheduled_messages/remove': true,
  'reminders/add': true,
  'reminders/remove': true,
  'navigation_view/add': true,
  'navigation_view/update': true,
  'navigation_view/remove': true,
  'saved_snippets/add': true,
  'saved_snippets/update': true,
  'saved_snippets/remove': true,
  onboarding_steps: true,
  'attachment/add': true,
  'attachment/update': true,
  'attachment/remove': true,
  'device/add': true,
  'device/update': true,
  'device/remove': true,
  push_device: true,
  do_not_disturb: true,
};

/**
 * isKnown reports whether an event is one of the union. Modules and newer servers also send others, which the client
 * ignores. The fields of known events are not checked here: the replay of the server's state oracle checks that the
 * server sends them as declared.
 */
export function isKnown(e: RawEvent): e is ServerEvent {
  return Object.hasOwn(known, e.op === undefined ? e.type : `${e.type}/${e.op}`);
}
