import { store } from '../client.ts';
import { byOwners } from '../store/can.ts';
import { admin } from '../texts/admin.ts';

export type Who = 'owner' | 'administrator';

export function may(who: Who): boolean {
  return who === 'owner' ? store.can.ownOrganization() : store.can.administerOrganization();
}

/** refusal returns why the current user may not change something reserved for who, if so. */
export function refusal(who: Who): string | undefined {
  if (may(who)) return undefined;
  return who === 'owner' ? admin.ownersOnly : admin.adminsOnly;
}

/** settingRefusal returns why the current user may not change a setting of the organization, if so. */
export function settingRefusal(name: string): string | undefined {
  if (store.can.changeSetting(name)) return undefined;
  return byOwners.has(name) ? admin.ownersOnly : admin.adminsOnly;
}
