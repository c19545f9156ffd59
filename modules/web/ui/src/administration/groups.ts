import { store } from '../client.ts';
import type { GroupValue, PermissionRule, PermissionScope, UserGroup } from '../api/types.ts';

/** permissionRule returns the rule for a permission setting. */
export function permissionRule(scope: PermissionScope, setting: string): PermissionRule | undefined {
  return store.realm.permissionRules[scope][setting];
}

/** roleOrder lists the system groups in display order. */
const roleOrder = [
  'role:everyone',
  'role:members',
  'role:fullmembers',
  'role:moderators',
  'role:administrators',
  'role:owners',
  'role:nobody',
];

/** accepts reports whether a setting accepts a group. */
export function accepts(rule: PermissionRule | undefined, g: UserGroup): boolean {
  if (g.deactivated || g.name === 'role:internet') return false;
  if (!g.is_system_group) return !rule?.require_system_group;
  if (rule && rule.allowed_system_groups.length > 0) return rule.allowed_system_groups.includes(g.name);
  if (g.name === 'role:nobody') return rule?.allow_nobody_group ?? true;
  return g.name !== 'role:everyone' || (rule?.allow_everyone_group ?? true);
}

/** assignableGroups returns the groups that a setting accepts: system groups and user-defined ones. */
export function assignableGroups(rule: PermissionRule | undefined): { roles: UserGroup[]; groups: UserGroup[] } {
  const all = store.users.groupsByName().filter((g) => accepts(rule, g));
  const roles = all.filter((g) => g.is_system_group);
  return {
    roles: roles.sort((a, b) => roleOrder.indexOf(a.name) - roleOrder.indexOf(b.name)),
    groups: all.filter((g) => !g.is_system_group),
  };
}

function nobody(): number | undefined {
  for (const g of store.users.groups.values()) if (g.name === 'role:nobody') return g.id;
  return undefined;
}

/** exists is false for groups that a permission still names after the server stopped running groups. */
const exists = (id: number) => store.has('groups') || store.users.groups.has(id);

export interface GroupParts {
  groups: number[];
  people: number[];
}

/** splitGroupValue splits a group-setting value into groups and people. */
export function splitGroupValue(value: GroupValue | undefined): GroupParts {
  if (value === undefined) return { groups: [], people: [] };
  if (typeof value === 'number') return { groups: value === nobody() ? [] : [value].filter(exists), people: [] };
  return { groups: value.direct_subgroups.filter(exists), people: value.direct_members };
}

/** joinGroupValue combines groups and people into a group-setting value, normalized like the server does. */
export function joinGroupValue(p: GroupParts): GroupValue {
  if (p.people.length === 0 && p.groups.length <= 1) {
    const one = p.groups[0] ?? nobody();
    if (one !== undefined) return one;
  }
  return {
    direct_members: [...p.people].sort((a, b) => a - b),
    direct_subgroups: [...p.groups].sort((a, b) => a - b),
  };
}
