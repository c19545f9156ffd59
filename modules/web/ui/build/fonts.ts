import type { Plugin } from 'vite';

/** fonts leaves out the fonts for browsers that the client does not run in: all that it does run in know WOFF2. */
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
