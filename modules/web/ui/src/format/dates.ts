import { store } from '../client.ts';
import { text } from '../texts/index.ts';
import { reader } from '../texts/language.svelte.ts';

const formats = new Map<string, Intl.DateTimeFormat>();

function format(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const all = { ...options };
  if (all.hour !== undefined) all.hourCycle = store.personal.flag('twenty_four_hour_time') ? 'h23' : undefined!;
  const key = reader.locale + JSON.stringify(all);
  let f = formats.get(key);
  if (!f) formats.set(key, (f = new Intl.DateTimeFormat(reader.locale, all)));
  return f;
}

/** inZone formats the time of day in a time zone, or returns undefined if the browser does not know the zone. */
export function inZone(seconds: number, timeZone: string): string | undefined {
  try {
    return format({ hour: 'numeric', minute: '2-digit', timeZone }).format(seconds * 1000);
  } catch {
    return undefined;
  }
}

export function clock(seconds: number): string {
  return format({ hour: 'numeric', minute: '2-digit' }).format(seconds * 1000);
}

export function fullTime(seconds: number): string {
  return format({
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
  }).format(seconds * 1000);
}

/** zonedTime formats a full date and time with the local time zone. */
export function zonedTime(seconds: number): string {
  return format({
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    timeZoneName: 'short',
  }).format(seconds * 1000);
}

/** inDays formats a distance in days, such as “in 10 days”. */
export function inDays(n: number): string {
  return new Intl.RelativeTimeFormat(reader.locale).format(n, 'day');
}

/** dayOf formats a date with its year. */
export function dayOf(seconds: number): string {
  return format({ day: 'numeric', month: 'long', year: 'numeric' }).format(seconds * 1000);
}

/** dayNumber returns an integer that identifies a local calendar day. */
export function dayNumber(seconds: number): number {
  const d = new Date(seconds * 1000);
  return Math.round(new Date(d.getFullYear(), d.getMonth(), d.getDate()).getTime() / 86_400_000);
}

export function day(seconds: number, now: number): string {
  const days = dayNumber(now) - dayNumber(seconds);
  if (days === 0) return text.today;
  if (days === 1) return text.yesterday;
  const sameYear = new Date(seconds * 1000).getFullYear() === new Date(now * 1000).getFullYear();
  return format({ weekday: 'short', day: 'numeric', month: 'long', ...(sameYear ? {} : { year: 'numeric' }) }).format(
    seconds * 1000,
  );
}

/** shortTime formats a time for lists: the time of day if it is today, otherwise the date. */
export function shortTime(seconds: number, now: number): string {
  return dayNumber(seconds) === dayNumber(now)
    ? clock(seconds)
    : format({ day: 'numeric', month: 'short' }).format(seconds * 1000);
}

const units = [
  ['day', 24 * 60 * 60],
  ['hour', 60 * 60],
  ['minute', 60],
  ['second', 1],
] as const;

/** durationText formats a duration in seconds in the largest unit that divides it. */
export function durationText(seconds: number): string {
  const [unit, length] = units.find(([, n]) => seconds % n === 0) ?? units[units.length - 1]!;
  return new Intl.NumberFormat(reader.locale, { style: 'unit', unit, unitDisplay: 'long' }).format(seconds / length);
}
