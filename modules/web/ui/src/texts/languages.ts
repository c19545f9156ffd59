/** Language is a language that the client is translated into. */
export interface Language {
  /** code is the value of the setting default_language. */
  code: string;
  /** tag is the BCP 47 language tag. */
  tag: string;
  name: string;
  rtl?: boolean;
}

export const languages: readonly Language[] = [
  { code: 'ar', tag: 'ar', name: 'العربية', rtl: true },
  { code: 'de', tag: 'de', name: 'Deutsch' },
  { code: 'en', tag: 'en', name: 'English' },
  { code: 'es', tag: 'es', name: 'Español' },
  { code: 'fr', tag: 'fr', name: 'Français' },
  { code: 'ja', tag: 'ja', name: '日本語' },
  { code: 'zh-hans', tag: 'zh-Hans', name: '简体中文' },
];

export const english = languages.find((l) => l.code === 'en')!;

/** known returns the language for a setting or browser tag, ignoring the region if necessary. */
export function known(tag: string): Language | undefined {
  const t = tag.toLowerCase();
  // zh-Hant is a different script.
  if (t === 'zh' || /^zh-(cn|sg|hans)\b/.test(t)) return languages.find((l) => l.code === 'zh-hans');
  return languages.find((l) => l.code === t) ?? languages.find((l) => l.code === t.split('-')[0]);
}

/** choose returns the first available language. Tags are in order of preference. */
export function choose(tags: readonly string[]): Language {
  for (const tag of tags) {
    const found = known(tag);
    if (found) return found;
  }
  return english;
}

/** localeOf returns the regional variant of a language, for dates and numbers. */
export function localeOf(language: Language, browser: readonly string[]): string {
  const regional = browser.find((tag) => known(tag) === language) ?? language.tag;
  // Use the same digits as the server's texts.
  return language.code === 'ar' ? `${regional}-u-nu-latn` : regional;
}
