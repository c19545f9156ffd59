import type { EventOfType } from '../api/events.ts';
import type { Bot, GroupValue, Presence, Snapshot, Status, User, UserGroup } from '../api/types.ts';
import { Cell, CellMap, CellSet, memo, quietly, Tracked } from './cell.ts';
import { runs } from './realm.ts';
import { Role, systemGroups } from './roles.ts';

/** RUN is the number of people that are sorted at once. */
const RUN = 250;

export type PresenceState = 'active' | 'idle' | 'offline';

type UserEvent = EventOfType<'presence' | 'user_status' | 'muted_users' | 'realm_user' | 'user_group' | 'realm_bot'>;

/** Users holds people, groups, presence and status. */
export class Users extends Tracked {
  readonly byID = new CellMap<number, User>();
  readonly groups = new CellMap<number, UserGroup>();
  /** bots holds the fields of bots that only their owners and administrators receive. */
  readonly bots = new CellMap<number, Bot>();
  readonly statuses = new CellMap<number, Status>();
  readonly presences = new CellMap<number, Presence>();
  readonly muted = new CellSet<number>();
  me = 0;
  private readonly inactive = new CellSet<number>();
  private offlineAfter = 200;
  /** waiting is how many days new members wait, if their groups must be derived from roles. */
  private waiting: number | undefined;
  #presenceUpdateID = -1;
  /** hidden is whether the organization shows nobody's presence. */
  private hidden = false;
  private readonly visibility = new Cell();

  /** groupsByName returns all groups in order of name. */
  readonly groupsByName = memo(
    () => [...this.groups.values()].sort((a, b) => collator.compare(a.name, b.name)),
    this.groups.cell,
    collator.cell,
  );
  /** people returns the active users sorted by name. */
  readonly people = memo(() => this.sorted(), this.byID.cell, this.inactive.cell, collator.cell);
  /** #order holds the active users in their last order. */
  #order: number[] = [];

  /** presenceUpdateID is where the next request for presences continues. */
  get presenceUpdateID(): number {
    return this.#presenceUpdateID;
  }

  set presenceUpdateID(id: number) {
    this.#presenceUpdateID = id;
  }

  reset(s: Snapshot): void {
    this.me = s.user_id;
    this.inactive.replace(s.realm_non_active_users.map((u) => u.user_id));
    this.byID.replace(
      [...s.cross_realm_bots, ...s.realm_non_active_users, ...s.realm_users].map((u) => [u.user_id, u]),
    );
    this.waiting = runs(s.stoa_modules, 'groups') ? undefined : Number(s.realm_waiting_period_threshold) || 0;
    this.groups.replace(s.realm_user_groups.map((g) => [g.id, g]));
    this.regroup();
    this.bots.replace(s.realm_bots.map((b) => [b.user_id, b]));
    this.statuses.clear();
    for (const [id, status] of Object.entries(s.user_status)) this.setStatus(Number(id), status);
    this.muted.replace(s.muted_users.map((u) => u.id));
    this.offlineAfter = Number(s.server_presence_offline_threshold_seconds) || 200;
    this.presences.clear();
    this.presenceUpdateID = s.presence_last_update_id;
    this.mergePresences(s.presences);
  }

  get(id: number): User | undefined {
    return this.byID.get(id);
  }

  get self(): User | undefined {
    return this.byID.get(this.me);
  }

  /** sorted begins with the last order: sorting what is almost sorted takes a fraction of the comparisons. */
  private sorted(): User[] {
    const known = new Set(this.#order);
    const all = [...this.#order, ...[...this.byID.keys()].filter((id) => !known.has(id))];
    const active = all.flatMap((id) => (this.isActive(id) ? this.byID.get(id)! : []));
    active.sort(byName);
    this.#order = active.map((u) => u.user_id);
    return active;
  }

  /** prepare sorts the people in short steps, between which it pauses, so that people has little left to do. */
  async prepare(pause: () => Promise<void>): Promise<void> {
    let all = [...this.byID.values()];
    for (let size = RUN; all.length > size / 2; size *= 2) {
      const sorted: User[] = [];
      for (let at = 0; at < all.length; at += size) {
        sorted.push(...all.slice(at, at + size).sort(byName)); // which consists of two sorted halves
        await pause();
      }
      all = sorted;
    }
    this.#order = all.map((u) => u.user_id);
  }

  /**
   * foremost returns the first active users for whom matches returns true, present ones first, then by name. It does
   * not sort thousands for a few, and matches must not depend on the store.
   */
  foremost(most: number, now: number, matches: (u: User) => boolean): { user: User; state: PresenceState }[] {
    for (const { cell } of [this.byID, this.inactive, this.presences, collator]) cell.track();
    this.visibility.track();
    return quietly(() => {
      const found: { user: User; state: PresenceState }[] = [];
      for (const user of this.byID.values()) {
        if (this.inactive.has(user.user_id) || !matches(user)) continue;
        const next = { user, state: this.presence(user.user_id, now) };
        if (found.length >= most && byPresence(found.at(-1)!, next) <= 0) continue;
        let [low, high] = [0, found.length];
        while (low < high) {
          const middle = (low + high) >> 1;
          if (byPresence(found[middle]!, next) <= 0) low = middle + 1;
          else high = middle;
        }
        found.splice(low, 0, next);
        if (found.length > most) found.pop();
      }
      return found;
    });
  }

  /** isAlone reports whether the user is the only person in the organization. */
  isAlone(): boolean {
    for (const u of this.byID.values()) {
      if (!u.is_bot && u.user_id !== this.me && this.isActive(u.user_id)) return false;
    }
    return true;
  }

  isActive(id: number): boolean {
    return this.byID.has(id) && !this.inactive.has(id);
  }

  named(name: string): User | undefined {
    const lower = name.toLowerCase();
    for (const u of this.byID.values()) {
      if (u.full_name.toLowerCase() === lower || u.email.toLowerCase() === lower) return u;
    }
    return undefined;
  }

  inGroup(value: GroupValue | undefined, user: number): boolean {
    if (value === undefined) return false;
    if (typeof value === 'number') return this.isMember(value, user, 0);
    return value.direct_members.includes(user) || value.direct_subgroups.some((g) => this.isMember(g, user, 0));
  }

  /** membersOf returns the active members of a group and its subgroups. */
  membersOf(group: number): number[] {
    const seen = new Set<number>();
    const found = new Set<number>();
    const visit = (id: number) => {
      const g = this.groups.get(id);
      if (!g || seen.has(id)) return;
      seen.add(id);
      for (const u of g.members) if (this.isActive(u)) found.add(u);
      g.direct_subgroup_ids.forEach(visit);
    };
    visit(group);
    return [...found];
  }

  private isMember(group: number, user: number, depth: number): boolean {
    const g = this.groups.get(group);
    if (!g || depth > 20) return false;
    return g.members.includes(user) || g.direct_subgroup_ids.some((sub) => this.isMember(sub, user, depth + 1));
  }

  hidePresences(hidden: boolean): void {
    if (hidden === this.hidden) return;
    this.hidden = hidden;
    this.visibility.touch();
  }

  presence(id: number, now: number): PresenceState {
    this.visibility.track();
    const p = this.presences.get(id);
    if (!p || this.hidden) return 'offline';
    if (now - p.active_timestamp < this.offlineAfter) return 'active';
    return now - p.idle_timestamp < this.offlineAfter ? 'idle' : 'offline';
  }

  mergePresences(all: Record<string, Presence>): void {
    this.presences.setAll(Object.entries(all).map(([id, p]) => [Number(id), p]));
  }

  apply(e: UserEvent): void {
    switch (e.type) {
      case 'presence':
        this.mergePresences(e.presences);
        break;
      case 'user_status':
        this.setStatus(e.user_id, e);
        break;
      case 'muted_users':
        this.muted.replace(e.muted_users.map((u) => u.id));
        break;
      case 'realm_user':
        this.applyUser(e);
        break;
      case 'user_group':
        this.applyGroup(e);
        break;
      case 'realm_bot':
        this.applyBot(e);
        break;
    }
  }

  private setStatus(user: number, change: Status): void {
    const next: Status = { ...this.statuses.get(user) };
    for (const field of ['status_text', 'emoji_name', 'emoji_code', 'reaction_type'] as const) {
      if (change[field] === '') delete next[field];
      else if (change[field] !== undefined) next[field] = change[field];
    }
    const end = change.scheduled_end_time ?? next.scheduled_end_time;
    if (end) next.scheduled_end_time = end;
    else delete next.scheduled_end_time;
    if (Object.keys(next).length === 0) this.statuses.delete(user);
    else this.statuses.set(user, next);
  }

  private applyUser(e: EventOfType<'realm_user'>): void {
    const id = e.person.user_id;
    const old = this.byID.get(id);
    if (e.op === 'add') this.setUser({ ...old, ...e.person });
    else if (e.op === 'remove') {
      this.byID.delete(id);
      this.inactive.delete(id);
      this.statuses.delete(id);
    } else if (old) {
      const { new_email: email = old.email, custom_profile_field: field, ...change } = e.person;
      const next = { ...old, email, ...change };
      if (field) {
        const { [field.id]: _, ...data } = old.profile_data ?? {};
        const { id: name, value, ...more } = field;
        next.profile_data = value === null ? data : { ...data, [name]: { value, ...more } };
      }
      const { role } = change;
      if (role !== undefined) {
        next.is_owner = role === Role.owner;
        next.is_admin = role <= Role.administrator;
        next.is_guest = role === Role.guest;
      }
      this.setUser(next);
      if (role === undefined && change.is_active === undefined) return;
    }
    this.regroup();
  }

  /** regroup derives the system groups if the server sends no groups. */
  private regroup(): void {
    if (this.waiting === undefined) return;
    const active = [...this.byID.values()].filter((u) => this.isActive(u.user_id));
    this.groups.replace(systemGroups(active, this.waiting).map((g) => [g.id, g]));
  }

  private setUser(u: User): void {
    this.byID.set(u.user_id, u);
    if (u.is_active === false) this.inactive.add(u.user_id);
    if (u.is_active === true) this.inactive.delete(u.user_id);
  }

  private applyBot(e: EventOfType<'realm_bot'>): void {
    const old = this.bots.get(e.bot.user_id);
    if (e.op === 'add') this.bots.set(e.bot.user_id, e.bot);
    else if (e.op === 'delete') this.bots.delete(e.bot.user_id);
    else if (old) this.bots.set(old.user_id, { ...old, ...e.bot });
  }

  private applyGroup(e: EventOfType<'user_group'>): void {
    if (e.op === 'add') {
      this.groups.set(e.group.id, e.group);
      return;
    }
    const g = this.groups.get(e.group_id);
    if (!g) return;
    const { members, direct_subgroup_ids: subgroups } = g;
    switch (e.op) {
      case 'remove':
        this.groups.delete(g.id);
        break;
      case 'update':
        this.groups.set(g.id, { ...g, ...e.data });
        break;
      case 'add_members':
        this.groups.set(g.id, { ...g, members: union(members, e.user_ids) });
        break;
      case 'remove_members':
        this.groups.set(g.id, { ...g, members: difference(members, e.user_ids) });
        break;
      case 'add_subgroups':
        this.groups.set(g.id, { ...g, direct_subgroup_ids: union(subgroups, e.direct_subgroup_ids) });
        break;
      case 'remove_subgroups':
        this.groups.set(g.id, { ...g, direct_subgroup_ids: difference(subgroups, e.direct_subgroup_ids) });
        break;
    }
  }
}

/** union returns the IDs in a or b in ascending order, in which the server lists them. */
const union = (a: number[], b: number[]) => [...new Set([...a, ...b])].sort((x, y) => x - y);

function difference(a: number[], b: number[]): number[] {
  const gone = new Set(b);
  return a.filter((id) => !gone.has(id));
}

/** Collation compares names by a language's rules. Reusing one Intl.Collator is much faster than localeCompare. */
class Collation {
  readonly cell = new Cell();
  private inner = new Intl.Collator(undefined, { numeric: true });

  use(locale: string): void {
    const next = new Intl.Collator(locale, { numeric: true });
    if (next.resolvedOptions().locale === this.inner.resolvedOptions().locale) return; // sorting again takes long
    this.inner = next;
    this.cell.touch();
  }

  compare(a: string, b: string): number {
    this.cell.track();
    return this.inner.compare(a, b);
  }
}

export const collator = new Collation();

const rank: Record<PresenceState, number> = { active: 0, idle: 1, offline: 2 };

function byPresence(a: { user: User; state: PresenceState }, b: typeof a): number {
  return rank[a.state] - rank[b.state] || byName(a.user, b.user);
}

export function byName(a: User, b: User): number {
  return collator.compare(a.full_name, b.full_name) || a.user_id - b.user_id;
}
