// The declarations that authors of modules use, checked with the example.
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, test } from 'vitest';

const calendar = fileURLToPath(new URL('../../../../../app/example/calendar/web/calendar.js', import.meta.url));

/** problems returns what the compiler finds wrong with the example, after a change of its source. */
function problems(change = (source: string) => source): string[] {
  const options: ts.CompilerOptions = {
    allowJs: true,
    strict: true,
    noImplicitAny: false,
    useUnknownInCatchVariables: false,
    noEmit: true,
    skipLibCheck: true,
    types: [],
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
  };
  const host = ts.createCompilerHost(options);
  const read = host.readFile.bind(host);
  host.readFile = (name) => (name === calendar ? change(read(name) ?? '') : read(name));
  host.getSourceFile = (name, version) => {
    const source = host.readFile(name);
    return source === undefined ? undefined : ts.createSourceFile(name, source, version, true);
  };
  return ts
    .getPreEmitDiagnostics(ts.createProgram([calendar], options, host))
    .map((d) => `${d.file?.fileName}: ${ts.flattenDiagnosticMessageText(d.messageText, ' ')}`);
}

test('the example follows the declarations', { timeout: 120_000 }, () => expect(problems()).toEqual([]));

test('a wrong part is an error', { timeout: 120_000 }, () =>
  expect(problems((source) => source.replace('when: (m) =>', 'when: (m) => m.sender &&')).join()).toContain('sender'),
);
