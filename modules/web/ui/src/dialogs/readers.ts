import { calls, store } from '../client.ts';
import type { Channel, UserGroup } from '../api/types.ts';
import { accessSettings, effect, groupsOf, type Effect } from '../store/readers.ts';
import { channelName, personName } from '../format/names.ts';
import { text } from '../texts/index.ts';
import { ui } from '../shell/ui.svelte.ts';

const MAX_NAMES = 8;

/** names lists some people by name, and counts the others. */
function names(users: readonly number[]): string {
  const shown = users.slice(0, MAX_NAMES).map(personName);
  const left = users.length - shown.length;
  return text.list(left > 0 ? [...shown, text.others(left)] : shown);
}

function details(e: Effect, history: boolean): string[] {
  const out: string[] = [];
  if (e.internet === true) out.push(text.internetReads);
  if (e.internet === false) out.push(text.internetStops);
  if (e.gain.length > 0) {
    out.push(text.gainReading(text.persons(e.gain.length), names(e.gain)));
    if (history) out.push(text.withHistory);
  }
  if (e.lose.length > 0) out.push(text.loseReading(text.persons(e.lose.length), names(e.lose)));
  if (e.history === true) out.push(text.historyOpens);
  if (e.history === false) out.push(text.historyCloses);
  return out;
}

const world = () => ({ people: store.users.people(), groups: store.users.groups });
const subscribers = async (channel: number) => new Set(await calls.subscribers(channel));

/**
 * mayChangeReaders asks before a change of a channel's settings that widens or narrows who can read it, and says who is
 * affected. It resolves to whether the change may be made.
 */
export async function mayChangeReaders(id: number, change: Partial<Channel>): Promise<boolean> {
  const now = store.channels.get(id);
  if (!now || !accessSettings.some((s) => s in change)) return true;
  const then = { ...now, ...change };
  const people = await subscribers(id);
  const found = effect({ access: now, world: world() }, { access: then, world: world() }, people);
  if (!found) return true;
  return ui.ask({
    title: () => text.whoReadsTitle(channelName(id)),
    hint: () => text.readersCount(text.persons(found.before), text.persons(found.after)),
    details: () => details(found, then.history_public_to_subscribers),
    action: () => text.change,
  });
}

/**
 * mayChangeMembers asks before a change of a group's members that widens or narrows who can read private channels. It
 * resolves to whether the change may be made.
 */
export async function mayChangeMembers(
  id: number,
  change: Partial<Pick<UserGroup, 'members' | 'direct_subgroup_ids'>>,
): Promise<boolean> {
  const group = store.users.groups.get(id);
  if (!group) return true;
  const groups = new Map(store.users.groups).set(id, { ...group, ...change });
  const before = world();
  const after = { people: before.people, groups };
  const found: { channel: Channel; of: Effect }[] = [];
  for (const channel of store.channels.all.values()) {
    const settings = [channel.can_subscribe_group, channel.can_add_subscribers_group];
    if (!channel.invite_only || !settings.some((s) => groupsOf(s, groups).has(id))) continue;
    const people = await subscribers(channel.stream_id);
    const of = effect({ access: channel, world: before }, { access: channel, world: after }, people);
    if (of) found.push({ channel, of });
  }
  if (found.length === 0) return true;
  return ui.ask({
    title: () => text.groupReadersTitle(group.name),
    hint: () => text.groupReadersHint,
    details: () =>
      found.flatMap((f) =>
        details(f.of, f.channel.history_public_to_subscribers).map((line) => `#${f.channel.name}: ${line}`),
      ),
    action: () => text.change,
  });
}
