import { expect, test } from 'vitest';
import type { ServerEvent } from '../../src/api/events.ts';
import { ApiError } from '../../src/api/http.ts';
import type { Draft, Subscription } from '../../src/api/types.ts';
import { Edits } from '../../src/store/edits.ts';
import { Storage } from '../../src/store/storage.ts';
import { Store } from '../../src/store/store.ts';
import { fakeHttp, memory, snapshot } from './fake.ts';

const nextTask = () => new Promise((resolve) => setTimeout(resolve));
const to = { kind: 'topic', channel: 1, topic: 'news' } as const;
const slot = 'topic:1:news';
const subscriptions = [{ stream_id: 1, name: 'news' } as Subscription];

/** tab returns the state of a page whose browser storage is local. */
function tab(local = memory(), now = 1_700_000_500, over = {}) {
  let serial = 0;
  const { http, calls } = fakeHttp((c) => (c.method === 'POST' && c.path === '/drafts' ? { ids: [++serial] } : {}));
  const store = new Store({ http, local, session: memory(), now: () => now * 1000 });
  store.reset(snapshot({ subscriptions, ...over }));
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

const draftOf = (id: number, text: string, timestamp = 1) => ({
  ...{ id, type: 'stream', to: [1], topic: 'news', content: text, timestamp },
});

test('a text follows its draft unless it has unsaved changes', async () => {
  const { store, calls } = tab();
  store.drafts.write(slot, to, 'one');
  store.apply({ id: 1, type: 'drafts', op: 'add', drafts: [draftOf(9, 'other')] } as ServerEvent);
  await store.drafts.sync(slot);
  store.drafts.write(slot, to, 'one, two');
  store.apply({ id: 2, type: 'drafts', op: 'add', drafts: [draftOf(1, 'one')] } as ServerEvent);
  expect(store.drafts.get(slot).content).toBe('one, two');
  await store.drafts.sync(slot);
  store.apply({ id: 3, type: 'drafts', op: 'update', draft: draftOf(1, 'one, two') } as ServerEvent);
  store.apply({ id: 4, type: 'drafts', op: 'update', draft: draftOf(1, 'edited elsewhere') } as ServerEvent);
  expect(store.drafts.get(slot).content).toBe('edited elsewhere');
  store.drafts.write(slot, to, 'and here');
  store.apply({ id: 5, type: 'drafts', op: 'remove', draft_id: 1 } as ServerEvent);
  expect(store.drafts.get(slot).content).toBe('and here');
  await store.drafts.sync(slot);
  expect(calls.map((c) => `${c.method} ${c.path}`)).toEqual(['POST /drafts', 'PATCH /drafts/1', 'POST /drafts']);
  store.apply({ id: 6, type: 'drafts', op: 'remove', draft_id: 2 } as ServerEvent);
  expect(store.drafts.get(slot).content).toBe('');
});

test('after a new login, a draft is there once, whatever was known of it', async () => {
  // What the browser had stored when the session ended, the server's drafts, and the texts that are uploaded.
  const cases = [
    [{ content: 'same' }, [draftOf(7, 'same')], [], 'same'],
    [{ content: 'longer', posted: 'long' }, [draftOf(7, 'long')], ['PATCH /drafts/7'], 'longer'],
    [{ content: 'old', draft: 7, saved: true }, [draftOf(7, 'edited elsewhere')], [], 'edited elsewhere'],
    [{ content: 'sent elsewhere', draft: 7, saved: true }, [], [], ''],
    [{ content: 'unsaved', draft: 7 }, [], ['POST /drafts'], 'unsaved'],
    [{ content: 'mine', draft: 7 }, [draftOf(7, 'later', 1_700_000_600)], ['POST /drafts'], 'mine'],
  ] as const;
  for (const [stored, drafts, uploads, shown] of cases) {
    const local = memory();
    local.set('user', 1);
    local.set('writings', [{ slot, to, timestamp: 1_700_000_500, tab: 'closed', ...stored }]);
    const { store, calls } = tab(local, 1_700_000_700, { drafts });
    expect(store.drafts.open(slot, to).content).toBe(shown);
    await store.drafts.sync(slot);
    expect(calls.map((c) => `${c.method} ${c.path}`)).toEqual(uploads);
  }
});

test('a text whose conversation is no longer accessible becomes a draft without recipients', async () => {
  const uploads: string[] = [];
  const { http } = fakeHttp(({ params }) => {
    const body = JSON.parse(params.drafts ?? params.draft ?? '') as Draft | Draft[];
    const { type, to, content } = Array.isArray(body) ? body[0]! : body;
    uploads.push(`${type}:${to.join()}:${content}`);
    if (type !== '') return new ApiError(400, 'BAD_REQUEST', 'Invalid channel ID');
    return { ids: [1] };
  });
  const store = new Store({ http, local: memory(), session: memory(), now: () => 1_700_000_500_000 });
  store.reset(snapshot({ subscriptions }));
  store.drafts.write(slot, to, 'unsent');
  await store.drafts.sync(slot);
  expect(store.drafts.get(slot)).toMatchObject({ to, content: 'unsent', draft: 1, saved: true });
  store.drafts.write(slot, to, 'unsent, changed');
  await store.drafts.sync(slot);
  expect(uploads).toEqual(['stream:1:unsent', '::unsent', 'stream:1:unsent, changed', '::unsent, changed']);
  // What is known to be refused is not asked.
  store.reset(snapshot());
  store.drafts.write(slot, to, 'unsent, without a channel');
  await store.drafts.sync(slot);
  expect(uploads.slice(4)).toEqual(['::unsent, without a channel']);
});

test('edits are kept until they are discarded, even without storage', () => {
  for (const storage of [memory(), new Storage(() => undefined, '')]) {
    const edits = new Edits(storage, () => 1);
    edits.write(1, 'a', 'x');
    edits.write(2, 'b', 'x');
    edits.write(1, 'c', 'x');
    expect([edits.get(1)?.content, edits.get(2)?.content]).toEqual(['c', 'b']);
    edits.forget(1);
    expect([edits.get(1), edits.get(2)?.content]).toEqual([undefined, 'b']);
  }
});

test("a wrong clock is corrected by the server's time", () => {
  const { store } = tab(memory(), 1_700_000_500, { server_timestamp: 1_700_040_000 });
  expect(store.now).toBe(1_700_040_000);
  expect(tab(memory(), 1_700_000_500, { server_timestamp: 1_700_000_503 }).store.now).toBe(1_700_000_500);
});

test('browsers that see a topic move move its draft together', async () => {
  const next = { kind: 'topic', channel: 1, topic: 'olds' } as const;
  const draft = { id: 7, type: 'stream' as const, to: [1], topic: 'news', content: 'text', timestamp: 1 };
  const all = [tab(memory(), 1_700_000_500, { drafts: [draft] }), tab(memory(), 1_700_000_500, { drafts: [draft] })];
  for (const { store } of all) {
    store.drafts.open(slot, to);
    store.drafts.rename(slot, 'topic:1:olds', next);
  }
  await Promise.all(all.map(({ store }) => store.drafts.sync('topic:1:olds')));
  for (const { calls, store } of all) {
    expect(calls.map((c) => `${c.method} ${c.path}`)).toEqual(['PATCH /drafts/7']);
    expect(JSON.parse(calls[0]!.params.draft!)).toMatchObject({ topic: 'olds', content: 'text' });
    expect(store.drafts.open(slot, to).content).toBe('');
  }
});

test('a moved text that is sent from another browser before it was uploaded leaves no draft', async () => {
  const next = { kind: 'topic', channel: 1, topic: 'olds' } as const;
  const draft = { id: 7, type: 'stream' as const, to: [1], topic: 'news', content: 'text', timestamp: 1 };
  const { store, calls } = tab(memory(), 1_700_000_500, { drafts: [draft] });
  store.drafts.open(slot, to);
  store.drafts.rename(slot, 'topic:1:olds', next);
  store.drafts.apply({ id: 1, type: 'drafts', op: 'update', draft: { ...draft, topic: 'olds' } });
  store.drafts.apply({ id: 2, type: 'drafts', op: 'remove', draft_id: 7 });
  await store.drafts.sync('topic:1:olds');
  expect(calls).toEqual([]);
  expect(store.drafts.open('topic:1:olds', next).content).toBe('');
});
