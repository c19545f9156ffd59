import { admin as en } from './en.admin.ts';
import { text } from './index.ts';
import { moreTexts, type Texts } from './language.svelte.ts';
import { personal } from './personal.ts';

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

/** Label is the name of a text without parameters, in this catalogue, the user's, or the one that is always loaded. */
export type Label = Labels<typeof admin> | Labels<typeof personal> | Labels<typeof text>;

export function label(name: Label): string {
  if (name in admin) return admin[name as Labels<typeof admin>];
  if (name in personal) return personal[name as Labels<typeof personal>];
  return text[name as Labels<typeof text>];
}

/** hint returns the explanation of a label, if there is one. */
export function hint(name: Label): string | undefined {
  const key = `${name}_hint` as Label;
  return key in admin || key in personal ? label(key) : undefined;
}
