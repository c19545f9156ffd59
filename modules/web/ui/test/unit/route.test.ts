import { expect, test } from 'vitest';
import { decodeText, encodeText, narrowHash, parseHash, routeHash } from '../../src/store/route.ts';
import type { Lookup } from '../../src/store/operators.ts';

const names: Lookup = {
  me: 1,
  channelNamed: (name) => (name === 'site news/x' ? 9 : undefined),
  personNamed: (name) => (name === 'ada@example.com' ? 2 : undefined),
  channelName: (id) => (id === 9 ? 'site news/x' : undefined),
  personName: () => 'Ada B.',
};

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
  ['#settings', { view: 'settings', section: '', item: '' }],
  ['#settings/display', { view: 'settings', section: 'display', item: '' }],
];

test.each(addresses)('%s is formatted and parsed', (hash, route) => {
  expect(parseHash(hash, names)).toEqual(route);
  expect(routeHash(route, names)).toBe(hash);
});

test.each([
  [
    '#narrow/stream/9-old/topic//with/214',
    { view: 'messages', narrow: { kind: 'topic', channel: 9, topic: '' }, with: 214 },
  ],
  ['#narrow/stream/site.20news.2Fx', { view: 'messages', narrow: { kind: 'channel', channel: 9 } }],
  ['#narrow/topic/a/channel/9', { view: 'messages', narrow: { kind: 'topic', channel: 9, topic: 'a' } }],
  ['#narrow/pm-with/ada.40example.2Ecom', { view: 'messages', narrow: { kind: 'dm', users: [2] } }],
  [
    '#narrow/near/100',
    { view: 'messages', narrow: { kind: 'search', terms: [{ operator: 'in', operand: 'all' }] }, near: 100 },
  ],
  ['#all_messages', { view: 'messages', narrow: { kind: 'feed' } }],
  ['#recent_topics', { view: 'recent' }],
  ['#', { view: 'home' }],
  [
    '#narrow/channel/9/topic/Offline%20test',
    { view: 'messages', narrow: { kind: 'topic', channel: 9, topic: 'Offline test' } },
  ],
  [
    '#narrow/channel/9/topic/Offline.20test%3F',
    { view: 'messages', narrow: { kind: 'topic', channel: 9, topic: 'Offline test?' } },
  ],
  [
    '#narrow/channel/9/topic/v1.x%20%E6%97%A5',
    { view: 'messages', narrow: { kind: 'topic', channel: 9, topic: 'v1.x 日' } },
  ],
  ['#narrow/pm-with/1,2-pm', { view: 'messages', narrow: { kind: 'dm', users: [2] } }],
  ['#narrow/dm/1-me', { view: 'messages', narrow: { kind: 'dm', users: [1] } }],
])('%s is parsed', (hash, route) => expect(parseHash(hash, names)).toEqual(route));

test.each([
  '#narrow',
  '#narrow/',
  '#narrow/constructor',
  '#narrow/constructor/x',
  '#narrow/channel/9/topic/.ZZ',
  '#narrow/channel/9/topic/%ZZ',
  '#narrow/channel/9/topic/%',
  '#narrow/channel',
  '#narrow/is/nothing',
  '#narrow/near/x',
  '#narrow/-near/5',
  '#narrow/date/2026-02-30',
  '#__proto__',
  '#nothing',
  '#<script>',
])('%s leads nowhere', (hash) => expect(parseHash(hash, names)).toEqual({ view: 'nowhere' }));

test('every text survives encoding in a URL', () => {
  for (const text of ['', 'a b', '.%2E/#?&', '✔ done', "it's (fine)*!", '日本', '100%']) {
    expect(decodeText(encodeText(text))).toBe(text);
    expect(encodeText(text)).not.toMatch(/[%/#?&\s]/);
  }
  expect(narrowHash({ kind: 'channel', channel: 5 }, names)).toBe('#narrow/channel/5');
});

test("the path of a module's page survives the address", () => {
  const at = (path: string) => ({ view: 'module', module: 'm', page: 'p', path }) as const;
  for (const path of ['', 'a/b', 'two words', 'a%2Fb?c=#d', 'ä.b'])
    expect(parseHash(routeHash(at(path), names), names)).toEqual(at(path));
  expect(parseHash('#module/m/p/two%20words', names)).toEqual(at('two words'));
  expect(parseHash('#module/m/p/50%', names)).toEqual(at('50%'));
});
