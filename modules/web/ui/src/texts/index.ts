import { en } from './en.ts';
import { firstTexts, type Texts } from './language.svelte.ts';

/** Catalogue is the type of a translation. */
export type Catalogue = Texts<typeof en>;

/** text is the main catalogue in the current language. */
export const text: Catalogue = firstTexts<Catalogue>(en, {
  ar: async () => (await import('./ar.ts')).ar,
  de: async () => (await import('./de.ts')).de,
  es: async () => (await import('./es.ts')).es,
  fr: async () => (await import('./fr.ts')).fr,
  ja: async () => (await import('./ja.ts')).ja,
  'zh-hans': async () => (await import('./zh-hans.ts')).zhHans,
});
