import { help as en } from './en.help.ts';
import { moreTexts, type Texts } from './language.svelte.ts';

/** HelpCatalogue is the type of a translation. */
export type HelpCatalogue = Texts<typeof en>;

/** HelpParagraph is the ID of a paragraph on the server's page /help. */
export type HelpParagraph = {
  [A in keyof typeof en]: `${A}-${Exclude<keyof (typeof en)[A], 'title'> & string}`;
}[Exclude<keyof typeof en, 'imported'>]; // what is true of one organization only is not on the page

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
