// When the user's notifications are silenced: paused, or outside the hours in which they are allowed.
import type { QuietHours } from '../api/types.ts';

const WEEK = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

/** silenced reports whether notifications are silenced at a time, in seconds. The server decides likewise. */
export function silenced(h: QuietHours | undefined, at: number, timeZone: string): boolean {
  if (!h) return false;
  return at < h.paused_until || (!!h.schedule && !allows(h.schedule, at, timeZone || 'UTC'));
}

function allows(s: NonNullable<QuietHours['schedule']>, at: number, timeZone: string): boolean {
  const format = new Intl.DateTimeFormat('en', {
    timeZone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  const parts = Object.fromEntries(format.formatToParts(at * 1000).map((p) => [p.type, p.value]));
  const now = `${parts.hour}:${parts.minute}`;
  const day = WEEK.indexOf(parts.weekday!);
  const today = s.days.includes(day + 1);
  if (s.from === s.to) return today;
  if (s.from < s.to) return today && s.from <= now && now < s.to;
  return (today && s.from <= now) || (s.days.includes(((day + 6) % 7) + 1) && now < s.to);
}
