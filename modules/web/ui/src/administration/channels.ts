import type { Channel } from '../api/types.ts';

/** permissions lists a channel's permission settings in display order. */
export const permissions = [
  'can_send_message_group',
  'can_create_topic_group',
  'can_subscribe_group',
  'can_add_subscribers_group',
  'can_remove_subscribers_group',
  'can_administer_channel_group',
  'can_resolve_topics_group',
  'can_move_messages_within_channel_group',
  'can_move_messages_out_of_channel_group',
  'can_delete_own_message_group',
  'can_delete_any_message_group',
] as const;

/** deletes lists the settings that decide who deletes messages, grants those that let people read private channels. */
export const deletes: ReadonlySet<string> = new Set(['can_delete_own_message_group', 'can_delete_any_message_group']);
export const grants: ReadonlySet<string> = new Set(['can_subscribe_group', 'can_add_subscribers_group']);

export type Privacy = 'web' | 'public' | 'shared' | 'protected';

export function privacyOf(c: Channel): Privacy {
  if (c.is_web_public) return 'web';
  if (!c.invite_only) return 'public';
  return c.history_public_to_subscribers ? 'shared' : 'protected';
}

/** flags returns the request parameters for a privacy type. */
export function flags(p: Privacy): {
  is_private: boolean;
  is_web_public: boolean;
  history_public_to_subscribers: boolean;
} {
  return {
    is_private: p === 'shared' || p === 'protected',
    is_web_public: p === 'web',
    history_public_to_subscribers: p !== 'protected',
  };
}

/** tagged returns a channel's name as it is written in a list of any text direction. */
export const tagged = (name: string): string => `\u2068#${name}\u2069`;
