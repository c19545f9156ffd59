// A language that nobody speaks: the English texts, 1.6 times as long, with accents, between brackets. What is cut of it
// would be cut of a long translation, and what stands without brackets was not translated.
import { readFileSync } from 'node:fs';
import ts from 'typescript';

const read = (file) => readFileSync(new URL(`../../src/messages/${file}.ts`, import.meta.url), 'utf8');

/** stretched is run in the browser: it returns a catalogue with longer texts. What a text is given stays as it is. */
function stretched(value) {
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
  return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, stretched(v)]));
}

/** speak makes a page get these texts in place of the German ones. */
export async function speak(page) {
  const plain = (file) =>
    ts
      .transpileModule(read(file).replace(/^import .*$/gm, ''), {
        compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext },
      })
      .outputText.replace(/^export (const|function)/gm, '$1');
  const forms = plain('forms');
  const files = {
    de: [forms, plain('en'), 'export const de = stretched(en);'],
    'de.admin': [forms, plain('en'), plain('en.admin'), 'export const de = stretched(admin);'],
    'de.help': [plain('en.help'), 'export const de = stretched(help);'],
  };
  await page.route(/\/assets\/de(\.admin|\.help)?-[\w-]+\.js$/, (route) => {
    const name = /(de(\.admin|\.help)?)-/.exec(route.request().url())[1];
    const body = [`const stretched = ${stretched};`, ...files[name]].join('\n');
    return route.fulfill({ contentType: 'text/javascript', body });
  });
}
