import { emoji as en } from './en.emoji.ts';
import { moreTexts, type Texts } from './language.svelte.ts';

/** EmojiCatalogue is the type of a translation. */
export type EmojiCatalogue = Texts<typeof en>;

/** emojiText is the catalogue for choosing an emoji in the current language. */
export const emojiText: EmojiCatalogue = await moreTexts<EmojiCatalogue>(en, {
  ar: async () => (await import('./ar.emoji.ts')).ar,
  de: async () => (await import('./de.emoji.ts')).de,
  es: async () => (await import('./es.emoji.ts')).es,
  fr: async () => (await import('./fr.emoji.ts')).fr,
  ja: async () => (await import('./ja.emoji.ts')).ja,
  'zh-hans': async () => (await import('./zh-hans.emoji.ts')).zhHans,
});
