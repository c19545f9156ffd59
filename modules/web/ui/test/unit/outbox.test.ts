import { expect, test } from 'vitest';
import { ApiError } from '../../src/api/http.ts';
import type { Conversation } from '../../src/store/narrow.ts';
import { Outbox } from '../../src/store/outbox.ts';
import { fake, lost, memory, type Call } from './fake.ts';

const to: Conversation = { kind: 'topic', channel: 1, topic: 'news' };
const settled = () => new Promise((resolve) => setTimeout(resolve));

function outbox(answer: (c: Call) => Record<string, unknown> | Error, storage = memory()) {
  const { http, calls } = fake(answer);
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
  box.arrived(calls[0]!.params.local_id!, 5);
  expect(box.items).toEqual([]);
});

test('without an answer it is sent again once the queue tells that it has not arrived', async () => {
  let fail = true;
  const { box, calls } = outbox(() => (fail ? lost : { id: 5 }));
  await box.send(to, 'hello');
  expect(box.items[0]!.state).toBe('unsure');
  expect(calls).toHaveLength(1);
  fail = false;
  box.caughtUp();
  await settled();
  expect(calls).toHaveLength(2);
  expect(calls[1]!.params.local_id).toBe(calls[0]!.params.local_id);
});

test('without an answer it is not sent again if its event has come', async () => {
  const { box, calls } = outbox(() => lost);
  await box.send(to, 'hello');
  box.arrived(calls[0]!.params.local_id!, 5);
  box.caughtUp();
  await settled();
  expect(calls).toHaveLength(1);
});

test('with another queue it is sent again under the same key, by which the server knows it', async () => {
  let fail = true;
  const { box, calls, state } = outbox(() => (fail ? lost : { id: 5 }));
  await box.send(to, 'hello');
  state.queue = 'q2';
  fail = false;
  box.lostQueue();
  box.caughtUp();
  await settled();
  expect(calls).toHaveLength(2);
  expect(calls[1]!.params).toEqual(calls[0]!.params);
  box.arrived(undefined, 5); // the event does not name what another queue has sent
  expect(box.items).toEqual([]);
});

test('without any queue yet it has a key of its own', async () => {
  let fail = true;
  const { box, calls, state } = outbox(() => (fail ? lost : { id: 5 }));
  state.queue = '';
  await box.send(to, 'hello');
  state.queue = 'q1';
  fail = false;
  box.caughtUp();
  await settled();
  expect(calls[1]!.params).toEqual(calls[0]!.params);
  expect(calls[0]!.params.queue_id).not.toBe('');
});

test('what is too old for its key waits for a person', async () => {
  const { box, calls, clock } = outbox(() => lost);
  await box.send(to, 'hello');
  clock.now += 24 * 3600_000;
  box.caughtUp();
  await settled();
  expect(calls).toHaveLength(1);
  expect(box.items[0]!.state).toBe('failed');
});

test('what a tab leaves that has crashed is taken over by another one', async () => {
  const storage = memory();
  const one = outbox(() => new ApiError(400, 'BAD_REQUEST', 'No'), storage);
  one.box.restore('a');
  await one.box.send(to, 'hello');
  const two = outbox(() => ({ id: 6 }), storage);
  two.box.restore('b');
  expect(two.box.items).toEqual([]); // it may still be there
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

test('what was refused stays, over a reload too', async () => {
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
