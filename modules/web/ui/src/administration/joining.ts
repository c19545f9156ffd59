import { admits, opens } from './consequences.ts';
import type { FieldGroup } from './fields.ts';
import { check, choice, field, group } from './fields.ts';

/** joining lists the settings for joining and for users' own accounts. */
export const joining: readonly FieldGroup[] = [
  {
    title: 'joiningGroup',
    fields: [
      field('invite_required', check, { asks: opens, needs: 'invites' }),
      field('can_invite_users_group', group, { needs: 'invites' }),
      field('create_multiuse_invite_group', group, { needs: 'invites' }),
      field('emails_restricted_to_domains', check, { asks: admits }),
      field('disallow_disposable_email_addresses', check),
      field('waiting_period_threshold', { kind: 'number', unit: 'unitDays' }),
      field('authentication_methods', check, {
        fromServer: (stored) => (stored as Record<string, { enabled: boolean }> | undefined)?.Email?.enabled === true,
        toServer: (on) => ({ Email: on }),
      }),
    ],
  },
  {
    title: 'accountsGroup',
    fields: [
      field('require_unique_names', check),
      field('name_changes_disabled', check),
      field('email_changes_disabled', check),
      field('avatar_changes_disabled', check, { needs: 'avatars' }),
      field('default_avatar_source', choice(['G', 'avatarGravatar'], ['J', 'avatarGenerated'])),
      field('presence_disabled', check, { needs: 'presence' }),
    ],
  },
  {
    title: 'guestsGroup',
    fields: [
      field('can_access_all_users_group', group),
      field('enable_guest_user_indicator', check),
      field('enable_guest_user_dm_warning', check),
    ],
  },
];
