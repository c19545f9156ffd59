/** tomorrow returns when the next day begins in the browser's time zone, at an hour, in seconds. */
export function tomorrow(now: number, hour: number): number {
  const d = new Date(now * 1000);
  d.setDate(d.getDate() + 1);
  d.setHours(hour, 0, 0, 0);
  return Math.floor(d.getTime() / 1000);
}
