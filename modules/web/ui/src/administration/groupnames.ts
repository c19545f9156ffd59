import { store } from '../client.ts';
import type { GroupValue, UserGroup } from '../api/types.ts';
import { admin } from '../texts/admin.ts';
import { text } from '../texts/index.ts';
import { personName } from '../format/names.ts';
import { splitGroupValue } from './groups.ts';

/** groupName returns a group's display name. System groups have translated names. */
export function groupName(g: UserGroup | undefined): string {
  if (!g) return admin.unknownGroup;
  return (admin.systemGroups as Record<string, string>)[g.name] ?? g.name;
}

/** groupValueText returns the names of the groups and people in a group-setting value. */
export function groupValueText(value: GroupValue | undefined): string {
  const { groups, people } = splitGroupValue(value);
  if (groups.length === 0 && people.length === 0) return admin.systemGroups['role:nobody'];
  return text.list([...groups.map((id) => groupName(store.users.groups.get(id))), ...people.map(personName)]);
}
