import type { Draft, NavigationView, QuietHours, Reminder, Scheduled, Snippet } from '../types.ts';

/** Events about the user's own data, by type and op. */
export interface PersonalEvents {
  do_not_disturb: QuietHours;
  alert_words: { alert_words: string[] };
  'user_settings/update': { property: string; value: unknown };
  'drafts/add': { drafts: Draft[] };
  'drafts/update': { draft: Draft };
  'drafts/remove': { draft_id: number };
  'scheduled_messages/add': { scheduled_messages: Scheduled[] };
  'scheduled_messages/update': { scheduled_message: Scheduled };
  /** The message has been deleted or sent. */
  'scheduled_messages/remove': { scheduled_message_id: number };
  'reminders/add': { reminders: Reminder[] };
  'reminders/remove': { reminder_id: number };
  'navigation_view/add': { navigation_view: NavigationView };
  'navigation_view/update': { fragment: string; data: Partial<Omit<NavigationView, 'fragment'>> };
  'navigation_view/remove': { fragment: string };
  'saved_snippets/add': { saved_snippet: Snippet };
  'saved_snippets/update': { saved_snippet: Snippet };
  'saved_snippets/remove': { saved_snippet_id: number };
  onboarding_steps: { onboarding_steps: unknown[] };
  /** upload_space_used is the number of bytes that the organization's files use. */
  'attachment/add': { upload_space_used: number };
  'attachment/update': { upload_space_used: number };
  'attachment/remove': { upload_space_used: number };
  'device/add': { device_id: number };
  'device/update': { device_id: number };
  'device/remove': { device_id: number };
  push_device: { push_account_id: string; status: string };
}
