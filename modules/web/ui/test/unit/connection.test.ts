import { expect, test } from 'vitest';
import { ApiError } from '../../src/api/http.ts';
import type { RawEvent } from '../../src/api/events.ts';
import { Connection } from '../../src/store/connection.ts';
import { fakeHttp, connectionLost, snapshot, type Call } from './fake.ts';

/** follow runs a connection with scripted poll responses and stops it afterwards. */
async function follow(script: (Error | RawEvent[])[], onEvent: (e: RawEvent) => void = () => undefined) {
  const seen: string[] = [];
  let queue = 0;
  const { http, calls } = fakeHttp((c: Call) => {
    if (c.path === '/register') return { ...snapshot({ queue_id: `q${++queue}`, last_event_id: 10 }) };
    const next = script.shift();
    if (!next) {
      connection.stop();
      return { events: [] };
    }
    return next instanceof Error ? next : { events: next };
  });
  const connection = new Connection(http, {
    registered: (s) => seen.push(s.queue_id),
    event: (e) => {
      onEvent(e);
      seen.push(`event ${e.id}`);
    },
    caughtUp: () => seen.push('caught up'),
    rest: async () => void seen.push('rest'),
    unreachable: async () => false,
    checkVersion: async () => undefined,
  });
  const retryNow = setInterval(() => connection.retryNow(), 1);
  await connection.run();
  clearInterval(retryNow);
  return { seen, polls: calls.filter((c) => c.path === '/events').map((c) => c.params), connection };
}

const event = (id: number): RawEvent => ({ id, type: 'heartbeat' });

test('events are applied once, in order, and acknowledged', async () => {
  const { seen, polls } = await follow([[event(11)], [event(11), event(13)]]);
  expect(seen).toEqual(['q1', 'event 11', 'caught up', 'event 13']);
  expect(polls.map((p) => p.last_event_id)).toEqual(['10', '11', '13']);
});

test('the page can respond while thousands of events are applied', async () => {
  const { seen } = await follow([Array.from({ length: 1000 }, (_, i) => event(11 + i))]);
  const parts = seen.join(' ').split(' rest ');
  expect(Math.max(...parts.map((p) => p.match(/event/g)!.length))).toBeLessThanOrEqual(50);
  expect(seen.filter((s) => s.startsWith('event'))).toEqual(
    Array.from({ length: 1000 }, (_, i) => `event ${11 + i}`),
  );
});

test('the queue is still used after an interruption', async () => {
  const { seen, polls } = await follow([[], connectionLost, new ApiError(502, '', 'bad gateway'), [event(11)]]);
  expect(seen).toEqual(['q1', 'caught up', 'event 11', 'caught up']);
  expect(polls.every((p) => p.queue_id === 'q1')).toBe(true);
  expect(polls.map((p) => p.dont_block)).toEqual(['true', undefined, 'true', 'true', undefined]);
});

test('an expired queue leads to a new registration', async () => {
  const { seen } = await follow([[event(11)], new ApiError(400, 'BAD_EVENT_QUEUE_ID', 'gone'), [event(12)]]);
  expect(seen).toEqual(['q1', 'event 11', 'caught up', 'q2', 'event 12', 'caught up']);
});

test('an event that cannot be applied leads to a new registration', async () => {
  const error = console.error;
  console.error = () => undefined;
  const { seen } = await follow([[event(11), event(12)], []], (e) => {
    if (e.id === 12) throw new Error('unknown');
  });
  console.error = error;
  expect(seen).toEqual(['q1', 'event 11', 'q2', 'caught up']);
});

test('the client waits as long as the rate limit requires', async () => {
  let n = 0;
  const { http, waits, calls } = fakeHttp(() =>
    ++n < 3 ? new ApiError(429, 'RATE_LIMIT_HIT', 'slow down', { 'retry-after': 1.5 }) : { ok: 1 },
  );
  expect(await http.call('GET', '/x')).toMatchObject({ ok: 1 });
  expect(waits).toEqual([1.5, 0, 1.5, 0]);
  expect(calls).toHaveLength(3);
});

test('an ended session leads to the log-in page', async () => {
  const { http, loggedOut } = fakeHttp(() => new ApiError(401, 'UNAUTHORIZED', 'no'));
  await expect(http.call('GET', '/x')).rejects.toThrow('no');
  expect(loggedOut()).toBe(1);
});
