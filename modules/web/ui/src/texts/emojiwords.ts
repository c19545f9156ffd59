import en from 'virtual:emoji-words/en';
import { moreTexts } from './language.svelte.ts';

/** words holds the keywords of each emoji in the current language, by code, separated by vertical lines. */
export const words = await moreTexts<Record<string, string>>(en, {
  ar: async () => (await import('virtual:emoji-words/ar')).default,
  de: async () => (await import('virtual:emoji-words/de')).default,
  es: async () => (await import('virtual:emoji-words/es')).default,
  fr: async () => (await import('virtual:emoji-words/fr')).default,
  ja: async () => (await import('virtual:emoji-words/ja')).default,
  'zh-hans': async () => (await import('virtual:emoji-words/zh')).default,
});
