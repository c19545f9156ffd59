import { expect, test, vi } from 'vitest';
import { Maintenance } from '../../src/store/maintenance.ts';
import { connectionLost, fakeHttp } from './fake.ts';

test('the server is asked again until maintenance has ended', async () => {
  vi.useFakeTimers();
  try {
    let answer: Record<string, unknown> | Error = { maintenance: null };
    const { http, calls } = fakeHttp(() => answer);
    const maintenance = new Maintenance(http);
    let ended = 0;
    maintenance.onEnd = () => ended++;
    await maintenance.look();
    await vi.advanceTimersByTimeAsync(60_000);
    expect([maintenance.on, calls.length, ended]).toEqual([false, 1, 0]);
    answer = { maintenance: '' };
    await maintenance.look();
    expect([maintenance.on, maintenance.reason]).toEqual([true, '']);
    answer = { maintenance: 'Back at noon.' };
    await vi.advanceTimersByTimeAsync(15_000);
    expect(maintenance.reason).toBe('Back at noon.');
    answer = connectionLost;
    await vi.advanceTimersByTimeAsync(15_000);
    expect(maintenance.on).toBe(true);
    answer = { maintenance: null };
    await vi.advanceTimersByTimeAsync(60_000);
    expect([maintenance.on, calls.length, ended]).toEqual([false, 5, 1]);
  } finally {
    vi.useRealTimers();
  }
});
