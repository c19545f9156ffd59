import { store } from '../client.ts';
import { admin } from '../texts/admin.ts';
import { Role } from '../store/users.ts';

export type Who = 'owner' | 'administrator';

/** role returns the current user's role. */
export function role(): number {
  return store.users.self?.role ?? Role.guest;
}

export function may(who: Who): boolean {
  return role() <= Role[who];
}

/** refusal returns why the current user may not change a setting reserved for who, if so. */
export function refusal(who: Who): string | undefined {
  if (may(who)) return undefined;
  return who === 'owner' ? admin.ownersOnly : admin.adminsOnly;
}
