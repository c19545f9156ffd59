import { expect, test } from 'vitest';
import { decodeText, encodeText, narrowHash, parseHash, routeHash, type Names } from '../../src/store/route.ts';
import { parseSearch, searchText, type Lookup } from '../../src/store/search.ts';

const names: Names = { channel: (id) => (id === 9 ? 'site news/x' : undefined), person: () => 'Ada B.', me: 1 };

const addresses: [string, ReturnType<typeof parseHash>][] = [
  ['#narrow/channel/9-site-news.2Fx', { view: 'messages', narrow: { kind: 'channel', channel: 9 } }],
  [
    '#narrow/channel/9-site-news.2Fx/topic/a.20b.2E',
    { view: 'messages', narrow: { kind: 'topic', channel: 9, topic: 'a b.' } },
  ],
  ['#narrow/channel/9-site-news.2Fx/topic/', { view: 'messages', narrow: { kind: 'topic', channel: 9, topic: '' } }],
  [
    '#narrow/channel/9-site-news.2Fx/topic/.3Cb.3E/near/7',
    {
      view: 'messages',
      narrow: { kind: 'topic', channel: 9, topic: '<b>' },
      near: 7,
    },
  ],
  ['#narrow/dm/2,3-group', { view: 'messages', narrow: { kind: 'dm', users: [2, 3] } }],
  ['#narrow/dm/2-Ada-B.2E', { view: 'messages', narrow: { kind: 'dm', users: [2] } }],
  ['#narrow/is/starred', { view: 'messages', narrow: { kind: 'is', what: 'starred' } }],
  ['#feed', { view: 'messages', narrow: { kind: 'feed' } }],
  [
    '#narrow/-has/link/search/two.20words',
    {
      view: 'messages',
      narrow: {
        kind: 'search',
        terms: [
          { operator: 'has', operand: 'link', negated: true },
          { operator: 'search', operand: 'two words' },
        ],
      },
    },
  ],
  ['#settings/display', { view: 'settings', section: 'display' }],
];

test.each(addresses)('%s is formatted and parsed', (hash, route) => {
  expect(parseHash(hash, 1)).toEqual(route);
  expect(routeHash(route, names)).toBe(hash);
});

test.each([
  ['#narrow/stream/9-old/topic//with/214', { view: 'messages', narrow: { kind: 'topic', channel: 9, topic: '' } }],
  ['#narrow/pm-with/1,2-pm', { view: 'messages', narrow: { kind: 'dm', users: [2] } }],
  ['#narrow/dm/1-me', { view: 'messages', narrow: { kind: 'dm', users: [1] } }],
  ['#narrow/channel/9/topic/.ZZ', { view: 'home' }],
  ['#narrow/constructor', { view: 'home' }],
  ['#<script>', { view: 'home' }],
])('%s is parsed', (hash, route) => expect(parseHash(hash, 1)).toEqual(route));

test('every text survives encoding in a URL', () => {
  for (const text of ['', 'a b', '.%2E/#?&', '✔ done', "it's (fine)*!", '日本', '100%']) {
    expect(decodeText(encodeText(text))).toBe(text);
    expect(encodeText(text)).not.toMatch(/[%/#?&\s]/);
  }
  expect(narrowHash({ kind: 'channel', channel: 5 }, names)).toBe('#narrow/channel/5');
});

const look: Lookup = {
  me: 1,
  channelNamed: (n) => (n === 'site news' ? 9 : undefined),
  personNamed: (n) => (n === 'Ada' ? 2 : undefined),
  channelName: (id) => (id === 9 ? 'site news' : undefined),
  personName: (id) => (id === 2 ? 'Ada' : undefined),
};

test('typed searches are parsed and formatted', () => {
  const text = 'channel:"site news" -sender:Ada "exact words" more';
  const narrow = parseSearch(text, look)!;
  expect(narrow).toEqual({
    kind: 'search',
    terms: [
      { operator: 'channel', operand: 9 },
      { operator: 'sender', operand: 2, negated: true },
      { operator: 'search', operand: '"exact words" more' },
    ],
  });
  expect(narrow.kind === 'search' && searchText(narrow.terms, look)).toBe(text);
  expect(parseSearch('http://x.org/a:b', look)).toEqual({
    kind: 'search',
    terms: [{ operator: 'search', operand: 'http://x.org/a:b' }],
  });
  expect(parseSearch('channel:"site news"', look)).toEqual({ kind: 'channel', channel: 9 });
});
