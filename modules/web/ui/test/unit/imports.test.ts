import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';

const files = (readdirSync('src', { recursive: true }) as string[])
  .map((file) => join('src', file))
  .filter((file) => /\.(ts|svelte)$/.test(file));

/** scripts returns the code of a module or a component. */
function scripts(file: string): string {
  const text = readFileSync(file, 'utf8');
  if (!file.endsWith('.svelte')) return text;
  return [...text.matchAll(/<script[^>]*>(.*?)<\/script>/gs)].map((m) => m[1]).join('\n');
}

/** isTypeOnly reports whether an import or export disappears in the compiled module. */
function isTypeOnly(s: ts.ImportDeclaration | ts.ExportDeclaration): boolean {
  if (ts.isExportDeclaration(s)) return s.isTypeOnly;
  const clause = s.importClause;
  if (!clause) return false;
  if (clause.isTypeOnly) return true;
  const bindings = clause.namedBindings;
  return (
    !clause.name &&
    bindings !== undefined &&
    ts.isNamedImports(bindings) &&
    bindings.elements.every((e) => e.isTypeOnly)
  );
}

/** imports returns the files that a file needs before it can run. Dynamic imports are not among them. */
function imports(file: string): string[] {
  const source = ts.createSourceFile(`${file}.ts`, scripts(file), ts.ScriptTarget.Latest);
  return source.statements.flatMap((s) => {
    if (!(ts.isImportDeclaration(s) || ts.isExportDeclaration(s)) || isTypeOnly(s)) return [];
    const from = s.moduleSpecifier && ts.isStringLiteral(s.moduleSpecifier) ? s.moduleSpecifier.text : '';
    return from.startsWith('.') ? [join(dirname(file), from)] : [];
  });
}

/** circles returns circles of imports, each as a list of files that import the next one. */
function circles(graph: Map<string, string[]>): string[][] {
  const found: string[][] = [];
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (file: string): void => {
    if (path.includes(file)) found.push([...path.slice(path.indexOf(file)), file]);
    if (done.has(file) || path.includes(file)) return;
    path.push(file);
    for (const next of graph.get(file) ?? []) visit(next);
    path.pop();
    done.add(file);
  };
  for (const file of graph.keys()) visit(file);
  return found;
}

test('circles are found', () => {
  const graph = new Map([
    ['a', ['b', 'c']],
    ['b', ['c']],
    ['c', ['d']],
    ['d', ['b']],
  ]);
  expect(circles(graph)).toEqual([['b', 'c', 'd', 'b']]);
});

const PATIENCE = 60_000; // milliseconds, on a busy machine

test('no modules import each other', { timeout: PATIENCE }, () => {
  const graph = new Map(files.map((file) => [file, imports(file)]));
  expect([...graph.values()].flat().length).toBeGreaterThan(500);
  expect(circles(graph)).toEqual([]);
});
