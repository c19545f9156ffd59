import type { Bot, ProfileField, User, UserGroup } from '../types.ts';

/** Events about users, groups and bots, by type and op. */
export interface PeopleEvents {
  'realm_user/add': { person: User };
  'realm_user/update': {
    person: Partial<User> & {
      user_id: number;
      new_email?: string;
      /** value is null if the field has been cleared. */
      custom_profile_field?: { id: number; value: string | null; rendered_value?: string };
    };
  };
  /** The user is no longer visible. */
  'realm_user/remove': { person: { user_id: number; full_name: string } };
  'user_group/add': { group: UserGroup };
  'user_group/update': {
    group_id: number;
    data: Partial<Omit<UserGroup, 'id' | 'members' | 'direct_subgroup_ids' | 'is_system_group'>>;
  };
  'user_group/remove': { group_id: number };
  'user_group/add_members': { group_id: number; user_ids: number[] };
  'user_group/remove_members': { group_id: number; user_ids: number[] };
  'user_group/add_subgroups': { group_id: number; direct_subgroup_ids: number[] };
  'user_group/remove_subgroups': { group_id: number; direct_subgroup_ids: number[] };
  muted_users: { muted_users: { id: number; timestamp: number }[] };
  custom_profile_fields: { fields: ProfileField[] };
  'realm_bot/add': { bot: Bot };
  'realm_bot/update': { bot: Partial<Bot> & { user_id: number } };
  /** The bot has another owner. */
  'realm_bot/delete': { bot: { user_id: number } };
}
