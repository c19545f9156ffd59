import type { Plugin } from 'vite';

/** fonts drops the WOFF and TTF sources from KaTeX's style sheet: every supported browser reads WOFF2. */
export function fonts(): Plugin {
  return {
    name: 'stoa-fonts',
    enforce: 'pre',
    transform(code, id) {
      if (!id.includes('/katex/dist/')) return undefined;
      return code.replace(/,url\([^)]*\.(?:woff|ttf)\) format\("(?:woff|truetype)"\)/g, '');
    },
  };
}
