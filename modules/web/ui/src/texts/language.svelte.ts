import { english, localeOf, type Language } from './languages.ts';

/** Texts is the type of a catalogue in any language, derived from the English one. */
export type Texts<E> = {
  [K in keyof E]: E[K] extends (...args: infer A) => string
    ? (...args: A) => string
    : E[K] extends string
      ? string
      : Texts<E[K]>;
};

/** Loaders import the catalogues of other languages by code. */
export type Loaders<T> = Record<string, () => Promise<Partial<T>>>;

interface Part {
  load(code: string): Promise<() => void>;
}

/** Reader holds the current language. Views that read a text are updated when it changes. */
class Reader {
  language = $state.raw<Language>(english);
  locale = $derived(localeOf(this.language, navigator.languages));
  private numbers = $derived(new Intl.NumberFormat(this.locale));
  /** settled is true once the user's own choice of language is known and loaded. */
  settled = $state(false);
  private parts: Part[] = [];
  private wanted = english;

  /** use switches the language once all its texts are loaded. If loading fails, it rejects and the language stays. */
  async use(language: Language): Promise<void> {
    this.wanted = language;
    const ready = await Promise.all(this.parts.map((p) => p.load(language.code)));
    if (this.wanted !== language) return;
    for (const show of ready) show();
    this.language = language;
    document.documentElement.lang = language.tag;
    document.documentElement.dir = language.rtl ? 'rtl' : 'ltr';
  }

  /** number formats a number in the current language. */
  number(n: number): string {
    return this.numbers.format(n);
  }

  async add(part: Part): Promise<void> {
    this.parts.push(part);
    (await part.load(this.wanted.code))();
  }
}

export const reader = new Reader();

/** Shown holds one catalogue in the current language. */
class Shown<T extends object> implements Part {
  current = $state.raw<Partial<T>>({});
  private loaders: Loaders<T>;

  constructor(loaders: Loaders<T>) {
    this.loaders = loaders;
  }

  async load(code: string): Promise<() => void> {
    const texts = code === english.code ? {} : await this.loaders[code]?.();
    return () => (this.current = texts ?? {});
  }
}

function part<T extends object>(en: T, shown: Shown<T>): T {
  return new Proxy(en, { get: (_, key) => shown.current[key as keyof T] ?? en[key as keyof T] });
}

/** firstTexts returns the catalogue of the first view. Its translation is loaded by reader.use. */
export function firstTexts<T extends object>(en: T, loaders: Loaders<T>): T {
  const shown = new Shown(loaders);
  void reader.add(shown);
  return part(en, shown);
}

/** moreTexts returns the catalogue of a chunk that is loaded on demand, with its translation. */
export async function moreTexts<T extends object>(en: T, loaders: Loaders<T>): Promise<T> {
  const shown = new Shown(loaders);
  await reader.add(shown);
  return part(en, shown);
}
