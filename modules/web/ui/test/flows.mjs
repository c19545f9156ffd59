// Runs the tests in Chromium that are in e2e and, with LONG=1, those in long, which go through every view; or those of
// the given files; two files at a time. Each file's server starts with a copy of the same demo organization, since
// creating one and setting passwords takes as long as a short test.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { config, Server, stoa } from './e2e/server.mjs';

const seed = new Server(stoa, config);
try {
  seed.setPasswords();
  const given = process.argv.slice(2);
  const folders = (process.env.LONG ? ['./e2e/', './long/'] : ['./e2e/']).map((f) =>
    fileURLToPath(new URL(f, import.meta.url)),
  );
  const files = given.length > 0 ? given : folders;
  // A test that hangs must not hide the others, whose results are printed in the order of the files.
  const options = ['--test', '--test-concurrency=2', '--test-timeout=600000', '--test-reporter=spec'];
  const tests = spawn(process.execPath, [...options, ...files], {
    stdio: 'inherit',
    env: { ...process.env, WEB_SEED: seed.dir },
  });
  const [code] = await once(tests, 'exit');
  process.exitCode = code ?? 1;
} finally {
  seed.remove();
}
