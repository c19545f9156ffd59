import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';
import { icons } from '../src/design/icons.ts';

/**
 * sprite inlines the icons into index.html as one hidden SVG that components reference with <use>. Icons then need no
 * request, and no script inserts markup for them.
 */
export function sprite(): Plugin {
  return {
    name: 'stoa-sprite',
    transformIndexHtml(html) {
      return html.replace('<!--icons-->', `<svg hidden aria-hidden="true">${icons.map(symbol).join('')}</svg>`);
    },
  };
}

function symbol(name: string): string {
  const file = fileURLToPath(new URL(`../node_modules/lucide-static/icons/${name}.svg`, import.meta.url));
  const svg = readFileSync(file, 'utf8').replace(/<!--.*?-->/gs, '');
  const inner = svg
    .replace(/^[\s\S]*?<svg[\s\S]*?>/, '')
    .replace('</svg>', '')
    .replace(/\s+/g, ' ')
    .trim();
  return `<symbol id="i-${name}" viewBox="0 0 24 24">${inner}</symbol>`;
}
