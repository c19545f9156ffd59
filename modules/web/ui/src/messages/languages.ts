/** Language is one that the client has texts in. */
export interface Language {
  /** code is what the setting default_language holds. */
  code: string;
  /** tag is what browsers call it (BCP 47). */
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

/** known returns the language for a setting or a browser's tag: its own, or that without the region. */
export function known(tag: string): Language | undefined {
  const t = tag.toLowerCase();
  // Traditional characters are another way of writing.
  if (t === 'zh' || /^zh-(cn|sg|hans)\b/.test(t)) return languages.find((l) => l.code === 'zh-hans');
  return languages.find((l) => l.code === t) ?? languages.find((l) => l.code === t.split('-')[0]);
}

/** choose returns the first language that the client has: tags come in the order of preference. */
export function choose(tags: readonly string[]): Language {
  for (const tag of tags) {
    const found = known(tag);
    if (found) return found;
  }
  return english;
}

/** localeOf is a language as it is spoken where the reader lives, for dates and numbers. */
export function localeOf(language: Language, browser: readonly string[]): string {
  const regional = browser.find((tag) => known(tag) === language) ?? language.tag;
  // Numbers stand beside those of the server, which are written with these digits.
  return language.code === 'ar' ? `${regional}-u-nu-latn` : regional;
}
