import { expect, test, vi } from 'vitest';
import { ApiError } from '../../src/api/http.ts';
import type { Conversation } from '../../src/store/narrow.ts';
import { Outbox } from '../../src/store/outbox.ts';
import { fakeHttp, connectionLost, memory, type Call } from './fake.ts';

const to: Conversation = { kind: 'topic', channel: 1, topic: 'news' };
const nextTask = () => new Promise((resolve) => setTimeout(resolve));

function outbox(answer: (c: Call) => Record<string, unknown> | Error, storage = memory()) {
  const { http, calls } = fakeHttp(answer);
  const state = { queue: 'q1' };
  const clock = { now: 1000 };
  const box = new Outbox(
    http,
    storage,
    () => state.queue,
    () => clock.now,
  );
  return { box, calls, state, storage, clock };
}

test('a message is shown until its event arrives', async () => {
  const { box, calls } = outbox(() => ({ id: 5 }));
  const sent = box.send(to, 'hello');
  expect(box.of(to).map((p) => p.state)).toEqual(['sending']);
  expect(await sent).toBe(5);
  expect(box.of(to).map((p) => p.state)).toEqual(['sent']);
  expect(calls[0]!.params).toMatchObject({ type: 'channel', to: '1', topic: 'news', queue_id: 'q1' });
  box.arrived(calls[0]!.params.local_id, 5);
  expect(box.items).toEqual([]);
});

test('a message without a response is sent again if it has not arrived', async () => {
  let fail = true;
  const { box, calls } = outbox(() => (fail ? connectionLost : { id: 5 }));
  await box.send(to, 'hello');
  expect(box.items[0]!.state).toBe('unsure');
  expect(calls).toHaveLength(1);
  fail = false;
  box.caughtUp();
  await nextTask();
  expect(calls).toHaveLength(2);
  expect(calls[1]!.params.local_id).toBe(calls[0]!.params.local_id);
});

test('a message that maintenance refuses returns to its author, unless it may have arrived before', async () => {
  const refused = new ApiError(503, 'MAINTENANCE', 'Back at noon.');
  const answers = [refused, connectionLost, refused];
  const { box } = outbox(() => answers.shift()!);
  const returned: string[] = [];
  box.onReturned = (_, content, why) => returned.push(`${content}: ${why.message}`);
  await box.send(to, 'hello');
  expect(returned).toEqual(['hello: Back at noon.']);
  expect(box.items).toEqual([]);
  await box.send(to, 'again');
  await box.retry(box.items[0]!.localID);
  expect(returned).toHaveLength(1);
  expect(box.items.map((p) => p.state)).toEqual(['unsure']);
});

test('a message without a response is repeated with its key while the connection persists', async () => {
  vi.useFakeTimers();
  try {
    const answers: (Record<string, unknown> | Error)[] = [connectionLost, connectionLost, { id: 5 }];
    const { box, calls } = outbox(() => answers.shift()!);
    await box.send(to, 'hello');
    box.connected = () => false;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(calls).toHaveLength(1);
    box.connected = () => true;
    box.caughtUp();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(calls.map((c) => c.params)).toEqual([calls[0]!.params, calls[0]!.params, calls[0]!.params]);
    expect(box.items.map((p) => p.state)).toEqual(['sent']);
  } finally {
    vi.useRealTimers();
  }
});

test('a message without a response is not sent again after its event', async () => {
  const { box, calls } = outbox(() => connectionLost);
  await box.send(to, 'hello');
  box.arrived(calls[0]!.params.local_id, 5);
  box.caughtUp();
  await nextTask();
  expect(calls).toHaveLength(1);
});

test('a message is sent again with its original key after a new registration', async () => {
  let fail = true;
  const { box, calls, state } = outbox(() => (fail ? connectionLost : { id: 5 }));
  await box.send(to, 'hello');
  state.queue = 'q2';
  fail = false;
  box.lostQueue();
  box.caughtUp();
  await nextTask();
  expect(calls).toHaveLength(2);
  expect(calls[1]!.params).toEqual(calls[0]!.params);
  box.arrived(undefined, 5); // events do not name messages sent with another queue
  expect(box.items).toEqual([]);
});

test('a message sent before registration has a unique key', async () => {
  let fail = true;
  const { box, calls, state } = outbox(() => (fail ? connectionLost : { id: 5 }));
  state.queue = '';
  await box.send(to, 'hello');
  state.queue = 'q1';
  fail = false;
  box.caughtUp();
  await nextTask();
  expect(calls[1]!.params).toEqual(calls[0]!.params);
  expect(calls[0]!.params.queue_id).not.toBe('');
});

test('a message too old for its key is sent again only on request', async () => {
  const { box, calls, clock } = outbox(() => connectionLost);
  await box.send(to, 'hello');
  clock.now += 24 * 3600_000;
  box.caughtUp();
  await nextTask();
  expect(calls).toHaveLength(1);
  expect(box.items[0]!.state).toBe('failed');
});

test('messages of a crashed tab are taken over by another one', async () => {
  const storage = memory();
  const one = outbox(() => new ApiError(400, 'BAD_REQUEST', 'No'), storage);
  one.box.restore('a');
  await one.box.send(to, 'hello');
  const two = outbox(() => ({ id: 6 }), storage);
  two.box.restore('b');
  expect(two.box.items).toEqual([]); // the other tab may still be open
  await two.box.send(to, 'other');
  two.clock.now += 91_000;
  two.box.adopt();
  expect(two.box.items.map((p) => [p.content, p.state])).toEqual([
    ['hello', 'failed'],
    ['other', 'sent'],
  ]);
  const three = outbox(() => ({ id: 7 }), storage);
  three.clock.now = two.clock.now;
  three.box.restore('c');
  expect(three.box.items).toEqual([]);
});

test('a refused message survives a reload', async () => {
  const storage = memory();
  const { box } = outbox(() => new ApiError(400, 'BAD_REQUEST', 'No'), storage);
  await box.send(to, 'hello');
  expect(box.items[0]).toMatchObject({ state: 'failed', error: 'No', content: 'hello' });
  const next = outbox(() => ({ id: 6 }), storage).box;
  next.restore();
  expect(next.items).toMatchObject([{ state: 'failed', content: 'hello', to }]);
  await next.retry(next.items[0]!.localID);
  expect(next.items[0]!.state).toBe('sent');
});
