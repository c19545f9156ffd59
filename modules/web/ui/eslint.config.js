// The rules of the client's source that neither its types nor its format contain.
import js from '@eslint/js';
import svelte from 'eslint-plugin-svelte';
import { defineConfig } from 'eslint/config';
import ts from 'typescript-eslint';
import svelteConfig from './svelte.config.js';

/** unsafe lists the rules about values of the type any. */
const unsafe = ['argument', 'assignment', 'call', 'member-access', 'return'].map(
  (what) => `@typescript-eslint/no-unsafe-${what}`,
);

const off = (rules) => Object.fromEntries(rules.map((r) => [r, 'off']));

export default defineConfig(
  { ignores: ['node_modules/'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  js.configs.recommended,
  ts.configs.recommendedTypeChecked,
  svelte.configs.recommended,
  {
    languageOptions: {
      parserOptions: {
        projectService: true,
        tsconfigRootDir: import.meta.dirname,
        extraFileExtensions: ['.svelte'],
        parser: ts.parser,
        svelteConfig,
      },
    },
    rules: {
      ...off([
        'no-undef', // the compiler's task
        '@typescript-eslint/require-await', // interfaces ask for promises
        'no-control-regex', // marks in texts
        '@typescript-eslint/no-base-to-string', // settings are unknown values
        'svelte/no-useless-mustaches', // they keep spaces
        'svelte/prefer-svelte-reactivity', // state belongs to the store; maps of components are local to a computation
      ]),
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_$' }],
    },
  },
  {
    // For the parser, types of other components and of parameters of snippets are any. svelte-check knows them.
    files: ['**/*.svelte', '**/*.ts'],
    rules: off(unsafe),
  },
  {
    // What views show is derived from the store, which knows nothing of them.
    files: ['src/**'],
    ignores: ['src/store/**', 'src/client.ts', 'src/shell/signal.svelte.ts'],
    rules: {
      'no-restricted-imports': ['error', { patterns: [{ group: ['**/store/cell.ts'], message: 'Read the store.' }] }],
    },
  },
  {
    // Types of events and of the registration are declared, and compared with what the server sends.
    files: ['src/store/**'],
    rules: { '@typescript-eslint/consistent-type-assertions': ['error', { assertionStyle: 'never' }] },
  },
  {
    files: ['src/store/**', 'src/api/**'],
    rules: {
      'no-restricted-imports': [
        'error',
        { patterns: [{ group: ['svelte', 'svelte/*', '*.svelte', '*.svelte.ts'], message: 'Views use the store.' }] },
      ],
    },
  },
  {
    files: ['src/**/*.svelte'],
    rules: { 'max-lines': ['error', { max: 400 }] },
  },
  { files: ['**/*.mjs', '*.js'], extends: [ts.configs.disableTypeChecked] },
  {
    files: ['test/{e2e,long}/*.test.mjs'],
    rules: {
      'no-restricted-imports': ['error', { name: 'playwright-core', message: 'The harness watches its pages.' }],
    },
  },
);
