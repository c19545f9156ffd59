import { store } from '../client.ts';
import type { Channel } from '../api/types.ts';
import { admin } from '../texts/admin.ts';
import { text } from '../texts/index.ts';

// What changes of the organization's settings do to who can read what, for Field.asks.

const MAX_NAMES = 8;

const people = () => store.users.people().filter((u) => !u.is_bot).length;
const channels = (which: (c: Channel) => boolean) =>
  [...store.channels.all.values()].filter((c) => !c.is_archived && which(c));

function names(all: Channel[]): string {
  const shown = all.slice(0, MAX_NAMES).map((c) => `#${c.name}`);
  const left = all.length - shown.length;
  return text.list(left > 0 ? [...shown, text.others(left)] : shown);
}

export function spectators(next: unknown): string | undefined {
  const web = channels((c) => c.is_web_public);
  if (web.length === 0) return undefined;
  const say = next === true ? admin.internetReadsChannels : admin.internetStopsChannels;
  return say(web.length, names(web));
}

/** opens warns when accounts can be created without an invitation. */
export function opens(next: unknown): string | undefined {
  return next === false ? admin.joinFreely(channels((c) => !c.invite_only).length) : undefined;
}

/** admits warns when accounts can be created with addresses of all domains, unless an invitation is needed. */
export function admits(next: unknown): string | undefined {
  return store.realm.flag('realm_invite_required') ? undefined : opens(next);
}

const visible = ['none', 'moves', 'all'];

export function history(next: unknown, now: unknown): string | undefined {
  const shows = (value: unknown) => visible.indexOf(String(value)) === visible.length - 1;
  if (shows(next) === shows(now)) return undefined;
  return shows(next) ? admin.historyWidens(people()) : admin.historyNarrows(people());
}

const FOREVER = -1;
const days = (value: unknown) => (value === FOREVER || value === null ? Infinity : Number(value));

/** deletes warns when messages are kept for a shorter time than before. */
export function deletes(next: unknown, now: unknown): string | undefined {
  return days(next) < days(now) ? admin.deletesOlder(days(next)) : undefined;
}
