import { expect, test } from 'vitest';
import type { ServerEvent } from '../../src/api/events.ts';
import type { Message } from '../../src/api/types.ts';
import { observe } from '../../src/store/cell.ts';
import type { Conversation } from '../../src/store/narrow.ts';
import { grouper } from '../../src/store/rows.ts';
import { Store } from '../../src/store/store.ts';
import { fakeHttp, memory, message, snapshot } from './fake.ts';

/** running is the computation that reads, as in a view. */
let running: Set<object> | undefined;
const touched = new Set<object>();

observe(
  () => {
    const signal = { track: () => void running?.add(signal), touch: () => void touched.add(signal) };
    return signal;
  },
  () => running !== undefined,
);

/** watch runs a computation, and returns whether it must run again after a change. */
function watch(read: () => unknown): (change: () => void) => boolean {
  return (change) => {
    const signals = new Set<object>();
    running = signals;
    read();
    running = undefined;
    touched.clear();
    change();
    return [...signals].some((signal) => touched.has(signal));
  };
}

const topic = (channel: number, name: string): Conversation => ({ kind: 'topic', channel, topic: name });

function newStore() {
  const { http } = fakeHttp(() => ({ topics: [] }));
  const store = new Store({ http, local: memory(), session: memory(), now: () => 1_700_000_500_000 });
  store.reset(snapshot());
  let event = 0;
  const apply = (e: Omit<ServerEvent, 'id'>) => store.apply({ ...e, id: ++event });
  const receive = (m: Message) => apply({ type: 'message', message: m, flags: [] } as Omit<ServerEvent, 'id'>);
  return { store, apply, receive };
}

test('a message concerns only those who show it, its conversation or its channel', () => {
  const { store, receive } = newStore();
  const here = (id: number) => message(id, { stream_id: 1, subject: 'here' });
  receive(here(1));
  const arrives = () => receive(here(2));
  const concerned = (read: () => unknown, change: () => void) => watch(read)(change);
  const { unread } = store;

  for (const read of [
    () => store.messages.get(1),
    () => unread.has(1),
    () => unread.count(topic(1, 'elsewhere')),
    () => unread.track(topic(1, 'elsewhere')),
    () => unread.ofChannel(2, unread.home),
    () => unread.mentionCount(),
    () => store.topics.get(2),
    () => store.recent.direct(),
    () => store.users.people(),
    () => store.channels.foldered(),
  ]) {
    expect(concerned(read, arrives), String(read)).toBe(false);
  }
  let id = 2;
  const next = () => receive(here(++id));
  for (const read of [
    () => store.messages.get(id + 1),
    () => unread.has(id + 1),
    () => unread.count(topic(1, 'HERE')),
    () => unread.ofChannel(1, unread.home),
    () => unread.total(unread.home),
    () => unread.all(),
    () => store.recent.all(),
  ]) {
    expect(concerned(read, next), String(read)).toBe(true);
  }
});

test('counts by increments are the counts of all unread messages', () => {
  const { store, apply, receive } = newStore();
  const { unread } = store;
  const counted = () =>
    unread
      .all()
      .filter(({ conversation: c }) => c.kind === 'dm' || store.channels.inHome(c.channel, c.topic))
      .reduce((sum, { count }) => sum + count, 0);
  let seed = 1;
  const random = (n: number) => (seed = (seed * 48271) % 2147483647) % n;
  const ids: number[] = [];
  for (let id = 1; id <= 400; id++) {
    const [channel, name] = [1 + random(2), `topic ${random(5)}`];
    switch (random(6)) {
      case 0:
        unread.forget(ids.filter(() => random(8) === 0));
        break;
      case 1:
        unread.move(
          ids.filter(() => random(8) === 0),
          { channel, topic: name },
        );
        break;
      case 2: {
        const change = { stream_id: channel, topic_name: name, last_updated: id, visibility_policy: random(4) };
        apply({ type: 'user_topic', ...change });
        break;
      }
      case 3: {
        const change = { stream_id: channel, property: 'is_muted', value: random(2) === 0 };
        apply({ type: 'subscription', op: 'update', ...change });
        break;
      }
      default:
        receive(message(id, random(5) === 0 ? directly : { stream_id: channel, subject: name }));
        ids.push(id);
    }
    expect(unread.total(unread.home), `after step ${id}`).toBe(counted());
  }
});

const directly: Partial<Message> = {
  type: 'private',
  display_recipient: [
    { id: 1, email: 'a@example.com', full_name: 'A' },
    { id: 2, email: 'b@example.com', full_name: 'B' },
  ],
};

test('reading a message concerns those who ask whether it is unread, not those who show it', () => {
  const { store, receive } = newStore();
  receive(message(7, { sender_id: 2 }));
  receive(message(8, { sender_id: 2 }));
  expect(watch(() => store.messages.get(7))(() => store.reading.mark([7]))).toBe(false);
  expect(store.messages.get(7)!.flags).toEqual(['read']);
  expect(watch(() => store.unread.has(8))(() => store.reading.mark([8]))).toBe(true);
});

test('a message that arrives leaves the rows before it as they are', () => {
  const groups = grouper();
  const all = Array.from({ length: 10 }, (_, i) => message(i + 1, { sender_id: 2 }));
  const options = { me: 1, dayOf: () => 0, unreadFrom: undefined };
  const feed = { kind: 'topic', channel: 1, topic: 'news' } as const;
  const [before] = groups(all.slice(0, 8), feed, { ...options, before: 0 });
  const [after] = groups(all.slice(2), feed, { ...options, before: 2 });
  expect(after!.key).toBe(before!.key);
  expect(after!.rows.slice(1, 6).map((row, i) => row === before!.rows[i + 3])).not.toContain(false);
});
