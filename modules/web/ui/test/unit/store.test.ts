import { expect, test } from 'vitest';
import type { ServerEvent } from '../../src/api/events.ts';
import type { Subscription } from '../../src/api/types.ts';
import { Store } from '../../src/store/store.ts';
import { groups } from '../../src/store/rows.ts';
import { widget } from '../../src/store/widgets.ts';
import { fakeHttp, memory, message, snapshot } from './fake.ts';

/** Unnumbered is an event without its ID. */
type Unnumbered<E> = E extends unknown ? Omit<E, 'id'> : never;

const nextTask = () => new Promise((resolve) => setTimeout(resolve));
const channel = (over: Partial<Subscription>): Subscription => ({
  stream_id: 1,
  name: 'general',
  description: '',
  rendered_description: '',
  invite_only: false,
  is_web_public: false,
  history_public_to_subscribers: true,
  can_send_message_group: 1,
  color: '#aabbcc',
  is_muted: false,
  pin_to_top: false,
  desktop_notifications: null,
  ...over,
});

function newStore(answer: Parameters<typeof fakeHttp>[0] = () => ({}), over = {}) {
  const { http, calls } = fakeHttp(answer);
  const store = new Store({ http, local: memory(), session: memory(), now: () => 1_700_000_500_000 });
  store.reset(
    snapshot({ subscriptions: [channel({}), channel({ stream_id: 2, name: 'quiet', is_muted: true })], ...over }),
  );
  let id = 0;
  const apply = (e: Unnumbered<ServerEvent>) => store.apply({ id: ++id, ...e });
  const receive = (m: ReturnType<typeof message>, flags: string[] = []) =>
    apply({ type: 'message', message: m, flags });
  return { store, calls, apply, receive };
}

const page = (ids: number[], over = {}) => ({
  messages: ids.map((id) => message(id)),
  anchor: ids[0] ?? 0,
  found_anchor: true,
  found_oldest: false,
  found_newest: true,
  ...over,
});

const news = { kind: 'topic', channel: 1, topic: 'News' } as const;

test('unread messages are counted by conversation, moved, and read', () => {
  const { store, apply, receive } = newStore(undefined, {
    unread_msgs: {
      count: 3,
      mentions: [4],
      pms: [{ other_user_id: 2, unread_message_ids: [1, 2] }],
      streams: [{ stream_id: 1, topic: 'news', unread_message_ids: [3, 4] }],
      huddles: [{ user_ids_string: '1,2,3', unread_message_ids: [5] }],
    },
  });
  receive(message(6), []);
  receive(message(7), ['read']);
  expect(store.unread.count(news)).toBe(3);
  expect(store.unread.count({ kind: 'dm', users: [2, 3] })).toBe(1);
  expect(store.unread.pressing(store.unread.nowhere)).toBe(4);
  apply({
    type: 'update_message',
    user_id: 2,
    message_id: 4,
    message_ids: [4, 6],
    stream_id: 1,
    orig_subject: 'news',
    subject: 'olds',
    flags: ['mentioned'],
    propagate_mode: 'change_later',
    edit_timestamp: 1,
    rendering_only: false,
  });
  expect(store.unread.count(news)).toBe(1);
  expect(store.unread.count({ kind: 'topic', channel: 1, topic: 'olds' })).toBe(2);
  expect(store.unread.mentionCount()).toBe(1);
  apply({ type: 'update_message_flags', op: 'add', flag: 'read', messages: [4, 5, 6], all: false });
  expect(store.unread.count({ kind: 'topic', channel: 1, topic: 'olds' })).toBe(0);
  apply({
    type: 'update_message_flags',
    op: 'remove',
    flag: 'read',
    messages: [5],
    all: false,
    message_details: { 5: { type: 'private', user_ids: [2, 3] } },
  });
  expect(store.unread.count({ kind: 'dm', users: [2, 3] })).toBe(1);
  apply({ type: 'delete_message', message_type: 'stream', message_ids: [3], stream_id: 1, topic: 'news' });
  apply({ type: 'update_message_flags', op: 'add', flag: 'read', messages: [], all: true });
  expect(store.unread.all()).toEqual([]);
});

test('muted channels and topics do not count, except followed topics', () => {
  const { store, apply } = newStore();
  const set = (stream_id: number, topic_name: string, visibility_policy: number) =>
    apply({ type: 'user_topic', stream_id, topic_name, visibility_policy, last_updated: 1 });
  expect([store.channels.inHome(1, 'a'), store.channels.inHome(2, 'a')]).toEqual([true, false]);
  set(1, 'A', 1);
  set(2, 'A', 3);
  expect([store.channels.inHome(1, 'a'), store.channels.inHome(2, 'a')]).toEqual([false, true]);
  set(1, 'a', 0);
  expect(store.channels.inHome(1, 'A')).toBe(true);
});

test('an open list receives only its own messages', async () => {
  const { store, receive, apply } = newStore(() => page([10, 11]));
  const list = store.lists.open(news, 'first_unread');
  await nextTask();
  expect(list.ids).toEqual([10, 11]);
  receive(message(12));
  receive(message(13, { subject: 'other' }));
  receive(message(14, { subject: 'NEWS' }));
  expect(list.ids).toEqual([10, 11, 12, 14]);
  apply({ type: 'delete_message', message_type: 'stream', message_ids: [12], stream_id: 1, topic: 'news' });
  expect(list.ids).toEqual([10, 11, 14]);
});

const edit = (id: number, flags: string[]): Unnumbered<ServerEvent> => ({
  type: 'update_message',
  user_id: 2,
  message_id: id,
  message_ids: [id],
  content: 'x',
  rendered_content: '<p>x</p>',
  flags,
  edit_timestamp: 1,
  rendering_only: false,
});

test('an edit adds a message to the list of mentions, and removes it', async () => {
  const { store, receive, apply } = newStore(() => page([10, 12]));
  const list = store.lists.open({ kind: 'is', what: 'mentioned' }, 'first_unread');
  await nextTask();
  receive(message(13));
  apply(edit(13, ['mentioned']));
  expect(list.ids).toEqual([10, 12, 13]);
  apply(edit(12, ['read']));
  expect(list.ids).toEqual([10, 13]);
});

const starred = { kind: 'is', what: 'starred' } as const;
const star = (op: 'add' | 'remove', ...messages: number[]): Unnumbered<ServerEvent> => ({
  type: 'update_message_flags',
  op,
  flag: 'starred',
  messages,
  all: false,
});

test('a message that is starred while its list is shown is added, and one without a star leaves later', async () => {
  const { store, receive, apply } = newStore(() => page([10, 12]), { starred_messages: [10, 12] });
  const list = store.lists.open(starred, 'newest');
  store.shown = list;
  await nextTask();
  receive(message(13));
  apply(star('add', 13));
  apply(star('remove', 10));
  expect([list.loaded, list.ids]).toEqual([true, [10, 12, 13]]);
  apply(star('add', 10));
  apply(star('remove', 12));
  expect(list.ids).toEqual([10, 12, 13]);
  expect(store.lists.open(starred, 'newest').ids).toEqual([10, 13]);
});

const thumb = { emoji_name: 'thumbs_up', emoji_code: '1f44d', reaction_type: 'unicode_emoji', user_id: 2 } as const;
const submessage = { submessage_id: 1, message_id: 10, sender_id: 2, msg_type: 'widget', content: '{}' };

test.each<[string, Unnumbered<ServerEvent>, Partial<ReturnType<typeof message>>]>([
  ['edited', edit(10, []), { content: '<p>x</p>' }],
  ['starred', star('add', 10), { flags: ['starred'] }],
  ['given a reaction', { type: 'reaction', op: 'add', message_id: 10, ...thumb }, { reactions: [thumb] }],
  [
    'given a submessage',
    { type: 'submessage', ...submessage },
    { submessages: [{ id: 1, message_id: 10, sender_id: 2, msg_type: 'widget', content: '{}' }] },
  ],
])('a message %s while it is fetched is not overwritten with an older copy', async (_, event, now) => {
  const answers: ((a: Record<string, unknown>) => void)[] = [];
  const { store, receive, apply } = newStore((c) =>
    c.path === '/messages' ? new Promise((r) => answers.push(r)) : {},
  );
  receive(message(10));
  store.lists.open(news, 'first_unread');
  apply(event);
  answers[0]!(page([10, 11]));
  await nextTask();
  answers[1]?.({ ...page([11]), messages: [message(10, now), message(11)] });
  await nextTask();
  expect(store.messages.get(10)).toMatchObject(now);
});

test('a message received while a list is being fetched is not lost', async () => {
  let answer: (a: Record<string, unknown>) => void = () => undefined;
  const { store, receive } = newStore((c) => (c.path === '/messages' ? new Promise((r) => (answer = r)) : {}));
  const list = store.lists.open(news, 'first_unread');
  receive(message(12));
  answer(page([10, 11]));
  await nextTask();
  expect(list.ids).toEqual([10, 11, 12]);
});

test('a list without the newest messages adds no new ones', async () => {
  let found = { found_newest: false };
  const { store, receive } = newStore((c) => page(c.params.num_after === '100' ? [12, 13, 20] : [10, 11], found));
  const list = store.lists.open(news, 10);
  await nextTask();
  receive(message(20));
  expect(list.ids).toEqual([10, 11]);
  found = { found_newest: true };
  await store.lists.newer(list);
  expect(list.ids).toEqual([10, 11, 12, 13, 20]);
  receive(message(21));
  expect(list.ids.at(-1)).toBe(21);
});

test('messages read while offline stay read after a new registration', async () => {
  const over = {
    unread_msgs: {
      count: 1,
      mentions: [],
      pms: [],
      huddles: [],
      streams: [{ stream_id: 1, topic: 'news', unread_message_ids: [3] }],
    },
  };
  const { store } = newStore(() => new Error('offline'), over);
  store.reading.seen(3);
  await store.reading.flush();
  store.reset(snapshot(over));
  expect(store.unread.count(news)).toBe(0);
  expect(store.reading.unsent()).toEqual([3]);
});

test('a draft is created once, updated, and deleted when the message is sent', async () => {
  const to = { kind: 'topic', channel: 1, topic: 'news' } as const;
  const { store, calls } = newStore((c) => {
    if (c.method !== 'POST' || c.path !== '/drafts') return {};
    store.drafts.write('s', to, 'hello'); // before the response
    return { ids: [7] };
  });
  store.drafts.write('s', to, 'hel');
  await Promise.all([store.drafts.sync('s'), store.drafts.sync('s')]);
  expect(calls.map((c) => `${c.method} ${c.path}`)).toEqual(['POST /drafts', 'PATCH /drafts/7']);
  expect(JSON.parse(calls[1]!.params.draft!)).toMatchObject({
    type: 'stream',
    to: [1],
    topic: 'news',
    content: 'hello',
  });
  store.drafts.sent('s');
  await nextTask();
  expect(calls.at(-1)).toMatchObject({ method: 'DELETE', path: '/drafts/7' });
});

test('a draft from another device is opened in its conversation', () => {
  const { store, apply } = newStore();
  apply({
    type: 'drafts',
    op: 'add',
    drafts: [{ id: 3, type: 'private', to: [2], topic: '', content: 'from the phone', timestamp: 5 }],
  });
  expect(store.drafts.open('dm:2', { kind: 'dm', users: [2] })).toMatchObject({
    content: 'from the phone',
    draft: 3,
  });
});

test('messages are grouped by conversation, day and sender', () => {
  const list = [
    message(1),
    message(2),
    message(3, { sender_id: 3 }),
    message(4, { sender_id: 3, subject: 'other' }),
    message(90_000, { sender_id: 3, subject: 'other' }),
  ];
  const options = { me: 1, dayOf: (s: number) => Math.floor(s / 86_400), unreadFrom: 2, before: 0 };
  const feed = groups(list, { kind: 'feed' }, options);
  expect(feed.map((g) => g.rows.map((r) => `${r.message.id}${r.first ? '*' : ''}${r.unread ? '!' : ''}`))).toEqual([
    ['1*', '2*!', '3*'],
    ['4*'],
    ['90000*'],
  ]);
  expect(feed.map((g) => g.day !== undefined)).toEqual([true, false, true]);
});

test('malformed widget data is skipped', () => {
  const sub = (sender_id: number, content: unknown, id: number) => ({
    id,
    message_id: 1,
    sender_id,
    msg_type: 'widget',
    content: typeof content === 'string' ? content : JSON.stringify(content),
  });
  const poll = widget(
    message(1, {
      submessages: [
        sub(2, { widget_type: 'poll', extra_data: { question: 'Lunch?', options: ['soup', 5] } }, 1),
        sub(3, '{', 2),
        sub(3, 'null', 3),
        sub(3, { type: 'vote', key: '__proto__', vote: 1 }, 4),
        sub(3, { type: 'question', question: 'Hijacked' }, 5),
        sub(3, { type: 'vote', key: 'canned,0', vote: 1 }, 6),
        sub(3, { type: 'vote', key: 'canned,0', vote: 1 }, 7),
        sub(4, { type: 'new_option', idx: 1, option: 'soup' }, 8),
      ],
    }),
  );
  expect(poll).toEqual({
    kind: 'poll',
    question: 'Lunch?',
    options: [
      { key: 'canned,0', name: 'soup', voters: [3] },
      { key: 'canned,1', name: '', voters: [] },
    ],
  });
  expect(widget(message(1, { submessages: [sub(2, '[]', 1)] }))).toBeUndefined();
});
