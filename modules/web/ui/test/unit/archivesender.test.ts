import { expect, test } from 'vitest';
import { ApiError } from '../../src/api/http.ts';
import { ArchiveSender, type Wire } from '../../src/administration/archivesender.ts';
import { Pace, rounded } from '../../src/administration/pace.ts';

/** fakeWire is a server that receives a number of bytes per millisecond, with the failures that a test wants. */
function fakeWire(
  speed: number,
  fail: (request: number) => 'before' | 'after' | 'refuse' | undefined = () => undefined,
) {
  let now = 0;
  let requests = 0;
  const parts: number[] = [];
  const pauses: number[] = [];
  let received = 0;
  const wire: Wire = {
    send: (part, offset) => {
      const what = fail(requests++);
      if (what === 'before') return Promise.reject(new ApiError(0, 'NETWORK', 'lost'));
      if (what === 'refuse') return Promise.reject(new ApiError(400, 'BAD_REQUEST', 'no'));
      expect(offset).toBe(received);
      now += part.size / speed;
      received += part.size;
      parts.push(part.size);
      if (what === 'after') return Promise.reject(new ApiError(0, 'NETWORK', 'lost'));
      return Promise.resolve(received);
    },
    received: () => Promise.resolve(received),
    pause: (ms) => {
      now += ms;
      pauses.push(ms);
      return Promise.resolve();
    },
    now: () => now,
  };
  return { wire, parts, pauses, start: (n: number) => (received = n) };
}

/** sized returns a file of which only the sizes of parts matter. */
const sized = (size: number) =>
  ({ size, slice: (from: number, to: number) => sized(Math.min(to, size) - from) }) as unknown as Blob;

test('an archive arrives whole although connections break, also after a part has arrived', async () => {
  const file = sized(5 << 20);
  const f = fakeWire(1000, (n) => (n === 1 ? 'before' : n === 2 || n === 3 ? 'after' : undefined));
  const sender = new ArchiveSender(f.wire, file, 0, 16 << 20);
  expect(await sender.run()).toBe(true);
  expect(sender.sent).toBe(file.size);
  expect(f.parts.reduce((a, b) => a + b)).toBe(file.size);
  expect(f.pauses).toEqual([1000, 2000, 5000]);
});

test('it continues where the server has it, and what the server refuses ends it', async () => {
  const f = fakeWire(1000, (n) => (n === 1 ? 'refuse' : undefined));
  f.start(100);
  const sender = new ArchiveSender(f.wire, sized(3 << 20), 100, 16 << 20);
  await expect(sender.run()).rejects.toThrow('no');
  expect(f.parts).toEqual([1 << 20]);
});

test('parts take about four seconds, and are at most as large as the server allows', async () => {
  const slow = fakeWire(50); // bytes per millisecond
  await new ArchiveSender(slow.wire, sized(3 << 20), 0, 16 << 20).run();
  expect(slow.parts.slice(1, -1).every((n) => n === 200_000)).toBe(true);
  const fast = fakeWire(1e6);
  await new ArchiveSender(fast.wire, sized(9 << 20), 0, 2 << 20).run();
  expect(Math.max(...fast.parts)).toBe(2 << 20);
});

test('a sender that was stopped sends nothing more', async () => {
  const f = fakeWire(1000);
  const sender = new ArchiveSender(f.wire, sized(3 << 20), 0, 1 << 20, () => sender.stop());
  expect(await sender.run()).toBe(false);
  expect(f.parts).toHaveLength(1);
});

test('the rate is that of the last seconds, and an estimate is rounded', () => {
  const pace = new Pace();
  pace.add(0, 0);
  expect(pace.rate).toBeUndefined();
  pace.add(2000, 200);
  expect(pace.rate).toBe(100);
  for (let t = 1; t <= 60; t++) pace.add(2000 + t * 1000, 200 + t * 10);
  expect(pace.rate).toBe(10);
  expect(pace.left(900)).toBe(10);
  expect([3, 42, 200, 10_000].map(rounded)).toEqual([5, 40, 180, 10_800]);
});
