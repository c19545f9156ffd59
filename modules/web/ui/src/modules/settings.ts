import type { Input } from '../administration/fields.ts';
import type { ModuleSetting, SettingScope } from '../api/types.ts';
import { store } from '../client.ts';
import { isolate } from '../format/names.ts';
import { reader } from '../texts/language.svelte.ts';
import { textOf } from './modules.svelte.ts';

// A module translates its settings with the texts settings.KEY, settings.KEY.doc, and settings.KEY.WORD for a word that
// is a value.

export const labelOf = (s: ModuleSetting) => textOf(`settings.${s.key}`) ?? isolate(s.label);
export const docOf = (s: ModuleSetting) => textOf(`settings.${s.key}.doc`) ?? isolate(s.doc);

export function inputOf(s: ModuleSetting): Input {
  switch (s.kind) {
    case 'bool':
      return { kind: 'check' };
    case 'int':
      return { kind: 'number', min: s.min, max: s.max };
    case 'option':
      return {
        kind: 'choice',
        options: () => (s.options ?? []).map((word) => [word, textOf(`settings.${s.key}.${word}`) ?? isolate(word)]),
      };
    case 'text':
      return { kind: 'text', max: s.max };
    case 'group':
      return { kind: 'group' };
  }
}

/** textOfValue returns the text of a value other than a permission, or undefined if there is nothing to show. */
export function textOfValue(s: ModuleSetting, value: unknown): string | undefined {
  if (s.kind === 'bool') return value === true ? '✓' : undefined;
  if (s.kind === 'option') return textOf(`settings.${s.key}.${String(value)}`) ?? String(value);
  return s.kind === 'int' ? reader.number(Number(value)) : String(value) || undefined;
}

/** found returns what a search for settings needs to know of those of a scope. */
export const found = (scope: SettingScope) =>
  store.moduleSettings.of(scope).map((s) => ({ key: s.key, label: labelOf(s), hint: docOf(s) }));
