import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';
import { compress } from './build/compress.ts';
import { emoji } from './build/emoji.ts';
import { fonts } from './build/fonts.ts';
import { help } from './build/help.ts';
import { sprite } from './build/sprite.ts';

// STOA_SERVER is the server that the development server proxies to.
const server = process.env.STOA_SERVER ?? 'http://localhost:9991';

export default defineConfig({
  base: '/static/web/',
  plugins: [svelte(), fonts(), emoji(), sprite(), help(), compress()],
  build: {
    outDir: '../dist',
    // The folder contains a committed file; compress() removes the rest.
    emptyOutDir: false,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2022',
    rolldownOptions: {
      input: { index: 'index.html', worker: 'src/worker/worker.ts' },
      // The URL of a service worker must not change between builds.
      output: {
        entryFileNames: (chunk) => (chunk.name === 'worker' ? '[name].js' : 'assets/[name]-[hash].js'),
        // What the page imports statically becomes one file. Modules shared with what is loaded on demand would
        // otherwise be spread over dozens of files, each compressed on its own.
        codeSplitting: {
          groups: [{ name: 'index', tags: ['$initial'], test: (id) => !id.includes('/src/worker/') }],
        },
      },
    },
  },
  server: {
    proxy: Object.fromEntries(
      [
        '/json',
        '/accounts',
        '/login',
        '/register',
        '/user_uploads',
        '/user_avatars',
        '/avatar',
        '/static/stoa',
        '/static/images',
        '/static/generated',
      ].map((path) => [path, server]),
    ),
  },
  test: { include: [process.env.STOA_STATE_RECORDS ? 'test/oracle/*.test.ts' : 'test/unit/**/*.test.ts'] },
});
