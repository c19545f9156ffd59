import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const MAX_COLUMNS = 120;

// Texts in the catalogues stay on one line, for translators.
const sources = ['src', 'test', 'build'].flatMap((folder) =>
  (readdirSync(folder, { recursive: true }) as string[])
    .map((file) => join(folder, file))
    .filter((file) => /\.(ts|mjs|svelte|css)$/.test(file) && !file.startsWith(join('src', 'texts'))),
);

test(`no line is longer than ${MAX_COLUMNS} columns`, () => {
  expect(sources.length).toBeGreaterThan(200);
  const long = sources.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line, i) => ([...line].length > MAX_COLUMNS ? [`${file}:${i + 1}`] : [])),
  );
  expect(long).toEqual([]);
});
