import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Plugin } from 'vite';

const require = createRequire(import.meta.url);
const json = async (file: string) => JSON.parse(await readFile(require.resolve(file), 'utf8')) as unknown;

/** Known is the list of emoji, with their groups, in the order of the Unicode standard. */
type Known = Record<string, { group: string; skin_tone_support: boolean }>;

/** Annotations are the texts that Unicode gives for characters in a language. */
type Annotations = Record<string, { default?: string[]; tts?: string[] }>;

/** TONES are the codes of the skin tones. */
const TONES = ['1f3fb', '1f3fc', '1f3fd', '1f3fe', '1f3ff'];

const known = async () => (await json('unicode-emoji-json/data-by-emoji.json')) as Known;

/**
 * emoji provides the groups of emoji, and their names and keywords by language: `virtual:emoji-groups`,
 * `virtual:emoji-names/LANGUAGE` and `virtual:emoji-words/LANGUAGE`.
 */
export function emoji(): Plugin {
  return {
    name: 'stoa-emoji',
    resolveId: (id) => (id.startsWith('virtual:emoji-') ? `\0${id}` : undefined),
    async load(id) {
      const [, what, language = ''] = /^\0virtual:emoji-(\w+)(?:\/(\w+))?$/.exec(id) ?? [];
      if (!what) return undefined;
      const found = what === 'groups' ? await groups() : await annotations(language, what === 'names');
      return { code: `export default ${JSON.stringify(found)};`, moduleType: 'js' };
    },
  };
}

/** codeOf returns the code of an emoji as in the API: its code points in hex, without variation selectors. */
function codeOf(text: string): string {
  return [...text]
    .map((c) => c.codePointAt(0)!.toString(16).padStart(4, '0'))
    .filter((code) => code !== 'fe0f')
    .join('-');
}

/** groups returns the codes of each group, with a "+" after those that have skin tones. */
async function groups(): Promise<Record<string, string>> {
  const found: Record<string, string[]> = {};
  for (const [text, { group, skin_tone_support }] of Object.entries(await known()))
    (found[group] ??= []).push(codeOf(text) + (skin_tone_support ? '+' : ''));
  return Object.fromEntries(Object.entries(found).map(([group, codes]) => [group, codes.join(' ')]));
}

/** annotations returns the name of each emoji, or its keywords, by code. */
async function annotations(language: string, names: boolean): Promise<Record<string, string>> {
  const all = new Map<string, Annotations[string]>();
  for (const kind of ['annotationsDerived', 'annotations']) {
    const name = kind === 'annotations' ? kind : 'annotations-derived';
    const file = await json(`cldr-${name}-full/${kind}/${language}/annotations.json`);
    const texts = (file as Record<string, { annotations: Annotations }>)[kind]!.annotations;
    for (const [character, about] of Object.entries(texts)) all.set(codeOf(character), about);
  }
  const found: Record<string, string> = {};
  for (const code of [...TONES, ...Object.keys(await known()).map(codeOf)]) {
    const about = all.get(code);
    const name = about?.tts?.[0] ?? '';
    const text = names ? name : (about?.default ?? []).filter((word) => word !== name).join('|');
    if (text) found[code] = text;
  }
  return found;
}
