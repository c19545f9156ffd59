import { admin as en } from './en.admin.ts';
import { text } from './index.ts';
import { moreTexts, type Texts } from './language.svelte.ts';

/** AdminCatalogue is the type of a translation. */
export type AdminCatalogue = Texts<typeof en>;

/** admin is the administration's catalogue in the current language. */
export const admin: AdminCatalogue = await moreTexts<AdminCatalogue>(en, {
  ar: async () => (await import('./ar.admin.ts')).ar,
  de: async () => (await import('./de.admin.ts')).de,
  es: async () => (await import('./es.admin.ts')).es,
  fr: async () => (await import('./fr.admin.ts')).fr,
  ja: async () => (await import('./ja.admin.ts')).ja,
  'zh-hans': async () => (await import('./zh-hans.admin.ts')).zhHans,
});

type Labels<T> = { [K in keyof T]: T[K] extends string ? K : never }[keyof T];

/** Label is the name of a text without parameters, in this catalogue or in the one that is always loaded. */
export type Label = Labels<typeof admin> | Labels<typeof text>;

export function label(name: Label): string {
  return name in admin ? admin[name as Labels<typeof admin>] : text[name as Labels<typeof text>];
}

/** hint returns the explanation of a label, if there is one. */
export function hint(name: Label): string | undefined {
  const key = `${name}_hint`;
  return key in admin ? admin[key as Labels<typeof admin>] : undefined;
}
