import type { Change, Channel, Folder, Subscription, UserTopic } from '../types.ts';

/** Events about channels, subscriptions and topics, by type and op. */
export interface ChannelEvents {
  /** The channels are new, or the user has gained access to them. */
  'stream/create': { streams: Channel[] };
  /** The channels are gone, or the user has lost access to them. */
  'stream/delete': { stream_ids: number[] };
  'stream/update': {
    stream_id: number;
    /** name is the current name, or the former one if the name has changed. */
    name: string;
    rendered_description?: string;
    history_public_to_subscribers?: boolean;
    is_web_public?: boolean;
  } & (
    | Change<Omit<Channel, 'stream_id' | 'rendered_description' | 'subscriber_count'>>
    | { property: 'first_message_id' | 'stream_weekly_traffic'; value: number | null }
    | { property: 'stream_post_policy'; value: number }
    | { property: 'is_announcement_only'; value: boolean }
  );
  'subscription/add': { subscriptions: Subscription[] };
  'subscription/remove': { subscriptions: { stream_id: number; name: string }[] };
  'subscription/update': { stream_id: number } & (
    | Change<Omit<Subscription, keyof Channel>>
    | { property: 'in_home_view' | 'audible_notifications' | 'wildcard_mentions_notify'; value: boolean }
  );
  'subscription/peer_add': { stream_ids: number[]; user_ids: number[] };
  'subscription/peer_remove': { stream_ids: number[]; user_ids: number[] };
  'channel_folder/add': { channel_folder: Folder };
  'channel_folder/update': {
    channel_folder_id: number;
    data: Partial<Pick<Folder, 'name' | 'description' | 'rendered_description' | 'is_archived'>>;
  };
  /** order contains the IDs of all folders. */
  'channel_folder/reorder': { order: number[] };
  default_streams: { default_streams: number[] };
  default_stream_groups: {
    default_stream_groups: { id: number; name: string; description: string; streams: number[] }[];
  };
  user_topic: UserTopic;
  /** muted_topics is sent beside user_topic, for older clients. */
  muted_topics: { muted_topics: (string | number)[][] };
}
