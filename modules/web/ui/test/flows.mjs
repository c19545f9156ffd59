// Runs the tests in Chromium that are in e2e and, with LONG=1, those in long, which go through every view; or those of
// the given files; three files at a time, since a page often waits. Each file's server starts with a copy of the same
// demo organization, since creating one and setting passwords takes as long as a short test.
//
// Files with failed tests run once more, alone: on a busy machine a browser may take longer than a test waits. What
// fails again is a failure; what does not is listed, since a test that needs two attempts is to be mended.
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { fileURLToPath } from 'node:url';
import { config, Server, stoa } from './e2e/server.mjs';

/** attempt runs the files and returns those in which a test failed. */
async function attempt(files, concurrency) {
  const failed = new Set();
  // A test that hangs must not hide the others.
  const results = run({ files, concurrency, timeout: process.env.LONG ? 3_600_000 : 600_000 });
  results.on('test:fail', (test) => failed.add(test.file ?? resolve(test.name)));
  const output = results.compose(spec);
  output.pipe(process.stdout, { end: false });
  await once(output, 'end');
  return [...failed].sort();
}

/** testsIn returns the test files in a folder beside this file, those first that take minutes: none runs alone last. */
function testsIn(folder) {
  const path = fileURLToPath(new URL(folder, import.meta.url));
  const slow = (name) => Number(/^(without|monkey|axe)/.test(name));
  return readdirSync(path)
    .filter((name) => name.endsWith('.test.mjs'))
    .sort((a, b) => slow(b) - slow(a))
    .map((name) => resolve(path, name));
}

const seed = new Server(stoa, config);
try {
  seed.setPasswords();
  process.env.WEB_SEED = seed.dir;
  const given = process.argv.slice(2).map((file) => resolve(file));
  const all = (process.env.LONG ? ['./e2e/', './long/'] : ['./e2e/']).flatMap(testsIn);
  const failed = await attempt(given.length > 0 ? given : all, 3);
  if (failed.length > 0) {
    const names = (files) => files.map((file) => relative('.', file)).join(' ');
    console.log(`failed, once more: ${names(failed)}`);
    const again = await attempt(failed, 1);
    const mended = failed.filter((file) => !again.includes(file));
    if (mended.length > 0) console.log(`passed only at the second attempt: ${names(mended)}`);
    if (again.length > 0) console.log(`failed twice: ${names(again)}`);
    process.exitCode = again.length > 0 ? 1 : 0;
  }
} finally {
  seed.remove();
}
