import { expect, test } from 'vitest';
import { Edits } from '../../src/store/edits.ts';
import { Storage } from '../../src/store/storage.ts';
import { Store } from '../../src/store/store.ts';
import { fakeHttp, memory, snapshot } from './fake.ts';

const nextTask = () => new Promise((resolve) => setTimeout(resolve));
const to = { kind: 'topic', channel: 1, topic: 'news' } as const;
const slot = 'topic:1:news';

/** tab returns the state of a page whose browser storage is local. */
function tab(local = memory(), now = 1_700_000_500, over = {}) {
  let serial = 0;
  const { http, calls } = fakeHttp((c) => (c.method === 'POST' && c.path === '/drafts' ? { ids: [++serial] } : {}));
  const store = new Store({ http, local, session: memory(), now: () => now * 1000 });
  store.reset(snapshot(over));
  return { store, calls };
}

const content = (c: { params: Record<string, string> }) =>
  (JSON.parse(c.params.drafts!) as { content: string }[])[0]!.content;

test('text from another tab is shown and can be continued', () => {
  const local = memory();
  tab(local).store.drafts.write(slot, to, 'first');
  const { store } = tab(local);
  expect(store.drafts.open(slot, to).content).toBe('first');
  store.drafts.write(slot, to, 'first and more');
  store.drafts.sent(slot);
  expect(tab(local).store.drafts.open(slot, to).content).toBe('');
});

test('two tabs writing in one conversation keep both texts', async () => {
  const local = memory();
  const [one, two] = [tab(local), tab(local)];
  one.store.drafts.open(slot, to);
  two.store.drafts.open(slot, to);
  one.store.drafts.write(slot, to, 'one');
  two.store.drafts.write(slot, to, 'two');
  await Promise.all([one.store.drafts.sync(slot), two.store.drafts.sync(slot)]);
  expect([one, two].map((t) => content(t.calls.find((c) => c.path === '/drafts')!))).toEqual(['one', 'two']);
  two.store.drafts.sent(slot);
  expect(tab(local).store.drafts.open(slot, to).content).toBe('one');
});

test('texts of two closed tabs in one conversation become two drafts', async () => {
  const local = memory();
  const [one, two] = [tab(local), tab(local)];
  one.store.drafts.write(slot, to, 'one');
  two.store.drafts.write(slot, to, 'two');
  const later = tab(local, 1_700_000_700);
  const slots = [slot, ...(local.get<{ slot: string }[]>('writings') ?? []).map((w) => w.slot)];
  for (const s of new Set(slots)) await later.store.drafts.sync(s);
  expect(
    later.calls
      .filter((c) => c.path === '/drafts')
      .map(content)
      .sort(),
  ).toEqual(['one', 'two']);
});

test('drafts that were sent or discarded elsewhere are not shown again', async () => {
  const draft = { id: 7, type: 'stream', to: [1], topic: 'news', content: 'old', timestamp: 1 };
  const { store } = tab(memory(), 1_700_000_500, { drafts: [draft] });
  expect(store.drafts.open(slot, to).content).toBe('old');
  store.drafts.apply({ id: 1, type: 'drafts', op: 'remove', draft_id: 7 });
  await nextTask();
  expect(store.drafts.open(slot, to).content).toBe('');
});

test('edits are kept until they are discarded, even without storage', () => {
  for (const storage of [memory(), new Storage(() => undefined, '')]) {
    const edits = new Edits(storage, () => 1);
    edits.write(1, 'a');
    edits.write(2, 'b');
    edits.write(1, 'c');
    expect([edits.get(1), edits.get(2)]).toEqual(['c', 'b']);
    edits.forget(1);
    expect([edits.get(1), edits.get(2)]).toEqual([undefined, 'b']);
  }
});

test("a wrong clock is corrected by the server's time", () => {
  const { store } = tab(memory(), 1_700_000_500, { server_timestamp: 1_700_040_000 });
  expect(store.now).toBe(1_700_040_000);
  expect(tab(memory(), 1_700_000_500, { server_timestamp: 1_700_000_503 }).store.now).toBe(1_700_000_500);
});
