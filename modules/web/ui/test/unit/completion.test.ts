import { expect, test } from 'vitest';
import { continueList, findQuery, ranked, wrap } from '../../src/store/completion.ts';

test.each([
  ['hi @ad', { kind: 'person', typed: 'ad', start: 3 }],
  ['@', { kind: 'person', typed: '', start: 0 }],
  ['(@**Ada L', { kind: 'person', typed: 'Ada L', start: 1 }],
  ['@_ad', { kind: 'silent', typed: 'ad', start: 0 }],
  ['see #ge', { kind: 'channel', typed: 'ge', start: 4 }],
  ['#**general>ne', { kind: 'topic', channel: 'general', typed: 'ne', start: 0 }],
  ['nice :tad', { kind: 'emoji', typed: 'tad', start: 5 }],
  ['/po', { kind: 'slash', typed: 'po', start: 0 }],
])('%s can be completed', (text, query) => expect(findQuery(text)).toEqual(query));

test.each(['mail a@b', 'at 10:30', 'x :a', 'a/po', '# heading', '@**Ada** ', 'done.'])('%s cannot', (text) =>
  expect(findQuery(text)).toBeUndefined(),
);

test('names that start with the text come first', () => {
  const names = ['Tom Adams', 'Brad', 'Ada', 'Eve'];
  expect(ranked(names, (n) => n, 'ad', 9)).toEqual(['Ada', 'Tom Adams', 'Brad']);
});

test('formatting is added to and removed from a selection', () => {
  const bold = wrap('a word here', 2, 6, '**');
  expect(bold).toEqual({ text: 'a **word** here', from: 4, to: 8 });
  expect(wrap(bold.text, bold.from, bold.to, '**')).toEqual({ text: 'a word here', from: 2, to: 6 });
});

test.each([
  ['* a', '* '],
  ['  9. x', '  10. '],
  ['- ', null],
  ['plain', undefined],
])('after %j comes %j', (line, next) => expect(continueList(line)).toBe(next));
