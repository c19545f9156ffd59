// A view without events of its own is followed by polls at an interval, whatever others write, while it is open.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { RawEvent } from '../../src/api/events.ts';
import { ApiError } from '../../src/api/http.ts';
import { Follow } from '../../src/store/follow.ts';
import { connectionLost, fakeHttp } from './fake.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function start(channel: string | undefined, loaded = true) {
  const state = { queue: 0, events: [] as RawEvent[], error: undefined as Error | undefined, refreshed: 0 };
  const { http, calls } = fakeHttp((c) => {
    if (state.error) return state.error;
    if (c.path === '/register') return { queue_id: `q${++state.queue}`, last_event_id: 0 };
    return { events: state.events };
  });
  const applied: number[] = [];
  const follow = new Follow(http, (e) => applied.push(e.id));
  const refresh = async () => ++state.refreshed > 0 && loaded;
  const stop = follow.start({ channel, interval: 30_000, refresh });
  const polls = () => calls.filter((c) => c.method === 'GET').length;
  return { state, calls, applied, follow, stop, polls };
}

const event = (id: number) => ({ id, type: 'reaction' }) as RawEvent;

test('events are applied once and in order, with as many polls for many as for none', async () => {
  const f = start('general');
  await vi.advanceTimersByTimeAsync(30_000);
  const quiet = f.polls();
  f.state.events = Array.from({ length: 500 }, (_, i) => event(i + 1));
  await vi.advanceTimersByTimeAsync(30_000);
  expect(f.applied).toEqual(f.state.events.map((e) => e.id));
  expect(f.polls() - quiet).toBeLessThanOrEqual(quiet);
  expect(f.calls[0]!.params).toMatchObject({ narrow: '[["channel","general"]]', fetch_event_types: '[]' });
  expect(f.state.refreshed).toBe(1);
});

test('what the user has written is asked for at once', async () => {
  const f = start('general');
  await vi.advanceTimersByTimeAsync(100);
  const before = f.polls();
  f.follow.now();
  await vi.advanceTimersByTimeAsync(0);
  expect(f.polls()).toBe(before + 1);
});

test('a lost queue is replaced, and what happened between is fetched', async () => {
  const f = start('general');
  await vi.advanceTimersByTimeAsync(3_000);
  f.state.error = connectionLost;
  await vi.advanceTimersByTimeAsync(10_000);
  f.state.error = new ApiError(400, 'BAD_EVENT_QUEUE_ID', '');
  await vi.advanceTimersByTimeAsync(10_000);
  f.state.error = undefined;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(f.state).toMatchObject({ queue: 2, refreshed: 2 });
});

test('the queue is deleted when the view is left', async () => {
  const f = start('general');
  await vi.advanceTimersByTimeAsync(3_000);
  f.stop();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(f.calls.at(-1)).toMatchObject({ method: 'DELETE', path: '/events', params: { queue_id: 'q1' } });
  const length = f.calls.length;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(f.calls.length).toBe(length);
});

test('without a channel to follow, the view is refreshed', async () => {
  const f = start(undefined);
  await vi.advanceTimersByTimeAsync(61_000);
  expect(f.state.refreshed).toBe(3);
  expect(f.calls).toEqual([]);
  f.follow.now();
  await vi.advanceTimersByTimeAsync(0);
  expect(f.state.refreshed).toBe(4);
});

test('a view that cannot be loaded is not asked for in a fast loop', async () => {
  const f = start('general', false);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(f.state.refreshed).toBeLessThan(25);
  expect(f.polls()).toBeLessThan(25);
});
