// Checks that all texts are in the catalogues, and that views read them reactively.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'svelte/compiler';
import { expect, test } from 'vitest';

type Node = { type: string; start: number; [key: string]: unknown };
type Visit = (node: Node, parents: readonly Node[]) => void;

const sources = (readdirSync('src', { recursive: true }) as string[])
  .filter((f) => /\.(svelte|ts)$/.test(f) && !f.startsWith('texts') && !f.endsWith('.d.ts'))
  .map((f) => join('src', f));

/** translatable reports whether a string needs translation. Slash commands, key names and examples do not. */
const translatable = (s: unknown) =>
  typeof s === 'string' &&
  /\p{L}{2}/u.test(s.replace(/\bCtrl\+/, '')) &&
  !/^\/|^\S*(:\/\/|#\(|^\{)\S*$|^Python$/.test(s.trim());

/** keys holds the names of texts, which some tables contain instead of the texts. */
const keys = new Set(
  ['en', 'en.admin', 'en.media', 'en.personal'].flatMap((f) =>
    readFileSync(`src/texts/${f}.ts`, 'utf8').match(/^ {2}\w+(?=:)/gm)!,
  ),
);

const CATALOGUES: ReadonlySet<string | undefined> = new Set(['text', 'admin', 'media', 'personal']);

/** untranslated matches elements that contain key names or source code, and style directives. */
const untranslated = (n: Node) => n.type === 'StyleDirective' || n.name === 'kbd' || n.name === 'code';

function walk(node: unknown, visit: Visit, parents: readonly Node[] = []): void {
  if (Array.isArray(node)) for (const n of node) walk(n, visit, parents);
  else if (node && typeof node === 'object') {
    const n = node as Node;
    const typed = typeof n.type === 'string';
    if (typed) visit(n, parents);
    for (const [k, v] of Object.entries(n)) {
      if (k !== 'typeAnnotation' && k !== 'loc') walk(v, visit, typed ? [...parents, n] : parents);
    }
  }
}

interface Tree {
  all: Node;
  source: string;
}

const trees = new Map<string, Tree>();

function tree(file: string): Tree {
  const known = trees.get(file) ?? parsed(file);
  trees.set(file, known);
  return known;
}

/** parsed parses a file. A TypeScript file is parsed as a component without markup. */
function parsed(file: string): Tree {
  const code = readFileSync(file, 'utf8');
  const source = file.endsWith('.svelte') ? code : `<script module lang="ts">\n${code}\n</script>`;
  return { all: parse(source, { modern: true }) as unknown as Node, source };
}

const ATTRIBUTES = new Set([
  'aria-label',
  'aria-description',
  'aria-placeholder',
  'title',
  'placeholder',
  'alt',
  'label',
]);
const FIELDS = /^(label|title|hint|action|placeholder|description)$/;

/** shown returns the string literals that an expression can evaluate to. */
function shown(e: Node | undefined): Node[] {
  switch (e?.type) {
    case 'Literal':
      return [e];
    case 'TemplateLiteral':
      return [...(e.quasis as Node[]), ...(e.expressions as Node[]).flatMap(shown)];
    case 'ConditionalExpression':
      return [...shown(e.consequent as Node), ...shown(e.alternate as Node)];
    case 'LogicalExpression':
    case 'BinaryExpression':
      return ['&&', '||', '??', '+'].includes(e.operator as string)
        ? [...shown(e.left as Node), ...shown(e.right as Node)]
        : [];
    default:
      return [];
  }
}

function literal(n: Node): unknown {
  return n.type === 'TemplateElement' ? (n.value as { cooked: string }).cooked : n.value;
}

function hardcoded(file: string): string[] {
  const { all, source } = tree(file);
  const found: string[] = [];
  const check = (nodes: Node[]) => {
    for (const n of nodes) {
      const s = n.type === 'Text' ? n.data : literal(n);
      if (translatable(s)) found.push(`${file}:${source.slice(0, n.start).split('\n').length} ${String(s).trim()}`);
    }
  };
  walk(all, (n, parents) => {
    const parent = parents.at(-1);
    if (parents.some(untranslated)) return;
    if (n.type === 'Attribute') {
      if (!ATTRIBUTES.has(n.name as string) || n.value === true) return;
      for (const v of [n.value].flat() as Node[]) check(v.type === 'Text' ? [v] : shown(v.expression as Node));
    } else if (n.type === 'Text') {
      if (parent?.type !== 'Attribute') check([n]);
    } else if (n.type === 'ExpressionTag') {
      if (parent?.type !== 'Attribute') check(shown(n.expression as Node));
    } else if (n.type === 'CallExpression') {
      const callee = n.callee as Node & { name?: string; property?: { name?: string } };
      const args = n.arguments as Node[];
      if ((callee.name ?? callee.property?.name) === 'toast') check(shown(args[0]));
      if (callee.name === 'attempt') check(shown(args[1]));
    } else if (n.type === 'Property') {
      const key = n.key as Node & { name?: string };
      if (FIELDS.test(key.name ?? ''))
        check(shown(n.value as Node).filter((v) => !keys.has(`  ${String(literal(v))}`)));
    }
  });
  return found;
}

/** readOnce returns where a text is read only once, and would not follow a change of language. */
function readOnce(file: string): string[] {
  const { all, source } = tree(file);
  const found: string[] = [];
  for (const script of [all.module, all.instance]) {
    walk(script, (n, parents) => {
      const object = n.object as { name?: string } | undefined;
      if (n.type !== 'MemberExpression' || !CATALOGUES.has(object?.name)) return;
      if (!/import \{[^}]*\b(text|admin|media|personal)\b[^}]*\} from '[./]*texts\//.test(source)) return;
      const late = parents.some(
        (p) =>
          /Function/.test(p.type) ||
          p.type === 'PropertyDefinition' ||
          (p.type === 'CallExpression' && (p.callee as { name?: string }).name === '$derived'),
      );
      if (!late) found.push(`${file}:${source.slice(0, n.start).split('\n').length}`);
    });
  }
  return found;
}

/**
 * captured returns where a dialog is opened with a text in place of a function that reads it. (The texts of toasts and
 * questions are functions by their types.)
 */
function captured(file: string): string[] {
  const { all, source } = tree(file);
  const found: string[] = [];
  walk(all, (n, parents) => {
    const object = n.object as { name?: string } | undefined;
    if (n.type !== 'MemberExpression' || !CATALOGUES.has(object?.name)) return;
    const call = parents.findLastIndex(
      (p) => p.type === 'CallExpression' && /^ui\.open\b/.test(source.slice(p.start, p.start + 8)),
    );
    if (call === -1 || parents.slice(call).some((p) => /Function/.test(p.type))) return;
    found.push(`${file}:${source.slice(0, n.start).split('\n').length}`);
  });
  return found;
}

test('every text is in a catalogue', { timeout: 60_000 }, () => {
  expect(sources.length).toBeGreaterThan(80);
  expect(sources.flatMap(hardcoded)).toEqual([]);
});

test('every text is read reactively', { timeout: 60_000 }, () => expect(sources.flatMap(readOnce)).toEqual([]));

test('dialogs follow a change of language', { timeout: 60_000 }, () => expect(sources.flatMap(captured)).toEqual([]));

test('every text of the first visit is used', async () => {
  const { en } = await import('../../src/texts/en.ts');
  const code = sources.map((f) => readFileSync(f, 'utf8')).join('\n');
  expect(Object.keys(en).filter((key) => !new RegExp(`\\btext\\.${key}\\b`).test(code))).toEqual([]);
});
