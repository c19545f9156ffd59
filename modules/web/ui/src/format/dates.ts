import { store } from '../client.ts';
import { text } from '../texts/index.ts';
import { reader } from '../texts/language.svelte.ts';

/** MAX_MINUTES is the number of results that a format remembers. */
const MAX_MINUTES = 2000;

const formats = new Map<string, Intl.DateTimeFormat>();

function format(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const all = { ...options };
  if (all.hour !== undefined) all.hourCycle = store.personal.flag('twenty_four_hour_time') ? 'h23' : undefined!;
  const key = reader.locale + JSON.stringify(all);
  let f = formats.get(key);
  if (!f) formats.set(key, (f = new Intl.DateTimeFormat(reader.locale, all)));
  return f;
}

/** byMinute returns a function that formats times to the minute, and remembers its results: lists repeat most. */
function byMinute(options: Intl.DateTimeFormatOptions): (seconds: number) => string {
  const known = new Map<number, string>();
  let style = '';
  return (seconds) => {
    const now = `${reader.locale} ${store.personal.flag('twenty_four_hour_time')}`;
    if (now !== style || known.size > MAX_MINUTES) known.clear();
    style = now;
    const minute = Math.floor(seconds / 60);
    let found = known.get(minute);
    if (found === undefined) known.set(minute, (found = format(options).format(minute * 60_000)));
    return found;
  };
}

/** inZone formats the time of day in a time zone, or returns undefined if the browser does not know the zone. */
export function inZone(seconds: number, timeZone: string): string | undefined {
  try {
    return format({ hour: 'numeric', minute: '2-digit', timeZone }).format(seconds * 1000);
  } catch {
    return undefined;
  }
}

/** clock formats the time of day. */
export const clock = byMinute({ hour: 'numeric', minute: '2-digit' });

/** fullTime formats date and time. */
export const fullTime = byMinute({
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
});

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
