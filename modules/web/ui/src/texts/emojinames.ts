import en from 'virtual:emoji-names/en';
import { moreTexts } from './language.svelte.ts';

/** names holds the name of each emoji in the current language, by code. */
export const names = await moreTexts<Record<string, string>>(en, {
  ar: async () => (await import('virtual:emoji-names/ar')).default,
  de: async () => (await import('virtual:emoji-names/de')).default,
  es: async () => (await import('virtual:emoji-names/es')).default,
  fr: async () => (await import('virtual:emoji-names/fr')).default,
  ja: async () => (await import('virtual:emoji-names/ja')).default,
  'zh-hans': async () => (await import('virtual:emoji-names/zh')).default,
});
