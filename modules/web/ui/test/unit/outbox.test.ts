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
  const box = new Outbox(
    http,
    storage,
    () => state.queue,
    () => 1000,
  );
  return { box, calls, state, storage };
}

test('a message is shown until its event arrives', async () => {
  const { box, calls } = outbox(() => ({ id: 5 }));
  const sent = box.send(to, 'hello');
  expect(box.of(to).map((p) => p.state)).toEqual(['sending']);
  expect(await sent).toBe(5);
  expect(box.of(to).map((p) => p.state)).toEqual(['sent']);
  expect(calls[0]!.params).toMatchObject({ type: 'channel', to: '1', topic: 'news', queue_id: 'q1' });
  box.arrived(calls[0]!.params.local_id!);
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
  box.arrived(calls[0]!.params.local_id!);
  box.caughtUp();
  await settled();
  expect(calls).toHaveLength(1);
});

test('with another queue nobody knows, so a person decides', async () => {
  const { box, calls, state } = outbox(() => lost);
  await box.send(to, 'hello');
  state.queue = 'q2';
  box.lostQueue();
  box.caughtUp();
  await settled();
  expect(calls).toHaveLength(1);
  expect(box.items[0]!.state).toBe('failed');
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
