import type { Needs } from '../api/types.ts';
import { store } from '../client.ts';
import { spectator } from '../csrf.ts';
import type { Route } from '../store/route.ts';
import { spectatorSees } from '../store/spectator.ts';
import LoginDialog from '../dialogs/LoginDialog.svelte';
import { ui } from './ui.svelte.ts';

/** mayAct reports whether somebody is logged in. If not, it opens the login dialog with a reason. */
export function mayAct(reason: string): boolean {
  if (spectator) ui.open(LoginDialog, { reason });
  return !spectator;
}

/** needs names what views need of the server. */
const needs: Partial<Record<Route['view'], Needs>> = {
  channels: 'channels',
  drafts: 'drafts',
  groups: 'groups',
  reminders: 'scheduled',
  scheduled: 'scheduled',
};

/** isOffered reports whether the server has what a view needs. There is no page at the address of any other. */
export const isOffered = (r: Route): boolean => store.has(needs[r.view]);

/** mayVisit reports whether a view has content for this user. For spectators, other views are not even requested. */
export function mayVisit(r: Route): boolean {
  if (!spectator) return true;
  if (r.view === 'messages') return spectatorSees(r.narrow, (id) => store.channels.get(id) !== undefined);
  return (
    r.view === 'home' || r.view === 'recent' || r.view === 'help' || r.view === 'channels' || r.view === 'nowhere'
  );
}
