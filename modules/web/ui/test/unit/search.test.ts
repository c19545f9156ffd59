// Checks that every operator is typed, displayed, linked to and sent the same way.
import { expect, test } from 'vitest';
import type { Term } from '../../src/api/types.ts';
import { terms } from '../../src/store/narrow.ts';
import { operators, setModuleOperators } from '../../src/store/operators.ts';
import { parseHash, placeOf, routeHash } from '../../src/store/route.ts';
import { parseSearch, searchText, type Finder } from '../../src/store/search.ts';

const channels: Record<number, string> = { 9: 'site news', 10: 'a, "b"' };
const people: Record<number, string> = { 1: 'Me Myself', 2: 'Ada', 3: 'King Lear|3', 4: 'O"Brien, Pat' };

function find(all: Record<number, string>, match: (name: string) => boolean): number | undefined {
  const found = Object.entries(all).find(([, name]) => match(name.toLowerCase()));
  return found && Number(found[0]);
}

const look: Finder = {
  me: 1,
  channelNamed: (n) => find(channels, (name) => name === n.toLowerCase()),
  personNamed: (n) => find(people, (name) => name === n.toLowerCase()),
  channelName: (id) => channels[id],
  personName: (id) => people[id],
  beginning: (kind, typed) => find(kind === 'channel' ? channels : people, (name) => name.startsWith(typed)),
};

/** samples holds, for each operator, what is typed and what is sent. */
const samples: Record<string, [string, Term['operand']][]> = {
  channel: [
    ['"site news"', 9],
    ['"a, \\"b\\""', 10],
  ],
  topic: [
    ['lunch', 'lunch'],
    ['""', ''],
    ['"50% of \\"it\\""', '50% of "it"'],
  ],
  sender: [
    ['Ada', 2],
    ['"Me Myself"', 1],
    ['"O\\"Brien, Pat"', 4],
  ],
  dm: [
    ['Ada', [2]],
    ['Ada,"King Lear|3","O\\"Brien, Pat"', [2, 3, 4]],
  ],
  'dm-including': [['"King Lear|3"', 3]],
  mentions: [['Ada', 2]],
  is: ['starred', 'mentioned', 'unread', 'dm', 'resolved', 'followed', 'alerted', 'muted'].map((w) => [w, w]),
  has: ['link', 'image', 'attachment', 'reaction'].map((w) => [w, w]),
  channels: ['public', 'web-public', 'archived'].map((w) => [w, w]),
  in: ['home', 'all'].map((w) => [w, w]),
  date: [
    ['2026-03-31', '2026-03-31'],
    ['2026-03', '2026-03'],
  ],
  near: [['100', 100]],
  with: [['100', 100]],
  id: [['100', 100]],
  search: [['"is starred"', 'is starred']],
};

test.each(operators.map((o) => [o.name, o] as const))('%s is typed, displayed, linked to and sent', (name, o) => {
  if (o.words) expect(samples[name]!.map(([, operand]) => operand)).toEqual(o.words);
  for (const [typed, operand] of samples[name]!) {
    for (const negated of o.place ? [false] : [false, true]) {
      const term: Term = negated ? { operator: name, operand, negated } : { operator: name, operand };
      for (const spelled of [name, name.toUpperCase(), ...o.aliases]) {
        const parsed = parseSearch(`${negated ? '-' : ''}${spelled}:${typed}`, look);
        expect(parsed).toEqual({ terms: [term], words: '', unknown: [] });
      }
      const shown = searchText([term], look);
      if (name !== 'search' || negated) expect(shown).toBe(`${negated ? '-' : ''}${name}:${typed}`);
      expect(parseSearch(shown, look).terms).toEqual([term]);
      // Beside a word, no other view is equivalent to the search.
      const place = placeOf([term, { operator: 'search', operand: 'word' }], look.me);
      const hash = routeHash(place, look);
      expect(parseHash(hash, look)).toEqual(place);
      if (o.place) expect(place).toMatchObject({ [name]: operand });
      else if (name !== 'search' || negated) expect(terms(place.narrow)).toContainEqual(term);
      for (const alias of o.aliases) expect(parseHash(hash.replace(`${name}/`, `${alias}/`), look)).toEqual(place);
      expect(parseHash(routeHash(placeOf([term], look.me), look), look)).toEqual(placeOf([term], look.me));
    }
  }
});

test('terms that name nothing are reported', () => {
  const unknown = 'channel:nowhere sender:nobody dm:Ada,nobody is:odd has: date:2026-02-30 near:x -near:5'.split(' ');
  expect(parseSearch(unknown.join(' '), look)).toEqual({ terms: [], words: '', unknown });
});

test('beginnings, several words and "me" name people and channels', () => {
  const parse = (text: string, guess = false) => parseSearch(text, look, guess).terms;
  expect(parse('sender:ad channel:si', true)).toEqual([
    { operator: 'sender', operand: 2 },
    { operator: 'channel', operand: 9 },
  ]);
  expect(parse('dm:ad,king', true)).toEqual([{ operator: 'dm', operand: [2, 3] }]);
  expect(parse('channel:site news flash')).toEqual([
    { operator: 'channel', operand: 9 },
    { operator: 'search', operand: 'flash' },
  ]);
  expect(parse('sender:me')).toEqual([{ operator: 'sender', operand: 1 }]);
  expect(parse('mentions:me -mentions:"Me Myself"')).toEqual([
    { operator: 'is', operand: 'mentioned' },
    { operator: 'is', operand: 'mentioned', negated: true },
  ]);
  expect(parseHash('#narrow/sender/me/mentions/me', look)).toMatchObject({
    narrow: {
      terms: [
        { operator: 'sender', operand: 1 },
        { operator: 'is', operand: 'mentioned' },
      ],
    },
  });
  expect(parse('is:private has:links')).toEqual([
    { operator: 'is', operand: 'dm' },
    { operator: 'has', operand: 'link' },
  ]);
});

test('a word that looks like an operator is told apart', () => {
  const term = { operator: 'search', operand: 'is:starred' };
  expect(searchText([term], look)).toBe('search:is:starred');
  expect(parseSearch('search:is:starred', look).terms).toEqual([term]);
});

test('words are searched for as they were typed', () => {
  expect(parseSearch('"exact words" more http://x.org/a:b', look)).toMatchObject({
    terms: [{ operator: 'search', operand: '"exact words" more http://x.org/a:b' }],
  });
});

test('operators of modules are typed, displayed and linked to', () => {
  expect(parseSearch('ticket2:open', look).terms).toEqual([{ operator: 'search', operand: 'ticket2:open' }]);
  setModuleOperators(['ticket2']);
  try {
    for (const [typed, operand] of [
      ['open', 'open'],
      ['"two, words"', 'two, words'],
      ['a:b', 'a:b'],
    ]) {
      const found = [
        { operator: 'ticket2', operand: operand!, negated: true as const },
        { operator: 'search', operand: 'word' },
      ];
      expect(parseSearch(`-Ticket2:${typed} word`, look)).toEqual({ terms: found, words: 'word', unknown: [] });
      expect(searchText(found, look)).toBe(`-ticket2:${typed} word`);
      expect(parseHash(routeHash(placeOf(found, look.me), look), look)).toEqual(placeOf(found, look.me));
    }
    expect(parseSearch('ticket2: word', look).unknown).toEqual(['ticket2:']);
  } finally {
    setModuleOperators([]);
  }
});
