// The server's data types, limited to the fields that the client reads.

export interface User {
  user_id: number;
  email: string;
  delivery_email?: string | null;
  full_name: string;
  avatar_url?: string | null;
  is_bot: boolean;
  bot_type?: number | null;
  bot_owner_id?: number | null;
  is_system_bot?: boolean;
  is_admin: boolean;
  is_owner: boolean;
  is_guest: boolean;
  is_active?: boolean;
  role: number;
  timezone: string;
  date_joined?: string;
  profile_data?: Record<string, { value: string; rendered_value?: string }>;
}

/** Bot holds the fields of a bot that only its owner and administrators receive. */
export interface Bot {
  user_id: number;
  services: { base_url?: string; interface?: number; token?: string }[];
  default_sending_stream?: string | null;
  default_events_register_stream?: string | null;
  default_all_public_streams?: boolean;
}

export type GroupValue = number | { direct_members: number[]; direct_subgroups: number[] };

export interface Channel {
  stream_id: number;
  name: string;
  description: string;
  rendered_description: string;
  invite_only: boolean;
  is_web_public: boolean;
  history_public_to_subscribers: boolean;
  is_archived?: boolean;
  is_recently_active?: boolean;
  subscriber_count?: number;
  topics_policy?: string;
  folder_id?: number | null;
  can_send_message_group: GroupValue;
  can_administer_channel_group?: GroupValue;
  can_add_subscribers_group?: GroupValue;
  can_remove_subscribers_group?: GroupValue;
  can_subscribe_group?: GroupValue;
  can_create_topic_group?: GroupValue;
  can_resolve_topics_group?: GroupValue;
  can_delete_any_message_group?: GroupValue;
  can_delete_own_message_group?: GroupValue;
  can_move_messages_out_of_channel_group?: GroupValue;
  can_move_messages_within_channel_group?: GroupValue;
  message_retention_days?: number | null;
}

export interface Subscription extends Channel {
  color: string;
  is_muted: boolean;
  pin_to_top: boolean;
  desktop_notifications: boolean | null;
  audible_notifications?: boolean | null;
  wildcard_mentions_notify?: boolean | null;
  push_notifications?: boolean | null;
  email_notifications?: boolean | null;
}

export interface UserGroup {
  id: number;
  name: string;
  description: string;
  members: number[];
  direct_subgroup_ids: number[];
  is_system_group: boolean;
  deactivated?: boolean;
  can_join_group?: GroupValue;
  can_leave_group?: GroupValue;
  can_manage_group?: GroupValue;
  can_add_members_group?: GroupValue;
  can_remove_members_group?: GroupValue;
  can_mention_group?: GroupValue;
}

export interface Reaction {
  emoji_name: string;
  emoji_code: string;
  reaction_type: string;
  user_id: number;
}

export interface Submessage {
  id: number;
  message_id: number;
  sender_id: number;
  msg_type: string;
  content: string;
}

export interface Person {
  id: number;
  email: string;
  full_name: string;
}

export interface Message {
  id: number;
  type: 'stream' | 'private';
  sender_id: number;
  sender_full_name: string;
  sender_email: string;
  avatar_url: string | null;
  content: string;
  timestamp: number;
  is_me_message: boolean;
  stream_id?: number;
  subject: string;
  display_recipient: string | Person[];
  reactions: Reaction[];
  submessages: Submessage[];
  flags: string[];
  last_edit_timestamp?: number;
  last_moved_timestamp?: number;
  match_content?: string | undefined;
}

export interface Draft {
  id: number;
  type: '' | 'stream' | 'private';
  to: number[];
  topic: string;
  content: string;
  timestamp: number;
}

export interface Scheduled {
  scheduled_message_id: number;
  type: 'stream' | 'private';
  to: number | number[];
  topic?: string;
  content: string;
  rendered_content: string;
  scheduled_delivery_timestamp: number;
  failed: boolean;
}

export interface Reminder {
  reminder_id: number;
  content: string;
  rendered_content: string;
  scheduled_delivery_timestamp: number;
  failed: boolean;
  reminder_target_message_id: number;
}

export interface Snippet {
  id: number;
  title: string;
  content: string;
}

/** QuietHours is when the user's notifications are silenced. */
export interface QuietHours {
  /** paused_until is in seconds; 0 means not paused. */
  paused_until: number;
  /** schedule lists when notifications are allowed. Day 1 is Monday, and times have the form 09:00. */
  schedule: { days: number[]; from: string; to: string } | null;
}

export interface Status {
  status_text?: string;
  emoji_name?: string;
  emoji_code?: string;
  reaction_type?: string;
  /** scheduled_end_time is when the server removes the status, in seconds. In events, 0 means never. */
  scheduled_end_time?: number;
}

export interface Presence {
  active_timestamp: number;
  idle_timestamp: number;
}

export interface CustomEmoji {
  id: string;
  name: string;
  source_url: string;
  still_url?: string | null;
  author_id?: number | null;
  deactivated: boolean;
}

export interface UserTopic {
  stream_id: number;
  topic_name: string;
  last_updated: number;
  visibility_policy: number;
}

export interface UnreadMessages {
  count: number;
  pms: { other_user_id: number; unread_message_ids: number[] }[];
  streams: { stream_id: number; topic: string; unread_message_ids: number[] }[];
  huddles: { user_ids_string: string; unread_message_ids: number[] }[];
  mentions: number[];
  /** wildcard_mentions are those that mention the user only with others. Muted places count no such mentions. */
  wildcard_mentions?: number[];
}

/** NavigationView is a view in the user's sidebar. fragment is its address without #. */
export interface NavigationView {
  fragment: string;
  is_pinned: boolean;
  name: string | null;
}

export interface ProfileField {
  id: number;
  type: number;
  name: string;
  order: number;
  hint: string;
  field_data: string;
  required?: boolean;
  editable_by_user?: boolean;
  display_in_profile_summary?: boolean;
  use_for_user_matching?: boolean;
}

export interface Linkifier {
  id: number;
  pattern: string;
  url_template: string;
  example_input: string | null;
  reverse_template: string | null;
  alternative_url_templates: string[];
}

export interface Playground {
  id: number;
  name: string;
  pygments_language: string;
  url_template: string;
}

/** Integration is a service whose incoming webhooks the server understands. */
export interface Integration {
  name: string;
  display_name: string;
  all_event_types: string[] | null;
  url_options: { key: string; label: string; validator: string }[];
}

/** AccountService is a service whose accounts a profile field can link to. */
export interface AccountService {
  text: string;
  name: string;
  url_pattern: string;
}

/** ReportType is a reason for reporting a message. */
export interface ReportType {
  key: string;
  name: string;
}

/** PermissionRule states which groups a permission setting accepts. */
export interface PermissionRule {
  require_system_group: boolean;
  allow_nobody_group: boolean;
  allow_everyone_group: boolean;
  allowed_system_groups: string[];
}

export type PermissionScope = 'realm' | 'stream' | 'group';

export interface AllowedDomain {
  domain: string;
  allow_subdomains: boolean;
}

/** DataExport is an export of the organization's data. Times are in seconds. */
export interface DataExport {
  id: number;
  acting_user_id: number;
  export_time: number;
  deleted_timestamp: number | null;
  failed_timestamp: number | null;
  export_url: string | null;
  pending: boolean;
  export_type: 'public' | 'full_with_consent' | 'full_without_consent';
}

/** AuditEntry is an entry of the audit log. */
export interface AuditEntry {
  id: number;
  /** time is in the format of RFC 3339. */
  time: string;
  action: string;
  outcome: 'ok' | 'refused';
  actor_kind: 'user' | 'operator' | 'system';
  actor_id: number | null;
  target_kind: string;
  target: string;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
  ip: string;
  client: string;
}

export interface AuditPage {
  entries: AuditEntry[];
  more: boolean;
}

export interface ExportConsent {
  user_id: number;
  consented: boolean;
}

export interface Session {
  id: number;
  created_at: number;
  last_used_at: number;
  client: string;
  current: boolean;
}

/** ApiKey is a key with which an app or program acts as the user, without the key itself. */
export interface ApiKey {
  key_id: string;
  client: string;
  created_at: number;
  last_used_at: number | null;
  address: string;
}

/** Organization is one in which this browser has a login. */
export interface Organization {
  name: string;
  url: string;
  icon_url: string;
  current: boolean;
}

export interface Invitation {
  id: number;
  invited_by_user_id: number;
  invited_as: number;
  invited: number;
  expiry_date: number | null;
  is_multiuse: boolean;
  /** uses is the number of people who have joined. */
  uses: number;
  stream_ids: number[];
  group_ids: number[];
  include_realm_default_subscriptions: boolean;
  email?: string;
  /** link_url is empty if the user may not know the link. */
  link_url?: string;
}

/** InvitationTerms is what people get when they accept an invitation. */
export interface InvitationTerms {
  invite_as: number;
  invite_expires_in_minutes: number | null;
  stream_ids: number[];
  group_ids: number[];
  include_realm_default_subscriptions: boolean;
  welcome_message_custom_text?: string;
}

export interface Folder {
  id: number;
  name: string;
  description: string;
  rendered_description: string;
  order: number;
  is_archived: boolean;
}

export type Settings = Record<string, unknown>;

/** Change is a new value of one property of T. */
export type Change<T> = { [P in keyof T]-?: { property: P; value: Exclude<T[P], undefined> } }[keyof T];

/** ModuleSetting is a setting that a module of the server declares. */
export interface ModuleSetting {
  key: string;
  module: string;
  /** label and doc are in English. */
  label: string;
  doc: string;
  kind: 'bool' | 'int' | 'option' | 'text' | 'group';
  min?: number;
  max?: number;
  options?: string[];
  rule?: PermissionRule;
  owners_only?: boolean;
  /** public settings are part of the profile of users, or of the details of channels. */
  public?: boolean;
  default: unknown;
  /** value is that of the organization or the user. */
  value?: unknown;
  /** values holds those of channels, or of users if they are public, by ID, that are not the default. */
  values?: Record<string, unknown>;
}

/** SlashCommand is a command of a module of the server, with its texts in English. */
export interface SlashCommand {
  name: string;
  module: string;
  /** usage hints at what follows the name. */
  usage: string;
  doc: string;
}

/** SearchOperator is an operator of searches of a module of the server, with its text in English. */
export interface SearchOperator {
  name: string;
  module: string;
  doc: string;
}

export type SettingScope = 'realm' | 'user' | 'channel';

export interface Snapshot {
  /** stoa_settings is missing if the server is older. */
  stoa_settings?: Record<SettingScope, ModuleSetting[]>;
  /** stoa_slash_commands lists what modules of the server declare. */
  stoa_slash_commands?: SlashCommand[];
  stoa_search_operators?: SearchOperator[];
  /** stoa_imports says whether the user may import organizations, and from where the user's was imported. */
  stoa_imports?: { imported_from: string; offered: boolean };
  /** stoa_modules names the modules that the server runs. */
  stoa_modules?: string[];
  queue_id: string;
  last_event_id: number;
  event_queue_longpoll_timeout_seconds: number;
  user_id: number;
  full_name: string;
  email: string;
  realm_users: User[];
  realm_non_active_users: User[];
  cross_realm_bots: User[];
  realm_bots: Bot[];
  realm_user_groups: UserGroup[];
  realm_emoji: Record<string, CustomEmoji>;
  subscriptions: Subscription[];
  unsubscribed: Subscription[];
  never_subscribed: Channel[];
  channel_folders: Folder[];
  unread_msgs: UnreadMessages;
  starred_messages: number[];
  recent_private_conversations: { max_message_id: number; user_ids: number[] }[];
  user_topics: UserTopic[];
  muted_users: { id: number; timestamp: number }[];
  user_settings: Settings;
  user_status: Record<string, Status>;
  presences: Record<string, Presence>;
  presence_last_update_id: number;
  server_timestamp: number;
  drafts: Draft[];
  scheduled_messages: Scheduled[];
  reminders: Reminder[];
  saved_snippets: Snippet[];
  navigation_views: NavigationView[];
  alert_words: string[];
  /** do_not_disturb is missing if the server has no notifications. */
  do_not_disturb?: QuietHours;
  custom_profile_fields: ProfileField[];
  max_message_id: number;
  realm_linkifiers: Linkifier[];
  realm_playgrounds: Playground[];
  realm_domains: AllowedDomain[];
  realm_default_streams: number[];
  realm_user_settings_defaults: Settings & { available_notification_sounds?: string[] };
  realm_incoming_webhook_bots: Integration[];
  realm_default_external_accounts: Record<string, AccountService>;
  server_supported_permission_settings: Record<PermissionScope, Record<string, PermissionRule>>;
  server_report_message_types: ReportType[];
  [key: `realm_${string}`]: unknown;
  [key: `server_${string}`]: unknown;
  [key: `max_${string}`]: unknown;
}

export interface Term {
  operator: string;
  operand: string | number | number[];
  negated?: boolean;
}

export interface MessagePage {
  messages: Message[];
  anchor: number;
  found_anchor: boolean;
  found_oldest: boolean;
  found_newest: boolean;
}

export interface HistoryEntry {
  user_id: number | null;
  timestamp: number;
  topic: string;
  prev_topic?: string;
  stream?: number;
  prev_stream?: number;
  rendered_content: string;
  content_html_diff?: string;
}

/** Needs is what a part of the client needs of the server to have a purpose: one module, or several together. */
export type Needs = ModuleName | readonly ModuleName[];

/** ModuleName is a module of the server that a part of the client needs. */
export type ModuleName =
  | 'alertwords'
  | 'apidocs'
  | 'audit'
  | 'avatars'
  | 'bots'
  | 'channels'
  | 'deactivationmail'
  | 'drafts'
  | 'emoji'
  | 'exports'
  | 'groups'
  | 'identities'
  | 'scim'
  | 'imports'
  | 'invites'
  | 'linkifiers'
  | 'logos'
  | 'mailnotify'
  | 'mutes'
  | 'navigation'
  | 'notifications'
  | 'outgoing'
  | 'playgrounds'
  | 'presence'
  | 'previews'
  | 'profilefields'
  | 'push'
  | 'reports'
  | 'scheduled'
  | 'snippets'
  | 'status'
  | 'topics'
  | 'twofactor'
  | 'typing'
  | 'uploads'
  | 'webhooks'
  | 'welcomemails'
  | 'widgets';

/** PasswordStrength is what the server thinks of a new password. */
export interface PasswordStrength {
  /** score is from 0 (very easy to guess) to 4 (very hard). */
  score: number;
  refused: '' | 'short' | 'long' | 'weak' | 'breached';
}
