import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { payload, posting, program, reply, sending } from '../../src/administration/botguide.ts';

const guide = readFileSync(new URL('../../../../bots/README.md', import.meta.url), 'utf8');

test('the guide contains the same programs as the page of a bot', () => {
  expect(guide).toContain(program);
  expect(guide).toContain(reply);
  expect(guide).toContain(sending('https://chat.example.org', 'ADDRESS', 'KEY').replaceAll("'", ''));
  expect(Object.keys(JSON.parse(payload('a@b', 'A')) as object).every((k) => guide.includes(`"${k}":`))).toBe(true);
});

test('names and keys are words of the shell', () => {
  expect(sending('https://a', "o'k@b", 'k')).toContain(`-u 'o'\\''k@b:k'`);
  expect(posting('https://a', 'k')).toContain(`'https://a/api/v1/external/slack_incoming?api_key=k'`);
});
