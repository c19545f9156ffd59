import { store } from '../app.ts';
import { admin } from '../messages/admin.ts';
import { watch } from '../views/watch.ts';

/** Role lists the roles on the wire. Smaller numbers have more rights. */
export const Role = { owner: 100, administrator: 200, moderator: 300, member: 400, guest: 600 } as const;

export type Who = 'owner' | 'administrator';

/** role returns the current user's role. */
export function role(): number {
  watch(store.users.changed);
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
