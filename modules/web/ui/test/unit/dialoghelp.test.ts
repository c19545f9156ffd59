// Checks that every dialog leads to the paragraph of the guide that explains it, or says why it needs none.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { pages } from '../../build/help.ts';

interface Guide {
  areas: { name: string; paragraphs: { key: string }[] }[];
}

const paragraphs = (pages()['en'] as Guide).areas.flatMap((a) => a.paragraphs.map((p) => `${a.name}-${p.key}`));

const sources = (readdirSync('src', { recursive: true }) as string[])
  .filter((f) => f.endsWith('.svelte') && f !== 'components/Dialog.svelte')
  .map((f) => ({ file: f, source: readFileSync(join('src', f), 'utf8') }));

/** tags are those that take help: the component Dialog, and the link of dialogs that are not one. */
const tags = sources.flatMap(({ file, source }) =>
  [...source.matchAll(/<(?:Dialog|ParagraphLink)\b[^>]*(?:=>[^>]*)*>/g)].map(([tag]) => ({ file, tag })),
);

/** explained reports whether a tag names a paragraph, passes one on, or says why it names none. */
function explained(tag: string): boolean {
  if (/\sunexplained="[^"]{5,}"/.test(tag)) return true;
  if (/\s\{help\}/.test(tag)) return true; // which the type of the property checks
  const value = /\shelp=("[^"]*"|\{[^}]*\})/.exec(tag)?.[1] ?? '';
  const named = [...value.matchAll(/["']([a-z]+-\w+)["']/g)].map((m) => m[1]!);
  return named.length > 0 && named.every((name) => paragraphs.includes(name));
}

test('dialogs lead to their help', () => {
  expect(tags.length).toBeGreaterThan(20);
  expect(tags.filter(({ tag }) => !explained(tag))).toEqual([]);
  const others = sources.filter(({ source }) => source.includes('<dialog'));
  expect(others.filter(({ source }) => !source.includes('<ParagraphLink'))).toEqual([]);
});

test('a dialog without help is found', () => {
  for (const tag of [
    '<Dialog title="x">',
    '<Dialog help="messages-nothing">',
    '<Dialog unexplained="">',
    '<Dialog help={x}>',
  ])
    expect(explained(tag), tag).toBe(false);
});
