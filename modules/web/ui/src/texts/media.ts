import { media as en } from './en.media.ts';
import { moreTexts, type Texts } from './language.svelte.ts';

/** MediaCatalogue is the type of a translation. */
export type MediaCatalogue = Texts<typeof en>;

/** media is the catalogue of what messages contain besides text, in the current language. */
export const media: MediaCatalogue = await moreTexts<MediaCatalogue>(en, {
  ar: async () => (await import('./ar.media.ts')).ar,
  de: async () => (await import('./de.media.ts')).de,
  es: async () => (await import('./es.media.ts')).es,
  fr: async () => (await import('./fr.media.ts')).fr,
  ja: async () => (await import('./ja.media.ts')).ja,
  'zh-hans': async () => (await import('./zh-hans.media.ts')).zhHans,
});
