import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Plugin } from 'vite';

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);

/** compress writes .br and .gz files beside each asset, so that the server never compresses at request time. */
export function compress(): Plugin {
  let out = '';
  return {
    name: 'stoa-compress',
    apply: 'build',
    configResolved(config) {
      out = join(config.root, config.build.outDir);
    },
    async buildStart() {
      await rm(join(out, 'assets'), { recursive: true, force: true });
      await rm(join(out, 'index.html'), { force: true });
    },
    async closeBundle() {
      const folder = join(out, 'assets');
      for (const name of await readdir(folder)) {
        if (name.endsWith('.woff2')) continue; // WOFF2 is already compressed
        const bytes = await readFile(join(folder, name));
        const best = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };
        await writeFile(join(folder, `${name}.br`), await brotli(bytes, best));
        await writeFile(join(folder, `${name}.gz`), await zip(bytes, { level: 9 }));
      }
    },
  };
}
