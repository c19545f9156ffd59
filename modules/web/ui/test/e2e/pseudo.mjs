// A pseudo-localization: the English texts, 1.6 times as long, with accents and in brackets. Clipped text reveals
// layouts too small for long translations, and text without brackets is untranslated.
import { readFileSync } from 'node:fs';
import ts from 'typescript';

const read = (file) => readFileSync(new URL(`../../src/texts/${file}.ts`, import.meta.url), 'utf8');

/** lengthened runs in the browser and returns a catalogue with lengthened texts. Parameters stay unchanged. */
function lengthened(value) {
  const accents = {
    a: 'áà',
    e: 'éè',
    i: 'íì',
    o: 'óò',
    u: 'úù',
    A: 'ÁÀ',
    E: 'ÉÈ',
    I: 'ÍÌ',
    O: 'ÓÒ',
    U: 'ÚÙ',
    n: 'ñ',
  };
  const long = (text) => {
    let left = Math.ceil(text.length * 0.6) - 2;
    const out = text.replace(/[aeiouAEIOUn]/g, (c) => (left-- > 0 ? (accents[c] ?? c) : accents[c][0]));
    const words = 'ûñð šé ûñð žó ';
    let more = '';
    while (out.length + more.length < text.length * 1.6) more += words[more.length % words.length];
    return out + more;
  };
  if (typeof value === 'string') return `⟦${long(value)}⟧`;
  if (typeof value === 'function')
    return (...args) => {
      const parts = args.flat().map(String).filter(Boolean);
      const found = value(...args);
      const keep = parts.map((p) => p.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|');
      const text = keep ? found.split(new RegExp(`(${keep})`)) : [found];
      return `⟦${text.map((t) => (parts.includes(t) || !t.trim() ? t : long(t))).join('')}⟧`;
    };
  return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, lengthened(v)]));
}

/** usePseudoLocale replaces the German catalogue of a page by the pseudo-localization. */
export async function usePseudoLocale(page) {
  const plain = (file) =>
    ts
      .transpileModule(read(file).replace(/^import .*$/gm, ''), {
        compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext },
      })
      .outputText.replace(/^export (const|function)/gm, '$1');
  const forms = plain('forms');
  const files = {
    de: [forms, plain('en'), 'export const de = lengthened(en);'],
    'de.admin': [forms, plain('en'), plain('en.admin'), 'export const de = lengthened(admin);'],
    ...Object.fromEntries(
      ['emoji', 'help', 'media', 'personal'].map((name) => [
        `de.${name}`,
        [forms, plain(`en.${name}`), `export const de = lengthened(${name});`],
      ]),
    ),
  };
  await page.route(/\/assets\/de(\.\w+)?-[\w-]+\.js$/, (route) => {
    const name = /(de(\.\w+)?)-/.exec(route.request().url())[1];
    if (!files[name]) return route.continue(); // names of emoji
    const body = [`const lengthened = ${lengthened};`, ...files[name]].join('\n');
    return route.fulfill({ contentType: 'text/javascript', body });
  });
}
