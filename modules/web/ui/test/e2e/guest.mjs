// A module for WebAssembly, as the package that an operator installs.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const text = (s) => [s.length, ...Buffer.from(s)];
const section = (id, ...content) => [id, content.length, ...content];

/** answering returns a guest that answers every call with a text of less than 64 bytes. */
function answering(reply) {
  const [i32, end] = [0x7f, 0x0b];
  const constant = (n) => [0x41, n];
  const body = [0, ...constant(0), ...constant(reply.length), 0x10, 0, end]; // calls the function 0
  return Buffer.from([
    ...Buffer.from('\0asm\x01\0\0\0'),
    ...section(1, 2, 0x60, 1, i32, 0, 0x60, 2, i32, i32, 0),
    ...section(2, 1, ...text('stoa_1'), ...text('write'), 0, 1),
    ...section(3, 1, 0),
    ...section(5, 1, 0, 1),
    ...section(7, 2, ...text('memory'), 2, 0, ...text('stoa_1'), 0, 1),
    ...section(10, 1, body.length, ...body),
    ...section(11, 1, 0, ...constant(0), end, ...text(reply)),
  ]);
}

/** install installs a module whose routes reply with a value, and whose files extend the client. */
export function install(server, manifest, reply, files) {
  const dir = mkdtempSync(join(tmpdir(), 'stoa-guest-'));
  const all = {
    'manifest.json': JSON.stringify({ abi: 1, ...manifest }),
    'module.wasm': answering(JSON.stringify({ body: reply })),
    ...files,
  };
  for (const [name, content] of Object.entries(all)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), content);
  }
  try {
    execFileSync('zip', ['-q', 'guest.stoamod', ...Object.keys(all)], { cwd: dir });
    server.run('module', 'install', join(dir, 'guest.stoamod'), '--yes');
  } finally {
    rmSync(dir, { recursive: true });
  }
}
