import { readFileSync } from 'node:fs';
import known from 'unicode-emoji-json/data-by-emoji.json' with { type: 'json' };
import { expect, test } from 'vitest';

/** NEWEST is the version of Unicode's emoji that the font contains. */
const NEWEST = 15;
const SELECTOR = 0xfe0f;

const css = readFileSync('src/design/emoji/emoji.css', 'utf8');

/** parts holds the characters of each file of the family "Emoji". */
const parts = [...css.matchAll(/'Emoji';[^}]*unicode-range:([^;]+)/g)].map(
  ([, ranges]) =>
    new Set(
      ranges!.split(',').flatMap((range) => {
        const [from, to = from] = range.trim().slice(2).split('-');
        const first = parseInt(from!, 16);
        return Array.from({ length: parseInt(to!, 16) - first + 1 }, (_, i) => first + i);
      }),
    ),
);

test('each emoji is in one file of the font', () => {
  const missing = Object.entries(known)
    .filter(([, { emoji_version }]) => Number(emoji_version) <= NEWEST)
    .map(([text]) => text)
    .filter((text) => {
      const points = [...text].map((c) => c.codePointAt(0)!).filter((p) => p !== SELECTOR);
      return !parts.some((part) => points.every((p) => part.has(p)));
    });
  expect(Object.keys(known).length).toBeGreaterThan(1800);
  expect(missing).toEqual([]);
});
