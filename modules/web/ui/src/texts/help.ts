import { help as en } from './en.help.ts';
import { moreTexts, type Texts } from './language.svelte.ts';

/** HelpCatalogue is the type of a translation. */
export type HelpCatalogue = Texts<typeof en>;

/** help is the guide in the current language. */
export const help: HelpCatalogue = await moreTexts<HelpCatalogue>(en, {
  ar: async () => (await import('./ar.help.ts')).ar,
  de: async () => (await import('./de.help.ts')).de,
  es: async () => (await import('./es.help.ts')).es,
  fr: async () => (await import('./fr.help.ts')).fr,
  ja: async () => (await import('./ja.help.ts')).ja,
  'zh-hans': async () => (await import('./zh-hans.help.ts')).zhHans,
});

export const areas = Object.keys(en) as (keyof HelpCatalogue)[];
