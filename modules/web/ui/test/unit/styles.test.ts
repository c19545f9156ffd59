import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const sources = (readdirSync('src', { recursive: true }) as string[])
  .filter((file) => /\.(svelte|css)$/.test(file))
  .map((file) => join('src', file));

/** physical finds sides that do not follow the direction of the text: by name, or by four different values. */
const physical = [
  /^\s+(?:margin|padding|border)-(?:left|right)\b/,
  /^\s+(?:left|right):/,
  /^\s+(?:float|clear): (?:left|right);/,
  /^\s+(?:margin|padding|inset|scroll-padding|scroll-margin): \S+ (\S+) \S+ (?!\1;)\S+;/,
];

test('styles follow the direction of the text', () => {
  expect(sources.length).toBeGreaterThan(100);
  const found = sources.flatMap((file) => {
    const lines = readFileSync(file, 'utf8').split('\n');
    const begin = file.endsWith('.svelte') ? lines.indexOf('<style>') : 0;
    return lines.flatMap((line, i) =>
      begin >= 0 && i >= begin && physical.some((p) => p.test(line)) ? [`${file}:${i + 1}`] : [],
    );
  });
  expect(found).toEqual([]);
});
