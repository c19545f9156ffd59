import type { Channel, GroupValue, User, UserGroup } from '../api/types.ts';

/** Access holds the settings of a channel that decide who can read it. */
export type Access = Pick<
  Channel,
  | 'invite_only'
  | 'is_web_public'
  | 'history_public_to_subscribers'
  | 'can_subscribe_group'
  | 'can_add_subscribers_group'
>;

/** accessSettings lists the keys of Access. */
export const accessSettings: readonly (keyof Access)[] = [
  'invite_only',
  'is_web_public',
  'history_public_to_subscribers',
  'can_subscribe_group',
  'can_add_subscribers_group',
];

type Groups = ReadonlyMap<number, UserGroup>;

/** World holds what the settings of channels refer to. */
export interface World {
  /** people are the active users. */
  people: readonly User[];
  groups: Groups;
}

/** Effect is how a change affects who can read a channel. */
export interface Effect {
  /** before and after count the people who can read it. */
  before: number;
  after: number;
  gain: number[];
  lose: number[];
  /** internet is whether people without an account can read it from now on, if that changes. */
  internet?: boolean;
  /** history is whether members can read what was written before they joined, if that changes. */
  history?: boolean;
}

/** groupsOf returns the groups of a setting, with all their subgroups. */
export function groupsOf(value: GroupValue | undefined, groups: Groups): Set<number> {
  const seen = new Set<number>();
  const visit = (id: number) => {
    const g = groups.get(id);
    if (!g || seen.has(id)) return;
    seen.add(id);
    g.direct_subgroup_ids.forEach(visit);
  };
  if (typeof value === 'number') visit(value);
  else value?.direct_subgroups.forEach(visit);
  return seen;
}

/** inGroups returns the people and the members of the groups of a setting. */
export function inGroups(value: GroupValue | undefined, groups: Groups): Set<number> {
  const found = new Set(typeof value === 'object' ? value.direct_members : []);
  for (const id of groupsOf(value, groups)) for (const u of groups.get(id)!.members) found.add(u);
  return found;
}

/** readers returns the people who can read a channel, by the rules of the server's permission package. */
export function readers(a: Access, subscribers: ReadonlySet<number>, world: World): Set<number> {
  const granted = a.invite_only
    ? [inGroups(a.can_subscribe_group, world.groups), inGroups(a.can_add_subscribers_group, world.groups)]
    : [];
  const reads = (u: User) =>
    a.is_web_public ||
    subscribers.has(u.user_id) ||
    (!u.is_guest && (!a.invite_only || granted.some((g) => g.has(u.user_id))));
  return new Set(world.people.filter((u) => !u.is_bot && reads(u)).map((u) => u.user_id));
}

/** effect compares who can read a channel before and after a change. It returns undefined if that stays the same. */
export function effect(
  before: { access: Access; world: World },
  after: { access: Access; world: World },
  subscribers: ReadonlySet<number>,
): Effect | undefined {
  const now = readers(before.access, subscribers, before.world);
  const then = readers(after.access, subscribers, after.world);
  const result: Effect = {
    before: now.size,
    after: then.size,
    gain: [...then].filter((u) => !now.has(u)),
    lose: [...now].filter((u) => !then.has(u)),
  };
  if (before.access.is_web_public !== after.access.is_web_public) result.internet = after.access.is_web_public;
  if (before.access.history_public_to_subscribers !== after.access.history_public_to_subscribers)
    result.history = after.access.history_public_to_subscribers;
  const same = result.gain.length + result.lose.length === 0;
  return same && result.internet === undefined && result.history === undefined ? undefined : result;
}
