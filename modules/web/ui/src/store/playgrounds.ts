import type { Playground } from '../api/types.ts';

/** prefixes maps the operators of RFC 6570 to the prefix of the variable code. */
const prefixes: Record<string, string> = {
  '': '',
  '+': '',
  '#': '#',
  '.': '.',
  '/': '/',
  ';': ';code=',
  '?': '?code=',
  '&': '&code=',
};

const unreserved = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);

/** playgroundURL expands a playground's URL template. code is its only variable. */
export function playgroundURL(template: string, code: string): string {
  return template.replace(/\{([+#./;?&]?)code(?::(\d+)|\*)?\}/g, (_, operator: string, length?: string) => {
    const value = length ? [...code].slice(0, Number(length)).join('') : code;
    const open = operator === '+' || operator === '#';
    return prefixes[operator] + (open ? encodeURI(value) : unreserved(value));
  });
}

/** playgroundsFor returns the playgrounds for a language as named in rendered code blocks. */
export function playgroundsFor(all: readonly Playground[], language: string | undefined): Playground[] {
  const lower = language?.toLowerCase();
  return lower ? all.filter((p) => p.pygments_language.toLowerCase() === lower) : [];
}
