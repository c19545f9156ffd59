import { store } from '../client.ts';
import { languages as translated } from '../texts/languages.ts';

/** languages returns the languages of the interface with their own names, and the organization's if it is another. */
export function languages(): [string, string][] {
  const all = translated.map((l): [string, string] => [l.code, l.name]);
  const code = store.realm.text('realm_default_language');
  if (code && !all.some(([c]) => c === code)) all.push([code, nameOf(code)]);
  return all;
}

function nameOf(code: string): string {
  try {
    return new Intl.DisplayNames([code], { type: 'language' }).of(code) ?? code;
  } catch {
    return code;
  }
}
