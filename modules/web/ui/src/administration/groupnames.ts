import { store } from '../client.ts';
import type { GroupValue, UserGroup } from '../api/types.ts';
import { admin } from '../texts/admin.ts';
import { text } from '../texts/index.ts';
import { personName } from '../format/names.ts';

/** groupName returns a group's display name. System groups have translated names. */
export function groupName(g: UserGroup | undefined): string {
  if (!g) return admin.unknownGroup;
  return (admin.systemGroups as Record<string, string>)[g.name] ?? g.name;
}

/** groupValueText returns the names of the groups and people in a group-setting value. */
export function groupValueText(value: GroupValue | undefined): string {
  if (value === undefined) return admin.systemGroups['role:nobody'];
  if (typeof value === 'number') return groupName(store.users.groups.get(value));
  return text.list([
    ...value.direct_subgroups.map((id) => groupName(store.users.groups.get(id))),
    ...value.direct_members.map(personName),
  ]);
}
