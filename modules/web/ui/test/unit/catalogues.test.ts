// Checks that every catalogue has every text, with the same names, numbers and lists as the English one.
import { readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { choose, known, languages, localeOf } from '../../src/texts/languages.ts';

type Value = string | ((...args: unknown[]) => string);
type Texts = Record<string, Value>;

const folder = 'src/texts/';

async function catalogue(file: string): Promise<Texts> {
  const all = (await import(`../../src/texts/${file.slice(0, -3)}.ts`)) as Record<string, unknown>;
  const found = Object.values(all).filter((v) => typeof v === 'object');
  expect(found, file).toHaveLength(1);
  return flat(found[0] as object);
}

/** flat flattens nested tables of a catalogue, joining both names. */
function flat(all: object): Texts {
  return Object.fromEntries(
    Object.entries(all).flatMap(([k, v]) =>
      typeof v === 'object' ? Object.entries(flat(v as object)).map(([n, t]) => [`${k}.${n}`, t]) : [[k, v as Value]],
    ),
  );
}

/** parameters returns the parameter types of the texts in an English catalogue. */
function parameters(file: string): Map<string, string[]> {
  const source = ts.createSourceFile(file, readFileSync(folder + file, 'utf8'), ts.ScriptTarget.ES2022, true);
  const found = new Map<string, string[]>();
  const visit = (n: ts.Node): void => {
    if (ts.isPropertyAssignment(n) && ts.isArrowFunction(n.initializer)) {
      found.set(
        n.name.getText().replaceAll("'", ''),
        n.initializer.parameters.map((p) => p.type?.getText() ?? '?'),
      );
    }
    ts.forEachChild(n, visit);
  };
  visit(source);
  return found;
}

/** samples creates arguments that are recognizable in the text. */
const samples: Record<string, (i: number) => unknown> = {
  string: (i) => `<${i}>`,
  number: (i) => 37 + i,
  'string[]': (i) => [`<a${i}>`, `<b${i}>`],
};

const seen = (text: string) => (text.match(/<\w+>|\d+/g) ?? []).sort();

// Catalogues are named after their languages, with .admin for the administration, .emoji for the choice of emoji,
// .help for the guide, .media for files, recordings, polls and to-do lists, and .personal for settings, status and
// profile.
const files = readdirSync(folder).filter((f) => /^[a-z-]+(\.(admin|emoji|help|media|personal))?\.ts$/.test(f));
const sources = files.filter((f) => /^en(\.\w+)?\.ts$/.test(f));
const others = languages.filter((l) => l.code !== 'en');

for (const source of sources) {
  for (const { code, tag } of others) {
    const file = source.replace(/^en/, code);
    if (!files.includes(file)) continue;
    test(`${file} matches ${source}`, { timeout: 60_000 }, async () => {
      const [en, own] = [await catalogue(source), await catalogue(file)];
      const types = parameters(source);
      expect(Object.keys(own).filter((k) => !(k in en))).toEqual([]);
      expect(Object.keys(en).filter((k) => !(k in own))).toEqual([]);
      const faults: string[] = [];
      for (const [key, text] of Object.entries(own)) {
        const original = en[key]!;
        if (typeof text === 'string' || typeof original === 'string') {
          if (typeof text !== typeof original || (text === '' && original !== '')) faults.push(key);
          continue;
        }
        const args = types.get(key) ?? (key === 'list' ? ['string[]'] : []);
        const given = args.map((t, i) => samples[t]!(i));
        if (seen(original(...given)).join() !== seen(text(...given)).join()) faults.push(`${key}: ${text(...given)}`);
        // All plural forms exist. The forms for one and two may omit the number.
        const at = args.indexOf('number');
        const rules = new Intl.PluralRules(tag);
        for (let n = 0; at >= 0 && n < 120; n++) {
          const s = text(...given.with(at, n));
          const counts = original(...given.with(at, n)).includes(String(n));
          if (counts && !s.includes(String(n)) && !['zero', 'one', 'two'].includes(rules.select(n)))
            faults.push(`${key}(${n}): ${s}`);
          if (/undefined|NaN|#(?![\w<])/.test(s)) faults.push(`${key}(${n}): ${s}`);
        }
      }
      expect(faults).toEqual([]);
    });
  }
}

/** strange matches the form of address that a language does not use here, except at the beginning of a sentence. */
const strange: Record<string, RegExp> = {
  de: /[\p{Ll},] (Sie|Ihnen|Ihr\p{Ll}*)\b/u,
  es: /(?<!\p{L})(usted|ustedes)(?!\p{L})/iu,
  fr: /(?<!\p{L})(tu|ton|tes|toi)(?!\p{L})/iu,
};

test('each language addresses the user in one way', () => {
  for (const [code, wrong] of Object.entries(strange)) {
    for (const file of files.filter((f) => f.startsWith(`${code}.`) && !f.includes('emoji'))) {
      const lines = readFileSync(folder + file, 'utf8').split('\n');
      expect(lines.filter((line) => wrong.test(line))).toEqual([]);
    }
  }
});

test('languages are found by setting and by browser tag', () => {
  const code = (tag: string) => known(tag)?.code;
  expect(['de', 'de-AT', 'DE', 'en-GB', 'zh', 'zh-CN', 'zh-Hans-SG', 'zh-TW', 'ar-EG', 'tlh', ''].map(code)).toEqual([
    ...['de', 'de', 'de', 'en', 'zh-hans', 'zh-hans', 'zh-hans', undefined, 'ar', undefined, undefined],
  ]);
  expect(choose(['tlh', 'fr-CA', 'de']).code).toBe('fr');
  expect(choose([]).code).toBe('en');
  expect(localeOf(known('de')!, ['en-GB', 'de-AT', 'de'])).toBe('de-AT');
  expect(localeOf(known('ja')!, ['en-GB'])).toBe('ja');
});
