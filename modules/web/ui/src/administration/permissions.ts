import { store } from '../client.ts';
import { admin } from '../texts/admin.ts';
import { spectators } from './consequences.ts';
import { check, field, group, inChannels, type FieldGroup } from './fields.ts';

const webPublic = {
  off: () => (store.realm.flag('server_web_public_streams_enabled') ? undefined : admin.noWebPublic),
};

/** permissions lists the organization's permission settings, except those for joining (joining.ts). */
export const permissions: readonly FieldGroup[] = [
  {
    title: 'channels',
    needs: 'channels',
    fields: [
      field('can_create_public_channel_group', group),
      field('can_create_private_channel_group', group),
      field('can_create_web_public_channel_group', group, webPublic),
      field('enable_spectator_access', check, { ...webPublic, asks: spectators }),
      field('can_add_subscribers_group', group),
    ],
  },
  {
    title: 'topicsGroup',
    needs: 'channels',
    fields: [
      field('can_move_messages_between_topics_group', group),
      field('can_move_messages_between_channels_group', group),
      field('can_resolve_topics_group', group),
      field('can_set_topics_policy_group', group),
      field('can_summarize_topics_group', group),
    ],
  },
  {
    title: 'messages',
    fields: [
      field('can_mention_many_users_group', group),
      field('can_delete_own_message_group', group),
      field('can_delete_any_message_group', group),
      field('can_set_delete_message_policy_group', group, inChannels),
    ],
  },
  {
    title: 'allDirect',
    fields: [field('direct_message_permission_group', group), field('direct_message_initiator_group', group)],
  },
  {
    title: 'groupsAndBots',
    fields: [
      field('can_create_groups', group, { needs: 'groups' }),
      field('can_manage_all_groups', group, { needs: 'groups' }),
      field('can_create_bots_group', group, { needs: 'bots' }),
      field('can_create_write_only_bots_group', group, { needs: 'bots' }),
      field('can_add_custom_emoji_group', group, { needs: 'emoji' }),
    ],
  },
  {
    title: 'billingGroup',
    fields: [field('can_manage_billing_group', group), field('workplace_users_group', group)],
  },
];
