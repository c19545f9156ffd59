import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { quoteBlock } from '../../src/store/fences.ts';

// The server's own tests use the same file.
const cases = JSON.parse(readFileSync('../../../domain/message/testdata/enclosed.json', 'utf8')) as {
  opening: string;
  text: string;
  want: string;
}[];

test.each(cases.filter((c) => c.opening === 'quote'))('$text', ({ text, want }) =>
  expect(quoteBlock(text)).toBe(want),
);
