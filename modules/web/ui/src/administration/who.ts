import { store } from '../app.ts';
import type { GroupValue, UserGroup } from '../api/types.ts';
import { admin } from '../messages/admin.ts';
import { text } from '../messages/index.ts';
import { personName } from '../views/names.ts';

/** groupName is a group's name for people: those of roles have names in the reader's language. */
export function groupName(g: UserGroup | undefined): string {
  if (!g) return admin.unknownGroup;
  return (admin.systemGroups as Record<string, string>)[g.name] ?? g.name;
}

/** who names those whom a group-setting value lets in. */
export function who(value: GroupValue | undefined): string {
  if (value === undefined) return admin.systemGroups['role:nobody'];
  if (typeof value === 'number') return groupName(store.users.groups.get(value));
  return text.list([
    ...value.direct_subgroups.map((id) => groupName(store.users.groups.get(id))),
    ...value.direct_members.map(personName),
  ]);
}
