// Recent conversations and the topics of channels follow events exactly, and fetch only what the client cannot know.
import { expect, test } from 'vitest';
import type { RawEvent } from '../../src/api/events.ts';
import type { Channel, Message, Subscription } from '../../src/api/types.ts';
import { Store } from '../../src/store/store.ts';
import { fakeHttp, memory, message, snapshot, type Call } from './fake.ts';

const room = { stream_id: 1, name: 'general', history_public_to_subscribers: true } as Subscription;
const vault = { stream_id: 2, name: 'vault', invite_only: true, history_public_to_subscribers: true } as Subscription;

const nextTask = () => new Promise((resolve) => setTimeout(resolve));
const page = (messages: Message[]) => ({
  messages,
  anchor: 0,
  found_anchor: false,
  found_oldest: true,
  found_newest: true,
});

async function start(messages: Message[], answer: (c: Call) => object | undefined = () => undefined) {
  const { http, calls } = fakeHttp((c) => ({ ...(answer(c) ?? page(messages)) }));
  const store = new Store({ http, local: memory(), session: memory(), now: () => 0 });
  store.reset(
    snapshot({ subscriptions: [room, vault], never_subscribed: [{ stream_id: 3, name: 'open' } as Channel] }),
  );
  await store.recent.load();
  let id = 0;
  return { store, calls, apply: (e: object) => store.apply({ id: ++id, ...e } as RawEvent) };
}

const listed = (store: Store) =>
  store.recent
    .all()
    .map(({ conversation: c, lastID, participants }) =>
      [c.kind === 'topic' ? `${c.channel} ${c.topic}` : c.users.join(), lastID, participants.join()].join(': '),
    );

const move = (ids: number[], over: object) => ({
  type: 'update_message',
  message_id: ids[0],
  message_ids: ids,
  user_id: 2,
  rendering_only: false,
  edit_timestamp: 0,
  flags: [],
  stream_id: 1,
  propagate_mode: 'change_all',
  ...over,
});

const three = [message(1, { subject: 'lunch', sender_id: 3 }), message(2), message(3, { subject: 'Lunch' })];

test('moved messages leave their conversation, which is not listed any more', async () => {
  const { store, calls, apply } = await start(three);
  expect(listed(store)).toEqual(['1 Lunch: 3: 2,3', '1 news: 2: 2']);
  apply(move([1, 3], { orig_subject: 'Lunch', subject: '✔ Lunch' }));
  expect(listed(store)).toEqual(['1 ✔ Lunch: 3: 2,3', '1 news: 2: 2']);
  apply(move([3], { orig_subject: '✔ Lunch', subject: 'news', propagate_mode: 'change_one' }));
  expect(listed(store)).toEqual(['1 news: 3: 2', '1 ✔ Lunch: 1: 3']);
  apply(move([1], { orig_subject: '✔ Lunch', subject: '✔ lunch' }));
  expect(listed(store)).toEqual(['1 news: 3: 2', '1 ✔ lunch: 1: 3']);
  apply(move([2, 3], { orig_subject: 'news', new_stream_id: 2 }));
  expect(listed(store)).toEqual(['2 news: 3: 2', '1 ✔ lunch: 1: 3']);
  expect(calls.length).toBe(1);
});

test('after a deletion, the conversation ends with the message before, or is fetched', async () => {
  const asked: string[] = [];
  const { store, apply } = await start(three, (c) => {
    const { narrow } = c.params;
    if (narrow === '[]' || c.path !== '/messages') return undefined;
    asked.push(narrow!);
    return page([message(0, { subject: 'news', sender_id: 9 })]);
  });
  const remove = (...ids: number[]) =>
    apply({ type: 'delete_message', message_ids: ids, message_type: 'stream', stream_id: 1, topic: 'x' });
  remove(3);
  expect(listed(store)).toEqual(['1 news: 2: 2', '1 lunch: 1: 3']);
  remove(2);
  expect(listed(store)).toEqual(['1 lunch: 1: 3']); // the topic's name may be gone
  await nextTask();
  expect(listed(store)).toEqual(['1 lunch: 1: 3', '1 news: 0: 9']);
  expect(asked).toEqual([
    JSON.stringify([
      { operator: 'channel', operand: 1 },
      { operator: 'topic', operand: 'news' },
    ]),
  ]);
});

test('a response that an event contradicts is asked for again', async () => {
  let first = true;
  const { store, calls } = await start(three, () => {
    if (!first) return page([message(1, { subject: '✔ lunch' })]);
    first = false;
    store0()?.apply({ id: 1, ...move([1], { orig_subject: 'lunch', subject: '✔ lunch' }) });
    return page([message(1, { subject: 'lunch' })]);
  });
  // The event arrives while the list of a view is being fetched.
  function store0(): Store | undefined {
    return current;
  }
  let current: Store | undefined = store;
  first = true;
  const list = store.lists.open({ kind: 'channel', channel: 1 }, 'newest');
  await nextTask();
  await nextTask();
  current = undefined;
  expect(list.ids.map((id) => store.messages.get(id)!.subject)).toEqual(['✔ lunch']);
  expect(calls.filter((c) => c.path === '/messages').length).toBeGreaterThan(2);
});

test('a response that is ahead of the event of a move leaves no former conversation', async () => {
  const messages = [...three];
  const { store, apply } = await start(messages, (c) => (c.params.narrow === '[]' ? undefined : page([])));
  messages[0] = message(1, { subject: 'supper', sender_id: 3 });
  messages[2] = message(3, { subject: 'supper' });
  store.recent.invalidate();
  await store.recent.load();
  await nextTask();
  expect(listed(store)).toEqual(['1 supper: 3: 2,3', '1 news: 2: 2']);
  apply(move([1, 3], { orig_subject: 'Lunch', subject: 'supper' }));
  expect(listed(store)).toEqual(['1 supper: 3: 2,3', '1 news: 2: 2']);
});

test('topics follow moves and deletions, and hide what may be gone until it is known', async () => {
  let topics = [
    { name: 'lunch', max_id: 3 },
    { name: 'news', max_id: 2 },
  ];
  const { store, calls, apply } = await start(three, (c) => (c.path.endsWith('/topics') ? { topics } : undefined));
  await store.topics.load(1);
  const names = () => store.topics.get(1)!.map((t) => t.name);
  apply(move([1, 3], { orig_subject: 'lunch', subject: '✔ lunch' }));
  expect(names()).toEqual(['✔ lunch', 'news']);
  expect(calls.filter((c) => c.path.endsWith('/topics')).length).toBe(1);
  topics = [{ name: '✔ lunch', max_id: 1 }];
  apply({ type: 'delete_message', message_ids: [2], message_type: 'stream', stream_id: 1, topic: 'news' });
  expect(names()).toEqual(['✔ lunch']);
  await nextTask();
  expect(names()).toEqual(['✔ lunch']);
});

const lose: [string, object[]][] = [
  [
    'unsubscribed from a private channel',
    [{ type: 'subscription', op: 'remove', subscriptions: [{ stream_id: 2 }] }],
  ],
  ['deleted', [{ type: 'stream', op: 'delete', stream_ids: [2] }]],
];
for (const [name, events] of lose) {
  test(`nothing of a channel remains once it is lost: ${name}`, async () => {
    const secret = message(9, { stream_id: 2, subject: 'secret' });
    const { store, apply } = await start([...three, secret], (c) =>
      c.path.endsWith('/topics') ? { topics: [{ name: 'secret', max_id: 9 }] } : undefined,
    );
    const gone: number[] = [];
    store.onGone = (ids) => gone.push(...ids);
    const all = store.lists.open({ kind: 'feed' }, 'newest');
    const inside = store.lists.open({ kind: 'channel', channel: 2 }, 'newest');
    store.shown = inside;
    await store.topics.load(2);
    apply({ type: 'message', message: message(10, { stream_id: 2, subject: 'secret' }), flags: [] });
    expect(all.ids).toContain(9);
    for (const e of events) apply(e);
    expect([...store.messages.values()].filter((m) => m.stream_id === 2)).toEqual([]);
    expect(all.ids).toEqual([1, 2, 3]);
    expect(inside.ids.filter((id) => id > 3)).toEqual([]);
    expect(listed(store).filter((c) => c.startsWith('2 '))).toEqual([]);
    expect(store.topics.get(2)).toBeUndefined();
    expect(store.unread.all()).toEqual([]);
    expect(gone.sort()).toEqual([10, 9]);
  });
}

test('unread messages stay when the history of their channel becomes protected', async () => {
  const { store, apply } = await start([message(9, { stream_id: 2, subject: 'secret' })]);
  const all = store.lists.open({ kind: 'feed' }, 'newest');
  await nextTask();
  apply({ type: 'message', message: message(10, { stream_id: 2, subject: 'secret' }), flags: [] });
  apply({
    ...{ type: 'stream', op: 'update', stream_id: 2, name: 'vault', property: 'x', value: 0 },
    history_public_to_subscribers: false,
  });
  expect(all.ids).toEqual([10]);
  expect([...store.messages.values()].map((m) => m.id)).toEqual([10]);
  expect(store.topics.get(2)).toBeUndefined();
  expect(store.recent.state).toBe('new');
  expect(store.unread.count({ kind: 'topic', channel: 2, topic: 'secret' })).toBe(1);
});

test('conversations are found again after access was given back', async () => {
  const secret = message(9, { stream_id: 2, subject: 'secret' });
  const { store, apply } = await start([secret]);
  apply({ type: 'subscription', op: 'remove', subscriptions: [{ stream_id: 2 }] });
  expect(listed(store)).toEqual([]);
  apply({ type: 'subscription', op: 'add', subscriptions: [vault] });
  expect(store.recent.state).toBe('new');
  await store.recent.load();
  expect(listed(store)).toEqual(['2 secret: 9: 2']);
});

test('the latest message names a topic whose spellings differ', async () => {
  const { store, apply } = await start([], (c) => (c.path.endsWith('/topics') ? { topics: [] } : undefined));
  await store.topics.load(1);
  const names = () => [
    ...store.unread.all().map(({ conversation: c }) => (c.kind === 'topic' ? c.topic : '')),
    ...store.topics.get(1)!.map((t) => t.name),
  ];
  apply({ type: 'message', message: message(8, { subject: 'Lunch' }), flags: [] });
  apply({ type: 'message', message: message(9, { subject: 'lunch' }), flags: [] });
  expect(names()).toEqual(['lunch', 'lunch']);
  apply({ type: 'update_message_flags', flag: 'read', op: 'add', all: false, messages: [9] });
  expect(names()).toEqual(['Lunch', 'lunch']);
});

test('unread messages of archived channels are not counted', async () => {
  const { store, apply } = await start([]);
  apply({ type: 'message', message: message(10), flags: ['mentioned'] });
  const counts = () => [
    store.unread.total(store.unread.notMuted),
    store.unread.mentionCount(),
    store.unread.all().length,
  ];
  expect(counts()).toEqual([1, 1, 1]);
  const archive = (value: boolean) =>
    apply({ type: 'stream', op: 'update', stream_id: 1, name: 'general', property: 'is_archived', value });
  archive(true);
  expect(counts()).toEqual([0, 0, 0]);
  archive(false);
  expect(counts()).toEqual([1, 1, 1]);
});

test('mentions with others are not counted where the topic or the channel is muted', async () => {
  const { store, apply } = await start([]);
  apply({ type: 'message', message: message(10), flags: ['channel_wildcard_mentioned'] });
  apply({ type: 'message', message: message(11), flags: ['mentioned', 'channel_wildcard_mentioned'] });
  const mute = (value: boolean) =>
    apply({ type: 'subscription', op: 'update', stream_id: 1, property: 'is_muted', value });
  expect(store.unread.mentionCount()).toBe(2);
  mute(true);
  expect(store.unread.mentionCount()).toBe(1);
  apply({ type: 'update_message_flags', flag: 'read', op: 'add', all: false, messages: [10, 11] });
  const details = { type: 'stream', stream_id: 1, topic: message(10).subject, mentioned: true } as const;
  const message_details = { 10: { ...details, wildcard_mentioned: true }, 11: details };
  apply({
    type: 'update_message_flags',
    flag: 'read',
    op: 'remove',
    all: false,
    messages: [10, 11],
    message_details,
  });
  expect(store.unread.mentionCount()).toBe(1);
  mute(false);
  expect(store.unread.mentionCount()).toBe(2);
});
