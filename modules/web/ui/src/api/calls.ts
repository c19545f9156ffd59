import type { Http } from './http.ts';
import type {
  ApiKey,
  GroupValue,
  HistoryEntry,
  Invitation,
  InvitationTerms,
  Message,
  MessagePage,
  Organization,
  PasswordStrength,
  Scheduled,
  Session,
  Subscription,
} from './types.ts';
import type { Conversation } from '../store/narrow.ts';

type EmojiRef = { emoji_name: string; emoji_code: string; reaction_type: string };

/** Calls has one method for each operation that a user starts. The store learns the effects from events. */
export class Calls {
  private http: Http;

  constructor(http: Http) {
    this.http = http;
  }

  // Messages

  rawContent(id: number): Promise<string> {
    return this.http
      .call<{ raw_content: string }>('GET', `/messages/${id}`, { apply_markdown: false })
      .then((a) => a.raw_content);
  }

  message(id: number): Promise<Message> {
    return this.http
      .call<{ message: Message }>('GET', `/messages/${id}`, { allow_empty_topic_name: true })
      .then((a) => a.message);
  }

  edit(id: number, content: string, hash: string | undefined): Promise<unknown> {
    return this.http.call('PATCH', `/messages/${id}`, { content, prev_content_sha256: hash });
  }

  move(
    id: number,
    change: {
      topic?: string;
      stream_id?: number;
      propagate_mode: string;
      send_notification_to_old_thread?: boolean;
      send_notification_to_new_thread?: boolean;
    },
  ): Promise<unknown> {
    return this.http.call('PATCH', `/messages/${id}`, change);
  }

  remove(id: number): Promise<unknown> {
    return this.http.call('DELETE', `/messages/${id}`);
  }

  history(id: number): Promise<HistoryEntry[]> {
    return this.http
      .call<{ message_history: HistoryEntry[] }>('GET', `/messages/${id}/history`, {
        allow_empty_topic_name: true,
      })
      .then((a) => a.message_history);
  }

  readers(id: number): Promise<number[]> {
    return this.http.call<{ user_ids: number[] }>('GET', `/messages/${id}/read_receipts`).then((a) => a.user_ids);
  }

  render(content: string): Promise<string> {
    return this.http.call<{ rendered: string }>('POST', '/messages/render', { content }).then((a) => a.rendered);
  }

  react(id: number, emoji: EmojiRef, add: boolean): Promise<unknown> {
    return this.http.call(add ? 'POST' : 'DELETE', `/messages/${id}/reactions`, { ...emoji });
  }

  flag(ids: number[], flag: string, on: boolean): Promise<unknown> {
    return this.http.call('POST', '/messages/flags', { messages: ids, op: on ? 'add' : 'remove', flag });
  }

  markNarrowRead(narrow: unknown[]): Promise<{ found_newest: boolean; last_processed_id: number | null }> {
    return this.http.call('POST', '/messages/flags/narrow', {
      anchor: 'oldest',
      num_before: 0,
      num_after: 5000,
      op: 'add',
      flag: 'read',
      narrow: [...narrow, { operator: 'is', operand: 'unread' }],
    });
  }

  markAllRead(): Promise<unknown> {
    return this.http.call('POST', '/mark_all_as_read', {}, { timeout: 90_000 });
  }

  report(id: number, type: string, description: string): Promise<unknown> {
    return this.http.call('POST', `/messages/${id}/report`, { report_type: type, description });
  }

  /** slash runs a slash command of a module in a conversation, and returns its answer as HTML. */
  slash(command: string, to: Conversation): Promise<string> {
    const where =
      to.kind === 'topic' ? { type: 'channel', to: to.channel, topic: to.topic } : { type: 'direct', to: to.users };
    return this.http.call<{ content: string }>('POST', '/stoa/slash', { command, ...where }).then((a) => a.content);
  }

  /** command runs a slash command on the server and returns the server's reply. */
  command(command: string): Promise<string> {
    return this.http.call<{ msg: string }>('POST', '/zcommand', { command }).then((a) => a.msg);
  }

  submessage(id: number, content: unknown): Promise<unknown> {
    return this.http.call('POST', '/submessage', {
      message_id: id,
      msg_type: 'widget',
      content: JSON.stringify(content),
    });
  }

  firstMessage(narrow: unknown[]): Promise<number | undefined> {
    return this.http
      .call<{ messages: { id: number }[] }>('GET', '/messages', {
        anchor: 'newest',
        num_before: 1,
        num_after: 0,
        narrow,
        allow_empty_topic_name: true,
      })
      .then((a) => a.messages[0]?.id);
  }

  /**
   * messageAt returns the ID of the first message sent at or after a time, or of the newest message if there is none.
   */
  messageAt(narrow: unknown[], at: Date): Promise<number | undefined> {
    return this.http
      .call<{ messages: { id: number }[]; anchor: number }>('GET', '/messages', {
        anchor: 'date',
        anchor_date: at.toISOString(),
        num_before: 1,
        num_after: 0,
        narrow,
        allow_empty_topic_name: true,
      })
      .then((a) => a.messages.find((m) => m.id === a.anchor)?.id ?? a.messages.at(-1)?.id);
  }

  // Channels and topics

  setPolicy(channel: number, topic: string, policy: number): Promise<unknown> {
    return this.http.call('POST', '/user_topics', { stream_id: channel, topic, visibility_policy: policy });
  }

  setSubscription<K extends keyof Subscription>(
    channel: number,
    property: K,
    value: NonNullable<Subscription[K]>,
  ): Promise<unknown> {
    return this.http.call('POST', '/users/me/subscriptions/properties', {
      subscription_data: [{ stream_id: channel, property, value }],
    });
  }

  /** setSubscriptions changes several of the user's own settings of a channel. */
  setSubscriptions(channel: number, settings: Partial<Subscription>): Promise<unknown> {
    return this.http.call('POST', '/users/me/subscriptions/properties', {
      subscription_data: Object.entries(settings).map(([property, value]) => ({
        stream_id: channel,
        property,
        value,
      })),
    });
  }

  subscribe(name: string, people?: number[]): Promise<unknown> {
    return this.http.call('POST', '/users/me/subscriptions', {
      subscriptions: [{ name }],
      ...(people ? { principals: people } : {}),
    });
  }

  unsubscribe(name: string, people?: number[]): Promise<unknown> {
    return this.http.call('DELETE', '/users/me/subscriptions', {
      subscriptions: [name],
      ...(people ? { principals: people } : {}),
    });
  }

  createChannel(channel: {
    name: string;
    description: string;
    invite_only: boolean;
    is_web_public?: boolean;
    history_public_to_subscribers: boolean;
    subscribers: number[];
  }): Promise<number> {
    return this.http.call<{ id: number }>('POST', '/channels/create', channel).then((a) => a.id);
  }

  archiveChannel(id: number): Promise<unknown> {
    return this.http.call('DELETE', `/streams/${id}`);
  }

  createFolder(name: string): Promise<number> {
    return this.http
      .call<{ channel_folder_id: number }>('POST', '/channel_folders/create', { name, description: '' })
      .then((a) => a.channel_folder_id);
  }

  subscribers(channel: number): Promise<number[]> {
    return this.http.call<{ subscribers: number[] }>('GET', `/streams/${channel}/members`).then((a) => a.subscribers);
  }

  // The current user

  setSetting(name: string, value: unknown): Promise<unknown> {
    return this.http.call('PATCH', '/settings', { [name]: value });
  }

  setPassword(old: string, next: string): Promise<unknown> {
    return this.http.call('PATCH', '/settings', { old_password: old, new_password: next });
  }

  /** passwordStrength has the server judge a new password: the caller's own, or that of somebody else. */
  passwordStrength(password: string, of?: { email: string; full_name: string }): Promise<PasswordStrength> {
    return this.http.call('POST', '/stoa/password/strength', { password, ...of });
  }

  setStatus(
    text: string,
    emoji: { emoji_name: string; emoji_code?: string; reaction_type?: string },
    scheduled_end_time: number,
  ): Promise<unknown> {
    return this.http.call('POST', '/users/me/status', { status_text: text, ...emoji, scheduled_end_time });
  }

  ownKey(password: string): Promise<{ api_key: string }> {
    return this.http.call('POST', '/fetch_api_key', { password });
  }

  renewOwnKey(): Promise<{ api_key: string }> {
    return this.http.call('POST', '/users/me/api_key/regenerate');
  }

  setQuietHours(change: { paused_until?: number; schedule?: object }): Promise<unknown> {
    return this.http.call('PATCH', '/users/me/do_not_disturb', change);
  }

  removeAvatar(): Promise<unknown> {
    return this.http.call('DELETE', '/users/me/avatar');
  }

  setMutedUser(user: number, on: boolean): Promise<unknown> {
    return this.http.call(on ? 'POST' : 'DELETE', `/users/me/muted_users/${user}`);
  }

  setAlertWord(word: string, on: boolean): Promise<unknown> {
    return this.http.call(on ? 'POST' : 'DELETE', '/users/me/alert_words', { alert_words: [word] });
  }

  organizations(): Promise<Organization[]> {
    return this.http.call<{ organizations: Organization[] }>('GET', '/organizations').then((a) => a.organizations);
  }

  sessions(): Promise<Session[]> {
    return this.http.call<{ sessions: Session[] }>('GET', '/sessions').then((a) => a.sessions);
  }

  endSession(id: number): Promise<unknown> {
    return this.http.call('DELETE', `/sessions/${id}`);
  }

  apiKeys(): Promise<ApiKey[]> {
    return this.http.call<{ api_keys: ApiKey[] }>('GET', '/stoa/api_keys').then((a) => a.api_keys);
  }

  revokeApiKey(id: string): Promise<unknown> {
    return this.http.call('DELETE', `/stoa/api_keys/${id}`);
  }

  endOtherSessions(): Promise<unknown> {
    return this.http.call('DELETE', '/sessions');
  }

  profileData(user: number): Promise<Record<string, { value: string; rendered_value?: string }>> {
    return this.http
      .call<{ user: { profile_data?: Record<string, { value: string; rendered_value?: string }> } }>(
        'GET',
        `/users/${user}`,
        { include_custom_profile_fields: true },
      )
      .then((a) => a.user.profile_data ?? {});
  }

  /** setProfileDataOf sets a field in another user's profile. Only administrators may do this. */
  setProfileDataOf(user: number, field: number, value: string | number[]): Promise<unknown> {
    const data = [{ id: field, value: value.length === 0 ? null : value }];
    return this.http.call('PATCH', `/users/${user}`, { profile_data: data });
  }

  setProfileData(field: number, value: string | number[]): Promise<unknown> {
    return value.length === 0
      ? this.http.call('DELETE', '/users/me/profile_data', { data: [field] })
      : this.http.call('PATCH', '/users/me/profile_data', { data: [{ id: field, value }] });
  }

  webPushKey(): Promise<string> {
    return this.http.call<{ public_key: string }>('GET', '/web_push/key').then((a) => a.public_key);
  }

  registerWebPush(subscription: object): Promise<number> {
    return this.http
      .call<{ device_id: number }>('POST', '/web_push/register', { subscription })
      .then((a) => a.device_id);
  }

  removeDevice(device: number): Promise<unknown> {
    return this.http.call('POST', '/remove_client_device', { device_id: device });
  }

  // Pinned views

  addView(fragment: string, name: string): Promise<unknown> {
    return this.http.call('POST', '/navigation_views', { fragment, is_pinned: true, name });
  }

  renameView(fragment: string, name: string): Promise<unknown> {
    return this.http.call('PATCH', `/navigation_views/${encodeURIComponent(fragment)}`, { name });
  }

  removeView(fragment: string): Promise<unknown> {
    return this.http.call('DELETE', `/navigation_views/${encodeURIComponent(fragment)}`);
  }

  // Groups

  createGroup(name: string, description: string, members: number[]): Promise<number> {
    return this.http
      .call<{ group_id: number }>('POST', '/user_groups/create', { name, description, members })
      .then((a) => a.group_id);
  }

  updateGroup(
    id: number,
    change: { name?: string; description?: string; can_join_group?: { new: GroupValue } },
  ): Promise<unknown> {
    return this.http.call('PATCH', `/user_groups/${id}`, change);
  }

  changeGroup(id: number, change: { add?: number[]; delete?: number[] }): Promise<unknown> {
    return this.http.call('POST', `/user_groups/${id}/members`, change);
  }

  deactivateGroup(id: number): Promise<unknown> {
    return this.http.call('POST', `/user_groups/${id}/deactivate`);
  }

  // Scheduled messages, reminders and snippets

  schedule(to: Conversation, content: string, at: number): Promise<unknown> {
    return this.http.call('POST', '/scheduled_messages', {
      ...(to.kind === 'topic'
        ? { type: 'channel', to: to.channel, topic: to.topic }
        : { type: 'direct', to: to.users }),
      content,
      scheduled_delivery_timestamp: at,
    });
  }

  reschedule(s: Scheduled, at: number): Promise<unknown> {
    return this.http.call('PATCH', `/scheduled_messages/${s.scheduled_message_id}`, {
      scheduled_delivery_timestamp: at,
    });
  }

  unschedule(id: number): Promise<unknown> {
    return this.http.call('DELETE', `/scheduled_messages/${id}`);
  }

  remind(message: number, at: number, note: string): Promise<unknown> {
    return this.http.call('POST', '/reminders', {
      message_id: message,
      scheduled_delivery_timestamp: at,
      ...(note ? { note } : {}),
    });
  }

  forgetReminder(id: number): Promise<unknown> {
    return this.http.call('DELETE', `/reminders/${id}`);
  }

  saveSnippet(title: string, content: string): Promise<unknown> {
    return this.http.call('POST', '/saved_snippets', { title, content });
  }

  deleteSnippet(id: number): Promise<unknown> {
    return this.http.call('DELETE', `/saved_snippets/${id}`);
  }

  /** hasWritten reports whether a user has sent a message that the current user can read. */
  hasWritten(user: number): Promise<boolean> {
    return this.http
      .call<MessagePage>('GET', '/messages', {
        anchor: 'newest',
        num_before: 1,
        num_after: 0,
        narrow: [{ operator: 'sender', operand: user }],
        apply_markdown: false,
        client_gravatar: false,
        allow_empty_topic_name: true,
      })
      .then((page) => page.messages.length > 0);
  }

  // Invitations

  inviteLink(terms: InvitationTerms): Promise<string> {
    return this.http
      .call<{ invite_link: string }>('POST', '/invites/multiuse', { ...terms })
      .then((a) => a.invite_link);
  }

  invitations(): Promise<Invitation[]> {
    return this.http.call<{ invites: Invitation[] }>('GET', '/invites').then((a) => a.invites);
  }

  revokeInvitation(i: Invitation): Promise<unknown> {
    return this.http.call('DELETE', i.is_multiuse ? `/invites/multiuse/${i.id}` : `/invites/${i.id}`);
  }

  /** createBigBlueButton returns the URL of a new meeting. */
  createBigBlueButton(name: string): Promise<string> {
    return this.http
      .call<{ url: string }>('GET', '/calls/bigbluebutton/create', { meeting_name: name })
      .then((a) => a.url);
  }

  invite(emails: string, terms: InvitationTerms & { notify_referrer_on_join?: boolean }): Promise<unknown> {
    return this.http.call('POST', '/invites', { invitee_emails: emails, ...terms });
  }
}

/**
 * sha256 returns the hex digest of a text, or undefined on pages without HTTPS, where browsers do not offer
 * crypto.subtle.
 */
export async function sha256(text: string): Promise<string | undefined> {
  if (!globalThis.crypto?.subtle) return undefined;
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return [...new Uint8Array(digest)].map((b) => b.toString(16).padStart(2, '0')).join('');
}
