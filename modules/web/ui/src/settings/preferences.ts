import { defaults } from '../administration/defaults.ts';
import { named, type Field, type FieldGroup, type Option } from '../administration/fields.ts';
import { store } from '../client.ts';
import { reader } from '../texts/language.svelte.ts';
import { personal } from '../texts/personal.ts';
import { languages } from '../texts/languages.ts';
import { browserZone } from './zone.ts';

// The user's settings. They are described like the defaults for new users, where there are any.

const described = new Map(defaults.flatMap((g) => g.fields).map((f) => [f.key, f]));
const own = (...keys: string[]): Field[] => keys.map((key) => described.get(key)!);

const SIZES = [12, 14, 16, 18, 20, 24, 28, 32];
const LINES = [115, 130, 140, 155, 175, 200];

/** percentages offers the usual values of a setting and its present one. whole is the value of 100 %. */
function percentages(key: string, usual: number[], whole: number): () => Option[] {
  return () => {
    const percent = new Intl.NumberFormat(reader.locale, { style: 'percent' });
    const now = store.personal.settings[key];
    const all = new Set([...usual, ...(typeof now === 'number' ? [now] : [])]);
    return [...all].sort((a, b) => a - b).map((n) => [n, percent.format(n / whole)]);
  };
}

function zones(): Option[] {
  const now = String(store.personal.settings.timezone ?? '');
  const all = new Set([...Intl.supportedValuesOf('timeZone'), 'UTC', browserZone(), ...(now ? [now] : [])]);
  return [['', personal.noTimezone], ...[...all].map((name): Option => [name, name.replaceAll('_', ' ')])];
}

export const appearance: readonly FieldGroup[] = [
  {
    of: 'user',
    fields: [
      named('default_language', 'ownLanguage', {
        kind: 'choice',
        options: () => languages.map((l) => [l.code, l.name, l.tag]),
      }),
      ...own('color_scheme', 'web_home_view'),
      named('web_font_size_px', 'fontSize', { kind: 'choice', options: percentages('web_font_size_px', SIZES, 16) }),
      named('web_line_height_percent', 'lineHeight', {
        kind: 'choice',
        options: percentages('web_line_height_percent', LINES, 100),
      }),
    ],
  },
];

export const dates: readonly FieldGroup[] = [
  {
    title: 'datesAndTimes',
    of: 'user',
    fields: [...own('twenty_four_hour_time'), named('timezone', 'timezone', { kind: 'choice', options: zones })],
  },
];

export const behaviour: readonly FieldGroup[] = [
  {
    title: 'writingAndReading',
    of: 'user',
    fields: own(
      'enter_sends',
      'translate_emoticons',
      'enable_drafts_synchronization',
      'web_left_sidebar_show_channel_folders',
      'display_emoji_reaction_users',
      'web_escape_navigates_to_home_view',
    ),
  },
];

export const inBrowser: readonly FieldGroup[] = [
  {
    of: 'user',
    fields: own(
      'enable_desktop_notifications',
      'enable_followed_topic_desktop_notifications',
      'enable_stream_desktop_notifications',
      'wildcard_mentions_notify',
      'pm_content_in_desktop_notifications',
      'enable_sounds',
    ),
  },
];

export const elsewhere: readonly FieldGroup[] = [
  {
    title: 'onPhone',
    of: 'user',
    fields: own('enable_offline_push_notifications', 'enable_offline_email_notifications'),
  },
  { title: 'topicsGroup', of: 'user', fields: own('automatically_follow_topics_policy') },
  {
    title: 'privacy',
    of: 'user',
    fields: [
      ...own(
        'send_read_receipts',
        'send_private_typing_notifications',
        'send_stream_typing_notifications',
        'presence_enabled',
      ),
      named('allow_private_data_export', 'allowExport', { kind: 'check' }, { needs: 'exports' }),
    ],
  },
];
