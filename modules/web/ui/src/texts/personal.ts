import { personal as en } from './en.personal.ts';
import { moreTexts, type Texts } from './language.svelte.ts';

/** PersonalCatalogue is the type of a translation. */
export type PersonalCatalogue = Texts<typeof en>;

/** personal is the catalogue of the user's settings, status and profile in the current language. */
export const personal: PersonalCatalogue = await moreTexts<PersonalCatalogue>(en, {
  ar: async () => (await import('./ar.personal.ts')).ar,
  de: async () => (await import('./de.personal.ts')).de,
  es: async () => (await import('./es.personal.ts')).es,
  fr: async () => (await import('./fr.personal.ts')).fr,
  ja: async () => (await import('./ja.personal.ts')).ja,
  'zh-hans': async () => (await import('./zh-hans.personal.ts')).zhHans,
});
