import { store } from '../client.ts';
import type { User } from '../api/types.ts';
import type { Label } from '../texts/admin.ts';
import { label } from '../texts/admin.ts';
import { text } from '../texts/index.ts';
import { Role } from '../store/roles.ts';
import { collator } from '../store/users.ts';

/** roles lists the roles of users, highest first. */
export const roles: readonly (readonly [number, Label])[] = [
  [Role.owner, 'roleOwner'],
  [Role.administrator, 'roleAdministrator'],
  [Role.moderator, 'roleModerator'],
  [Role.member, 'roleMember'],
  [Role.guest, 'roleGuest'],
];

export function roleName(role: number): string {
  const found = roles.find(([r]) => r === role);
  return found ? label(found[1]) : text.roleMember;
}

export type Kind = 'active' | 'deactivated' | 'bots' | 'all';

function isOf(kind: Kind, u: User): boolean {
  const active = store.users.isActive(u.user_id);
  switch (kind) {
    case 'active':
      return active && !u.is_bot;
    case 'deactivated':
      return !active;
    case 'bots':
      return u.is_bot && active;
    case 'all':
      return true;
  }
}

/** everybody returns all accounts sorted by name, including deactivated ones, without system bots. */
export function everybody(): User[] {
  return [...store.users.byID.values()]
    .filter((u) => !u.is_system_bot)
    .sort((a, b) => collator.compare(a.full_name, b.full_name) || a.user_id - b.user_id);
}

/** search filters accounts by kind, role (0 for any) and the words in their name or email address. */
export function search(all: readonly User[], kind: Kind, role: number, typed: string): User[] {
  const words = typed.trim().toLowerCase().split(/\s+/).filter(Boolean);
  return all.filter((u) => {
    if ((role !== 0 && u.role !== role) || !isOf(kind, u)) return false;
    const where = `${u.full_name} ${u.delivery_email ?? u.email}`.toLowerCase();
    return words.every((w) => where.includes(w));
  });
}
