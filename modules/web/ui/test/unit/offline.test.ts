// The state saved for offline use belongs to one user: nobody else sees it, whatever the order of events.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { EventOf } from '../../src/api/events.ts';
import { ApiError } from '../../src/api/http.ts';
import type { Snapshot } from '../../src/api/types.ts';
import { expired, ownerIn } from '../../src/store/owner.ts';
import { Storage } from '../../src/store/storage.ts';
import { Store } from '../../src/store/store.ts';
import type { Lease } from '../../src/store/tabs.ts';
import type { Vault } from '../../src/store/vault.ts';
import { connectionLost, fakeHttp, Line, message, snapshot } from './fake.ts';

const ARRIVED: EventOf<'message'> = { id: 1, type: 'message', message: message(7), flags: [] };
const ADA = { realm_uuid: 'r', user_id: 1, queue_id: 'ada' };
const BOB = { realm_uuid: 'r', user_id: 2, queue_id: 'bob' };
const OTHER_REALM = { realm_uuid: 's', user_id: 1, queue_id: 'other' };
const ownerOf = (of: typeof ADA) => `${of.realm_uuid}.${of.user_id}`;

const methods = {
  getItem(this: Record<string, string>, k: string) {
    return this[k] ?? null;
  },
  setItem(this: Record<string, string>, k: string, v: string) {
    this[k] = v;
  },
  removeItem(this: Record<string, string>, k: string) {
    delete this[k];
  },
};
const storage = (): globalThis.Storage => Object.create(methods) as globalThis.Storage;

/** Browser holds what the pages of a browser share: the cookie, IndexedDB and localStorage. */
class Browser {
  owner: string | undefined;
  values = new Map<string, unknown>();
  lines: Line[] = [];
  lease: Lease | undefined;
  private local = storage();
  private vault: Vault = {
    get: async <T>(name: string) => this.values.get(name) as T | undefined,
    set: async (name, value) => void this.values.set(name, value),
    names: async () => [...this.values.keys()],
    remove: async (name) => void this.values.delete(name),
  };

  /**
   * open starts a page. as is the answer to its registrations; undefined if the server is unreachable. Pages with the
   * name of a tab are connected.
   */
  open(as: Partial<Snapshot> | undefined, tab?: string) {
    const { http, calls } = fakeHttp((c) => {
      if (c.path === '/register') return as ? { ...snapshot(as) } : connectionLost;
      if (c.path !== '/events') return connectionLost;
      return new Promise((_, reject) => (page.endQueue = () => reject(new ApiError(400, 'BAD_EVENT_QUEUE_ID', ''))));
    });
    const session = storage();
    const wire = tab === undefined ? undefined : new Line(this, tab, this.owner!);
    if (wire) this.lines.push(wire);
    const page = { calls, store: undefined as unknown as Store, startedOver: 0, replaced: 0, endQueue: () => {} };
    page.store = new Store({
      http,
      local: new Storage(() => this.local, 'stoa.'),
      session: new Storage(() => session, 'stoa.'),
      now: () => Date.now(),
      vault: this.vault,
      owner: () => this.owner,
      otherUser: () => page.startedOver++,
      replaced: () => page.replaced++,
      ...(wire ? { wire } : {}),
    });
    page.store.start();
    return page;
  }

  /** logIn sets the cookie of a user, as the response to the login form does. */
  logIn(as: typeof ADA): void {
    this.owner = ownerOf(as);
  }
}

const later = (ms: number) => vi.advanceTimersByTimeAsync(ms);

/** used returns a browser in which Ada has received a message, which is saved, and has closed her page. */
async function used(): Promise<Browser> {
  const b = new Browser();
  b.logIn(ADA);
  const { store } = b.open(ADA);
  await later(0);
  store.apply(ARRIVED);
  store.offline.event(ARRIVED);
  await later(5000);
  store.drafts.write('slot', undefined, 'Secret');
  void store.outbox.send({ kind: 'dm', users: [3] }, 'Unsent');
  await store.offline.flush();
  store.connection.stop();
  return b;
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a page without a connection shows the last state of its user', async () => {
  const b = await used();
  const { store } = b.open(undefined);
  await later(0);
  expect([store.me, store.messages.get(7)?.id]).toEqual([1, 7]);
});

test.each([
  ['another user has logged in', (b: Browser) => b.logIn(BOB)],
  ['the address belongs to another organization now', (b: Browser) => b.logIn(OTHER_REALM)],
  ['the session is over', (b: Browser) => (b.owner = undefined)],
])('offline, nothing of a former user is shown if %s', async (_, happens) => {
  const b = await used();
  happens(b);
  const { store } = b.open(undefined);
  await later(0);
  expect([store.ready, store.messages.get(7)]).toEqual([false, undefined]);
  if (b.owner === undefined) expect([...b.values.keys()]).toEqual([]);
});

test.each([BOB, OTHER_REALM])('a registration of another user deletes everything of the former one', async (as) => {
  const b = await used();
  b.logIn(as);
  const page = b.open(as);
  const { store, calls } = page;
  await later(0);
  expect([...b.values.keys()]).toEqual([]); // long before the new state is saved
  await later(100_000);
  expect(store.drafts.open('slot', undefined).content).toBe('');
  expect(store.outbox.items).toEqual([]);
  expect(JSON.stringify(calls)).not.toMatch(/Secret|Unsent/);
  expect([...b.values.keys()].every((n) => n.startsWith(`${ownerOf(as)} `))).toBe(true);
  expect(page.replaced).toBe(1);
});

/** read opens a topic with one message in a page. */
function read(store: Store, id: number): void {
  const list = store.lists.open({ kind: 'topic', channel: 1, topic: `topic ${id}` }, 'newest');
  store.messages.put([message(id)]);
  Object.assign(list, { ids: [id], loaded: true });
  store.lists.onFetched([id]);
}

/** kept returns which of some messages a page can show without a connection. */
async function kept(b: Browser, ...ids: number[]): Promise<number[]> {
  const { store } = b.open(undefined);
  await later(0);
  return ids.filter((id) => {
    const list = store.lists.open({ kind: 'topic', channel: 1, topic: `topic ${id}` }, 'newest');
    return list.ids.includes(id) && store.messages.get(id);
  });
}

test('what a page has read is kept without an event', async () => {
  const b = new Browser();
  b.logIn(ADA);
  const { store } = b.open(ADA);
  await later(10_000);
  await store.offline.flush();
  read(store, 8);
  await later(30_000);
  store.connection.stop();
  expect(await kept(b, 8)).toEqual([8]);
});

test('what was read in any tab is kept, whichever is closed first, unless it is deleted', async () => {
  const b = new Browser();
  b.logIn(ADA);
  const pages = [];
  for (const tab of ['a', 'b', 'c']) {
    pages.push(b.open(ADA, tab).store);
    await later(10_000);
  }
  const [first, second, third] = pages as [Store, Store, Store];
  expect(pages.map((s) => s.connection.leads)).toEqual([true, false, false]);
  [first, second, third].forEach((store, i) => read(store, 7 + i));
  read(third, 10);
  await later(50_000);
  third.connection.stop();
  expect(await kept(b, 7, 8, 9, 10)).toEqual([7, 8, 9, 10]);
  const gone = { message_type: 'stream', message_ids: [10], stream_id: 1, topic: 'topic 10' } as const;
  for (const store of [first, second]) store.apply({ id: 2, type: 'delete_message', ...gone });
  await later(0);
  expect(await kept(b, 7, 8, 9, 10)).toEqual([7, 8, 9]);
  first.connection.stop();
  await later(50_000);
  expect(second.connection.leads).toBe(true);
  read(second, 11);
  await later(50_000);
  second.connection.stop();
  expect(await kept(b, 7, 8, 9, 10, 11)).toEqual([7, 8, 9, 11]);
});

test('a state too large to be saved replaces the earlier one', async () => {
  const b = await used();
  b.open({ ...ADA, queue_id: 'large', realm_description: 'x'.repeat(8_000_001) });
  await later(5000);
  expect([...b.values.keys()]).toEqual([]);
});

test('a page left open by a former user neither saves nor sends anything', async () => {
  const b = new Browser();
  b.logIn(ADA);
  const old = b.open(ADA);
  await later(5000);
  b.logIn(BOB);
  const next = b.open(BOB);
  await later(5000);
  old.store.offline.event(ARRIVED);
  old.store.drafts.write('slot', undefined, 'Secret');
  void old.store.outbox.send({ kind: 'dm', users: [3] }, 'Unsent');
  await old.store.offline.flush();
  await later(200_000); // until pages that have stopped responding count as closed
  expect([...b.values.keys()].filter((n) => !n.startsWith('r.2 '))).toEqual([]);
  expect(next.store.outbox.items).toEqual([]);
  expect(next.store.drafts.open('slot', undefined).content).toBe('');
});

test('after a logout in another tab, a page saves nothing', async () => {
  const b = new Browser();
  b.logIn(ADA);
  const old = b.open(ADA);
  await later(5000);
  await b.open(undefined).store.forget(); // the cookie is still there
  old.store.offline.event(ARRIVED);
  await old.store.offline.flush();
  expect([...b.values.keys()]).toEqual([]);
});

test('a page whose queue has ended does not continue as another user', async () => {
  const b = new Browser();
  b.logIn(ADA);
  const as = { ...ADA };
  const page = b.open(as);
  await later(0);
  Object.assign(as, BOB);
  page.endQueue();
  await later(0);
  expect([page.store.me, page.startedOver]).toEqual([1, 1]);
});

test('no request is made as another user', async () => {
  const { http, calls } = fakeHttp(
    () => ({}),
    () => true,
  );
  await expect(http.call('POST', '/messages')).rejects.toThrow(ApiError);
  expect(calls).toEqual([]);
});

test("the cookie with the session's owner is read and deleted by either name", () => {
  expect(ownerIn('a=b; stoa_owner=r.1')).toBe('r.1');
  expect(ownerIn('stoa_owner=r.2; __Host-stoa_owner=r.1')).toBe('r.1');
  expect(ownerIn('stoa_owner=')).toBeUndefined();
  expect(ownerIn('')).toBeUndefined();
  expect(expired().map((c) => c.split('=')[0])).toEqual(['__Host-stoa_owner', 'stoa_owner']);
});
