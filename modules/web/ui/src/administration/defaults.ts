import { store } from '../client.ts';
import { text } from '../texts/index.ts';
import { check, choice, field, inChannels, mailed, named, type FieldGroup, type More } from './fields.ts';

function sounds(): [string, string][] {
  return [...(store.realm.userDefaults.available_notification_sounds ?? []), 'none'].map((name) => [
    name,
    (text.soundNames as Record<string, string>)[name] ?? name,
  ]);
}

/** inTopics marks settings for topics that users follow or mute. */
const inTopics: More = { needs: ['channels', 'topics'] };

const policy = choice([1, 'policyParticipate'], [2, 'policySend'], [3, 'policyStart'], [4, 'policyNever']);

/** defaults lists the default settings of new users. Their language is the organization's. */
export const defaults: readonly FieldGroup[] = [
  {
    title: 'display',
    of: 'defaults',
    fields: [
      named('color_scheme', 'theme', choice([1, 'themeAuto'], [3, 'themeLight'], [2, 'themeDark'])),
      named('web_home_view', 'homeView', choice(['inbox', 'inbox'], ['recent', 'recent'], ['all_messages', 'feed'])),
      named('web_escape_navigates_to_home_view', 'escapeHome', check),
      named('twenty_four_hour_time', 'twentyFour', check),
      named('enter_sends', 'enterSends', check),
      named('translate_emoticons', 'emoticons', check),
      named('display_emoji_reaction_users', 'reactionNames', check),
      named('web_left_sidebar_show_channel_folders', 'showFolders', check, inChannels),
      field('web_inbox_show_channel_folders', check, inChannels),
      field('web_left_sidebar_unreads_count_summary', check),
      named('enable_drafts_synchronization', 'syncDrafts', check, { needs: 'drafts' }),
      field(
        'web_channel_default_view',
        choice([1, 'viewTop'], [4, 'viewUnread'], [3, 'viewList'], [2, 'viewFeed']),
        inChannels,
      ),
      field('web_mark_read_on_scroll_policy', choice([1, 'always'], [2, 'readConversations'], [3, 'never'])),
      field(
        'web_stream_unreads_count_display_policy',
        choice([1, 'unreadAll'], [2, 'unreadUnmuted'], [3, 'unreadNone']),
        inChannels,
      ),
      field('web_animate_image_previews', choice(['always', 'always'], ['on_hover', 'onHover'], ['never', 'never'])),
      field('demote_inactive_streams', choice([1, 'automatically'], [2, 'always'], [3, 'never']), inChannels),
      field('user_list_style', choice([1, 'styleCompact'], [2, 'styleStatus'], [3, 'styleAvatar'])),
      field('emojiset', choice(['google', 'emojiGoogle'], ['twitter', 'emojiTwitter'], ['text', 'emojiText'])),
      field('web_font_size_px', { kind: 'number', unit: 'unitPixels' }),
      field('web_line_height_percent', { kind: 'number', unit: 'unitPercent' }),
      field('high_contrast_mode', check),
      field('fluid_layout_width', check),
      field('left_side_userlist', check),
      field('starred_message_counts', check),
      field('web_navigate_to_sent_message', check),
      field('web_suggest_update_timezone', check),
      field('hide_ai_features', check),
    ],
  },
  {
    title: 'topicsGroup',
    of: 'defaults',
    fields: [
      named('automatically_follow_topics_policy', 'followPolicy', policy, inTopics),
      field('automatically_unmute_topics_in_muted_streams_policy', policy, inTopics),
      field('automatically_follow_topics_where_mentioned', check, inTopics),
      field(
        'resolved_topic_notice_auto_read_policy',
        choice(['always', 'always'], ['except_followed', 'exceptFollowed'], ['never', 'never']),
        inChannels,
      ),
    ],
  },
  {
    title: 'notifications',
    of: 'defaults',
    fields: [
      named('enable_desktop_notifications', 'desktopNotifications', check),
      named('enable_sounds', 'sounds', check),
      named('enable_offline_push_notifications', 'pushOffline', check, { needs: 'push' }),
      field('enable_online_push_notifications', check, { needs: 'push' }),
      named('enable_offline_email_notifications', 'emailOffline', check, mailed),
      named('enable_stream_desktop_notifications', 'channelNotifications', check, inChannels),
      field('enable_stream_audible_notifications', check, inChannels),
      field('enable_stream_push_notifications', check, { needs: ['channels', 'push'] }),
      field('enable_stream_email_notifications', check, { ...mailed, needs: ['channels', 'mailnotify'] }),
      named('enable_followed_topic_desktop_notifications', 'followedNotifications', check, inTopics),
      field('enable_followed_topic_audible_notifications', check, inTopics),
      field('enable_followed_topic_push_notifications', check, { needs: ['channels', 'topics', 'push'] }),
      field('enable_followed_topic_email_notifications', check, {
        ...mailed,
        needs: ['channels', 'topics', 'mailnotify'],
      }),
      field('enable_followed_topic_wildcard_mentions_notify', check, inTopics),
      named('wildcard_mentions_notify', 'wildcards', check),
      named('pm_content_in_desktop_notifications', 'showContent', check),
      field('message_content_in_email_notifications', check, mailed),
      field('notification_sound', { kind: 'choice', options: sounds }),
      field(
        'desktop_icon_count_display',
        choice([1, 'countAll'], [2, 'countFollowed'], [3, 'countMentions'], [4, 'countNone']),
      ),
      field(
        'realm_name_in_email_notifications_policy',
        choice([1, 'automatically'], [2, 'always'], [3, 'never']),
        mailed,
      ),
      field('email_notifications_batching_period_seconds', { kind: 'number', unit: 'unitSeconds' }, mailed),
      field('enable_digest_emails', check, mailed),
      field('enable_login_emails', check, mailed),
      field('enable_marketing_emails', check, mailed),
    ],
  },
  {
    title: 'privacy',
    of: 'defaults',
    fields: [
      field(
        'email_address_visibility',
        choice(
          [1, 'visibleEveryone'],
          [2, 'visibleMembers'],
          [5, 'visibleModerators'],
          [3, 'visibleAdministrators'],
          [4, 'visibleNobody'],
        ),
      ),
      named('send_read_receipts', 'sendReceipts', check),
      named('send_private_typing_notifications', 'sendTyping', check, { needs: 'typing' }),
      named('send_stream_typing_notifications', 'sendTopicTyping', check, { needs: ['channels', 'typing'] }),
      field('receives_typing_notifications', check, { needs: 'typing' }),
      named('presence_enabled', 'showPresence', check, { needs: 'presence' }),
      field('allow_private_data_export', check, { needs: 'exports' }),
    ],
  },
];
