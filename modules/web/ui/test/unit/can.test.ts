import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

// test/oracle compares Can with the server. A decision made elsewhere would escape it.
const decision = /\.self\b[^\n]{0,4}\.(role|is_(admin|owner|guest))\b|\binGroup\(/;

/** allowed lists the files that contain one: the group of a mention is not a permission, nor is a module's fact. */
const allowed = ['components/content.ts', 'modules/extension.svelte.ts', 'store/can.ts', 'store/users.ts'];

test('only the store decides what the user may do', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((f) => /\.(ts|svelte)$/.test(f));
  const deciding = files.filter((f) => decision.test(readFileSync(join('src', f), 'utf8')));
  expect(deciding.sort()).toEqual(allowed);
});
