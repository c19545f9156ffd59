import { expect, test } from 'vitest';
import { playgroundsFor, playgroundURL } from '../../src/store/playgrounds.ts';

test.each([
  ['https://p.example.com/?c={code}', 'a b&c', 'https://p.example.com/?c=a%20b%26c'],
  ['https://p.example.com/{?code}', "f('é')", 'https://p.example.com/?code=f%28%27%C3%A9%27%29'],
  ['https://p.example.com/?x=1{&code}', '1+1', 'https://p.example.com/?x=1&code=1%2B1'],
  ['https://p.example.com{/code}', 'a/b', 'https://p.example.com/a%2Fb'],
  ['https://p.example.com/{#code}', 'a/b c', 'https://p.example.com/#a/b%20c'],
  ['https://p.example.com/{+code}', 'a?b', 'https://p.example.com/a?b'],
  ['https://p.example.com/{code:3}', '😀abc', 'https://p.example.com/%F0%9F%98%80ab'],
  ['https://p.example.com/{code}/{code}', '$&', 'https://p.example.com/%24%26/%24%26'],
])('%s', (template, code, want) => expect(playgroundURL(template, code)).toBe(want));

test('playgrounds are found by language', () => {
  const all = ['Python', 'Rust'].map((pygments_language, id) => ({
    id,
    name: 'P',
    pygments_language,
    url_template: '',
  }));
  expect(playgroundsFor(all, 'python').map((p) => p.id)).toEqual([0]);
  expect(playgroundsFor(all, undefined)).toEqual([]);
});
