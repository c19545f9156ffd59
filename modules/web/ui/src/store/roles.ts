import type { User, UserGroup } from '../api/types.ts';

/** Role lists the roles on the wire. Smaller numbers have more rights. */
export const Role = { owner: 100, administrator: 200, moderator: 300, member: 400, guest: 600 } as const;

const DAY = 24 * 60 * 60 * 1000; // milliseconds

/** names lists the system groups by ID, which is the same in every organization. Each contains the one before it. */
const names = [
  'role:nobody',
  'role:owners',
  'role:administrators',
  'role:moderators',
  'role:fullmembers',
  'role:members',
  'role:everyone',
  'role:internet',
];

/**
 * systemGroups returns the groups that permissions refer to even if the server does not run the module groups. Their
 * members follow from the roles of the given active users. New members wait for some days until they are full members.
 */
export function systemGroups(users: readonly User[], waiting: number): UserGroup[] {
  const withRole = (role: number) => users.filter((u) => u.role === role && !u.is_system_bot);
  const members = withRole(Role.member);
  const isFull = (u: User) => waiting === 0 || Date.now() >= Date.parse(u.date_joined ?? '') + waiting * DAY;
  const direct: Record<string, User[]> = {
    'role:owners': withRole(Role.owner),
    'role:administrators': withRole(Role.administrator),
    'role:moderators': withRole(Role.moderator),
    'role:fullmembers': members.filter(isFull),
    'role:members': members,
    'role:everyone': withRole(Role.guest),
  };
  return names.map((name, i) => ({
    id: i + 1,
    name,
    description: '',
    members: (direct[name] ?? []).map((u) => u.user_id),
    direct_subgroup_ids: i > 1 ? [i] : [],
    is_system_group: true,
  }));
}
