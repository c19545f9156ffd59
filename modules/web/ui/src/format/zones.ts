import { personal } from '../texts/personal.ts';
import { reader } from '../texts/language.svelte.ts';

/** offset returns by how many minutes a time zone, by default the browser's, is ahead of UTC at a time. */
export function offset(seconds: number, timeZone?: string): number {
  const at = Math.floor(seconds / 60) * 60_000;
  if (timeZone === undefined) return -new Date(at).getTimezoneOffset();
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  }).formatToParts(at);
  const part = (type: string) => Number(parts.find((p) => p.type === type)?.value);
  return (Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute')) - at) / 60_000;
}

/** zoneDifference says how far a time zone is ahead of the browser's or behind it; it is empty if they agree. */
export function zoneDifference(seconds: number, timeZone: string): string {
  const minutes = offset(seconds, timeZone) - offset(seconds);
  if (minutes === 0) return '';
  const span = Math.abs(minutes);
  const units = [
    ['hour', Math.floor(span / 60)],
    ['minute', span % 60],
  ] as const;
  const shown = units
    .filter(([, n]) => n > 0)
    .map(([unit, n]) =>
      new Intl.NumberFormat(reader.locale, { style: 'unit', unit, unitDisplay: 'short' }).format(n),
    );
  const difference = new Intl.ListFormat(reader.locale, { type: 'unit', style: 'short' }).format(shown);
  return minutes > 0 ? personal.ahead(difference) : personal.behind(difference);
}
