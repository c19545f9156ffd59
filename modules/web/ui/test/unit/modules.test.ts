import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { Store } from '../../src/store/store.ts';
import { fakeHttp, memory, snapshot } from './fake.ts';
import type { ServerEvent } from '../../src/api/events.ts';
import type { User } from '../../src/api/types.ts';

const person = (user_id: number, role: number, date_joined: string) =>
  ({ user_id, full_name: `P${user_id}`, email: '', role, date_joined }) as User;

function storeWith(over: Parameters<typeof snapshot>[0]): Store {
  const store = new Store({ http: fakeHttp(() => ({})).http, local: memory(), session: memory(), now: () => 0 });
  store.reset(snapshot(over));
  return store;
}

test('a server that does not name its modules runs all', () => {
  expect(storeWith({}).has('uploads')).toBe(true);
  const store = storeWith({ stoa_modules: ['channels', 'groups'] });
  expect([store.has(undefined), store.has('channels'), store.has('uploads')]).toEqual([true, true, false]);
  expect(store.has(['channels', 'uploads'])).toBe(false);
});

test('without the module groups, permissions follow from roles', () => {
  const long = '2020-01-01T00:00:00Z';
  const store = storeWith({
    stoa_modules: [],
    realm_waiting_period_threshold: 3,
    realm_users: [person(1, 400, long), person(2, 100, long), person(3, 400, new Date().toISOString())],
    realm_can_invite_users_group: 3,
  });
  const named = (name: string) => [...store.users.groups.values()].find((g) => g.name === name)!;
  expect(store.users.membersOf(named('role:fullmembers').id).sort()).toEqual([1, 2]);
  expect(store.users.membersOf(named('role:members').id).sort()).toEqual([1, 2, 3]);
  expect(store.can.invite()).toBe(false);
  const change = { id: 1, type: 'realm_user', op: 'update', person: { user_id: 1, role: 200 } };
  store.apply(change);
  expect(store.can.invite()).toBe(true);
});

test('parts name modules that exist', () => {
  const here = (path: string) => new URL(path, import.meta.url);
  const [, union] = readFileSync(here('../../src/api/types.ts'), 'utf8').split('type ModuleName =');
  const config = readFileSync(here('../../../../../configs/local.yaml'), 'utf8');
  const names = [...union!.split(';')[0]!.matchAll(/'(\w+)'/g)].map((m) => m[1]!);
  // A module that is on only where it is configured.
  const optional = (name: string) => existsSync(here(`../../../../${name}/module.go`));
  expect(names.filter((name) => !config.includes(`  ${name}: {}\n`) && !optional(name))).toEqual([]);
  expect(names.length).toBeGreaterThan(20);
});

test('public settings of others are known, and one’s own is also that of the form', () => {
  const cake = { key: 'cake', module: 'm', label: '', doc: '', kind: 'text' as const, public: true, default: '' };
  const store = storeWith({
    user_id: 1,
    stoa_settings: { realm: [], user: [{ ...cake, value: '' }], channel: [] },
  });
  const values = () => {
    const [s] = store.moduleSettings.public('user');
    return [s!.value, store.moduleSettings.value(s!, 1), store.moduleSettings.value(s!, 2)];
  };
  expect(values()).toEqual(['', '', '']);
  const update = (user_id: number, value: string) =>
    store.apply({
      id: 1,
      type: 'stoa_settings',
      op: 'update',
      scope: 'user',
      user_id,
      key: 'cake',
      value,
    } as ServerEvent);
  update(2, 'plum');
  expect(values()).toEqual(['', '', 'plum']);
  update(1, 'pear');
  expect(values()).toEqual(['pear', 'pear', 'plum']);
});
