import { store } from '../app.ts';
import { admin } from '../messages/admin.ts';
import { watch } from '../views/watch.ts';

/** Role is a role on the wire: the smaller, the more it may do. */
export const Role = { owner: 100, administrator: 200, moderator: 300, member: 400, guest: 600 } as const;

export type Who = 'owner' | 'administrator';

/** role returns the reader's own role as it is now. */
export function role(): number {
  watch(store.users.changed);
  return store.users.self?.role ?? Role.guest;
}

export function may(who: Who): boolean {
  return role() <= Role[who];
}

/** refusal says why somebody may not change what is for others, or nothing if they may. */
export function refusal(who: Who): string | undefined {
  if (may(who)) return undefined;
  return who === 'owner' ? admin.ownersOnly : admin.adminsOnly;
}
