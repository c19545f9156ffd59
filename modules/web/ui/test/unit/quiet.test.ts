import { expect, test } from 'vitest';
import { silenced } from '../../src/shell/quiet.ts';

// The same cases as for the server (domain/quiet): 1 June 2026 is a Monday, and Berlin is two hours ahead.
test('a schedule allows notifications in its hours, in the time zone of the user', () => {
  const office = { days: [1, 2, 3, 4, 5], from: '09:00', to: '18:00' };
  const awake = { days: [1, 2, 3, 4, 5, 6, 7], from: '07:00', to: '00:00' };
  const night = { days: [5], from: '22:00', to: '06:00' };
  const whole = { days: [1], from: '00:00', to: '00:00' };
  const cases = [
    [office, '2026-06-01T06:59', true],
    [office, '2026-06-01T07:00', false],
    [office, '2026-06-01T15:59', false],
    [office, '2026-06-01T16:00', true],
    [office, '2026-06-06T10:00', true],
    [office, '2026-01-05T07:59', true],
    [office, '2026-01-05T08:00', false],
    [awake, '2026-06-01T21:59', false],
    [awake, '2026-06-01T22:00', true],
    [awake, '2026-06-02T04:59', true],
    [night, '2026-06-05T19:59', true],
    [night, '2026-06-05T20:00', false],
    [night, '2026-06-06T03:59', false],
    [night, '2026-06-06T04:00', true],
    [night, '2026-06-06T20:00', true],
    [whole, '2026-06-01T21:59', false],
    [null, '2026-06-01T02:00', false],
  ] as const;
  for (const [schedule, at, expected] of cases) {
    const hours = { paused_until: 0, schedule: schedule && { ...schedule, days: [...schedule.days] } };
    expect(silenced(hours, Date.parse(`${at}Z`) / 1000, 'Europe/Berlin'), `${JSON.stringify(schedule)} ${at}`).toBe(
      expected,
    );
  }
  expect(silenced({ paused_until: 100, schedule: null }, 99, '')).toBe(true);
  expect(silenced({ paused_until: 100, schedule: null }, 100, '')).toBe(false);
  expect(silenced(undefined, 0, '')).toBe(false);
});
