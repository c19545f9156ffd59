// Checks recorded JSON against the client's types, as the compiler reads them from the source.
import { join } from 'node:path';
import ts from 'typescript';

const api = join(import.meta.dirname, '../../src/api');

/** typesOf returns a function that finds a type exported by a file in src/api, and one that checks values. */
export function typesOf(file: string) {
  const path = join(api, file);
  const program = ts.createProgram([path], {
    strict: true,
    noEmit: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    allowImportingTsExtensions: true,
    types: [],
  });
  const checker = program.getTypeChecker();
  const module = checker.getSymbolAtLocation(program.getSourceFile(path)!)!;

  function named(name: string): ts.Type {
    const symbol = checker.getExportsOfModule(module).find((s) => s.name === name);
    if (!symbol) throw new Error(`${file} does not export ${name}`);
    return checker.getDeclaredTypeOfSymbol(symbol);
  }

  /** problems lists where a value deviates from a type. For a union, it compares with the closest member. */
  function problems(value: unknown, type: ts.Type, at: string): string[] {
    if (type.flags & (ts.TypeFlags.Unknown | ts.TypeFlags.Any)) return [];
    if (type.isUnion()) {
      let closest: string[] | undefined;
      for (const member of type.types) {
        const found = problems(value, member, at);
        if (found.length === 0) return [];
        if (!closest || found.length < closest.length) closest = found;
      }
      const primitive = typeof value !== 'object' || value === null;
      return primitive ? [deviates(value, type, at)] : closest!;
    }
    if (type.flags & ts.TypeFlags.Object || type.isIntersection()) {
      if (typeof value !== 'object' || value === null) return [deviates(value, type, at)];
      return checker.isArrayType(type) ? elements(value, type, at) : fields(value, type, at);
    }
    return isPrimitive(value, type) ? [] : [deviates(value, type, at)];
  }

  function isPrimitive(value: unknown, type: ts.Type): boolean {
    if (type.isStringLiteral() || type.isNumberLiteral()) return value === type.value;
    if (type.flags & ts.TypeFlags.BooleanLiteral) return String(value) === checker.typeToString(type);
    if (type.flags & ts.TypeFlags.String) return typeof value === 'string';
    if (type.flags & ts.TypeFlags.Number) return typeof value === 'number';
    if (type.flags & ts.TypeFlags.Null) return value === null;
    if (type.flags & ts.TypeFlags.Undefined) return value === undefined;
    throw new Error(`no check for the type ${checker.typeToString(type)}`);
  }

  function elements(value: object, type: ts.Type, at: string): string[] {
    if (!Array.isArray(value)) return [deviates(value, type, at)];
    const element = checker.getIndexTypeOfType(type, ts.IndexKind.Number)!;
    return value.flatMap((v, i) => problems(v, element, `${at}[${i}]`));
  }

  function fields(value: object, type: ts.Type, at: string): string[] {
    if (Array.isArray(value)) return [deviates(value, type, at)];
    const given = new Map(Object.entries(value));
    const found = checker.getPropertiesOfType(type).flatMap((p) => {
      if (!given.has(p.name)) return p.flags & ts.SymbolFlags.Optional ? [] : [`${at}.${p.name} is missing`];
      return problems(given.get(p.name), checker.getTypeOfSymbol(p), `${at}.${p.name}`);
    });
    const others = checker.getIndexTypeOfType(type, ts.IndexKind.String);
    if (!others) return found;
    return [...found, ...[...given].flatMap(([k, v]) => problems(v, others, `${at}.${k}`))];
  }

  const deviates = (value: unknown, type: ts.Type, at: string) =>
    `${at} is ${JSON.stringify(value)?.slice(0, 60)}, not ${checker.typeToString(type)}`;

  return { named, problems };
}
