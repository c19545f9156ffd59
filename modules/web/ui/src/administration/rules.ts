import { store } from '../client.ts';
import { admin } from '../texts/admin.ts';
import { reader } from '../texts/language.svelte.ts';
import { deletes, history } from './consequences.ts';
import { sendTestWelcome } from './calls.ts';
import { check, choice, field, inChannels, mailed, type FieldGroup, type Input } from './fields.ts';

interface Named {
  id: number;
  name: string;
}

/** limit is a duration after which an action is no longer allowed. The server stores seconds. */
const limit: Input = {
  kind: 'time',
  unit: 'minutes',
  per: 60,
  presets: [1, 2, 10, 60, 24 * 60, 7 * 24 * 60, 30 * 24 * 60],
  none: null,
};
const retention: Input = { kind: 'time', unit: 'days', per: 1, presets: [30, 90, 365], none: -1 };

/** callProviders returns the services for video calls that the server offers. */
function callProviders(): [number, string][] {
  const all = Object.values(store.realm.value('realm_available_video_chat_providers') ?? {}) as Named[];
  return all.sort((a, b) => a.id - b.id).map((p) => [p.id, p.id === 0 ? admin.videoNone : p.name]);
}

/** weekdays returns the weekdays as numbered by the server: Monday is 0. */
function weekdays(): [number, string][] {
  const name = new Intl.DateTimeFormat(reader.locale, { weekday: 'long', timeZone: 'UTC' });
  return [0, 1, 2, 3, 4, 5, 6].map((day) => [day, name.format(Date.UTC(2024, 0, 1 + day))]);
}

/** rules lists the settings for messages and notifications. */
export const rules: readonly FieldGroup[] = [
  {
    title: 'editingGroup',
    fields: [
      field('allow_message_editing', check),
      field('message_content_edit_limit_seconds', limit),
      field('message_content_delete_limit_seconds', limit),
      field('move_messages_within_stream_limit_seconds', limit, inChannels),
      field('move_messages_between_streams_limit_seconds', limit, inChannels),
      field(
        'message_edit_history_visibility_policy',
        choice(['all', 'historyAll'], ['moves', 'historyMoves'], ['none', 'historyNone']),
        { asks: history },
      ),
      field('message_retention_days', retention, { asks: deletes }),
    ],
  },
  {
    title: 'topicsAndPreviews',
    fields: [
      field(
        'topics_policy',
        choice(['allow_empty_topic', 'emptyTopicAllowed'], ['disable_empty_topic', 'emptyTopicRefused']),
        inChannels,
      ),
      field('inline_image_preview', check),
      field('inline_url_embed_preview', check, { needs: 'previews' }),
      field('media_preview_size', choice([100, 'previewSmall'], [150, 'previewMedium'], [200, 'previewLarge'])),
      field('default_code_block_language', { kind: 'text' }),
      field('video_chat_provider', { kind: 'choice', options: callProviders }),
      field('jitsi_server_url', { kind: 'text' }, { toServer: (url) => (url === '' ? 'default' : url) }),
    ],
  },
  {
    title: 'noticesGroup',
    fields: [
      field('enable_read_receipts', check),
      field('send_channel_events_messages', check, inChannels),
      field('new_stream_announcements_stream_id', { kind: 'channel' }, inChannels),
      field('signup_announcements_stream_id', { kind: 'channel' }, inChannels),
      field('service_update_announcements_stream_id', { kind: 'channel' }, inChannels),
    ],
  },
  {
    title: 'emailGroup',
    fields: [
      field('message_content_allowed_in_email_notifications', check, mailed),
      field('digest_emails_enabled', check, mailed),
      field('digest_weekday', { kind: 'choice', options: weekdays }, mailed),
      field('send_welcome_emails', check, { ...mailed, needs: 'welcomemails' }),
      field(
        'welcome_message_custom_text',
        { kind: 'text', lines: 4 },
        { trial: { label: 'tryWelcome', done: 'triedWelcome', run: (text) => sendTestWelcome(String(text)) } },
      ),
      field('require_e2ee_push_notifications', check, { needs: 'push' }),
    ],
  },
];
