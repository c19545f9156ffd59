/** Query is the unfinished mention, link, emoji, time or command before the caret. */
export interface Query {
  kind: 'person' | 'silent' | 'channel' | 'topic' | 'emoji' | 'time' | 'slash';
  /** typed is the text after the prefix, such as @ or #. */
  typed: string;
  /** channel is the name of the channel whose topics are completed. */
  channel?: string;
  start: number;
}

const before = String.raw`(?:^|[\s'"({[/<])`;
const patterns: [RegExp, Query['kind']][] = [
  [new RegExp(`${before}(@_)(?:\\*\\*)?([^*\\n@]{0,40})$`), 'silent'],
  [new RegExp(`${before}(@)(?:\\*\\*)?([^*\\n@_][^*\\n@]{0,40}|)$`), 'person'],
  [new RegExp(`${before}(#)\\*\\*([^*>\\n]+)>([^*\\n]{0,60})$`), 'topic'],
  [new RegExp(`${before}(#)(?:\\*\\*)?([^*>#\\n]{0,40})$`), 'channel'],
  [new RegExp(`${before}(:)([\\p{L}\\p{M}\\d_+-]{2,30}|\\p{Lo})$`, 'u'), 'emoji'],
  [/(?:^|\s)(<)(ti(?:me?)?:?[\d: .apm-]{0,20})$/, 'time'],
  [/^(\/)([\w-]{0,30})$/, 'slash'],
];

/** findQuery returns the query that the text before the caret ends with, if any. */
export function findQuery(text: string): Query | undefined {
  for (const [pattern, kind] of patterns) {
    const m = pattern.exec(text);
    if (!m) continue;
    const start = m.index + m[0].indexOf(m[1]!, m[0].length > 1 && !m[0].startsWith(m[1]!) ? 1 : 0);
    if (kind === 'topic') return { kind, channel: m[2]!, typed: m[3]!, start };
    const typed = m[2]!;
    if (typed.startsWith(' ') || (/\s/.test(typed) && typed.length > 24)) continue;
    return { kind, typed, start };
  }
  return undefined;
}

/**
 * timeCompletions returns the completions for a time after "<time:", in local time: for a typed clock time, its
 * occurrences today and tomorrow, the next one first; otherwise the next two full hours and two times tomorrow.
 */
export function timeCompletions(typed: string, now: Date): Date[] {
  const m = /:\s*(\d{1,2})(?::(\d{2}))?\s*([ap]m?)?$/.exec(typed);
  const at = (days: number, hour: number, minute = 0) =>
    new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, hour, minute);
  if (!m) return [at(0, now.getHours() + 1), at(0, now.getHours() + 2), at(1, 9), at(1, 14)];
  const half = m[3]?.startsWith('p') ? 12 : 0;
  const hour = m[3] ? (Number(m[1]) % 12) + half : Number(m[1]);
  const minute = Number(m[2] ?? 0);
  if (hour > 23 || minute > 59) return [];
  const today = at(0, hour, minute);
  return today > now ? [today, at(1, hour, minute)] : [at(1, hour, minute), today];
}

/** timeMarkup formats a time as message markup. */
export function timeMarkup(at: Date): string {
  const two = (n: number) => String(Math.floor(Math.abs(n))).padStart(2, '0');
  const offset = -at.getTimezoneOffset();
  const date = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  const zone = `${offset < 0 ? '-' : '+'}${two(offset / 60)}:${two(offset % 60)}`;
  return `<time:${date}T${two(at.getHours())}:${two(at.getMinutes())}:00${zone}>`;
}

/**
 * ranked returns the items whose names match: first those that start with the text, then those with a word that
 * starts with it, then those that contain it elsewhere.
 */
export function ranked<T>(items: Iterable<T>, name: (item: T) => string, typed: string, limit: number): T[] {
  const query = typed.toLowerCase();
  const classes: [T[], T[], T[]] = [[], [], []];
  for (const item of items) {
    const n = name(item).toLowerCase();
    if (n.startsWith(query)) classes[0].push(item);
    else if (n.includes(` ${query}`)) classes[1].push(item);
    else if (n.includes(query)) classes[2].push(item);
  }
  return classes.flat().slice(0, limit);
}

/**
 * wrap surrounds the selection with mark, or removes mark if it is already there. It returns the new text and
 * selection.
 */
export function wrap(
  text: string,
  from: number,
  to: number,
  mark: string,
): { text: string; from: number; to: number } {
  const inner = text.slice(from, to);
  const n = mark.length;
  if (text.slice(from - n, from) === mark && text.slice(to, to + n) === mark) {
    return { text: text.slice(0, from - n) + inner + text.slice(to + n), from: from - n, to: to - n };
  }
  return { text: text.slice(0, from) + mark + inner + mark + text.slice(to), from: from + n, to: to + n };
}

/**
 * continueList returns the list marker for the line after this one, null if this item is empty and should be removed,
 * or undefined outside of lists.
 */
export function continueList(line: string): string | null | undefined {
  const m = /^(\s*)([*+-]|(\d+)\.)(\s+)(.*)$/.exec(line);
  if (!m) return undefined;
  if (m[5] === '') return null;
  return m[1]! + (m[3] ? `${Number(m[3]) + 1}.` : m[2]!) + m[4]!;
}
