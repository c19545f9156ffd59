import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { User } from '../../src/api/types.ts';
import { collator, Users } from '../../src/store/users.ts';
import { snapshot } from './fake.ts';

const COUNT = 2000;

let users: Users;
let compared: { mock: { calls: unknown[] } };

const person = (id: number): User =>
  ({ user_id: id, full_name: `Person ${(id * 7919) % COUNT}`, email: `${id}@example.com`, is_bot: false }) as User;

beforeEach(() => {
  users = new Users();
  users.reset(snapshot({ realm_users: Array.from({ length: COUNT }, (_, i) => person(i + 1)) }));
  users.mergePresences({
    70: { active_timestamp: 990, idle_timestamp: 990 },
    3: { active_timestamp: 1, idle_timestamp: 950 },
  });
  compared = vi.spyOn(collator, 'compare');
});

afterEach(() => vi.restoreAllMocks());

const names = (list: readonly User[]) => list.map((u) => u.full_name);

test('the first people are found without sorting all', () => {
  const found = users.foremost(50, 1000, () => true);
  const { length: comparisons } = compared.mock.calls;
  expect(found.slice(0, 3).map((f) => f.state)).toEqual(['active', 'idle', 'offline']);
  const others = users.people().filter((u) => u.user_id !== 70 && u.user_id !== 3);
  expect(names(found.slice(2).map((f) => f.user))).toEqual(names(others.slice(0, 48)));
  expect(comparisons).toBeLessThan(3 * COUNT);
});

test('after a change, and after sorting in steps, few names are compared', async () => {
  const during: number[] = [];
  await users.prepare(async () => void during.push(compared.mock.calls.splice(0).length));
  expect(Math.max(...during)).toBeLessThan(2 * COUNT);
  const sorted = users.people();
  expect(compared.mock.calls.length).toBeLessThan(2 * COUNT);
  expect(names(sorted)).toEqual(Array.from({ length: COUNT }, (_, i) => `Person ${i}`));
  compared.mock.calls.splice(0);
  users.apply({ id: 1, type: 'realm_user', op: 'update', person: { user_id: sorted[5]!.user_id, full_name: 'Zoe' } });
  expect(users.people().at(-1)!.full_name).toBe('Zoe');
  expect(compared.mock.calls.length).toBeLessThan(2 * COUNT);
});
