import { character } from './emoji.ts';
import { RESOLVED } from './messages.ts';

const blocks = new Set(['p', 'div', 'li', 'tr', 'pre', 'blockquote', 'br', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6']);
const voids = new Set(['br', 'hr', 'img']);
const entities: Record<string, string> = { lt: '<', gt: '>', quot: '"', amp: '&', nbsp: '\u00a0' };

function decode(text: string): string {
  return text.replace(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (all, decimal, hex, name) => {
    if (name) return entities[name] ?? all;
    const code = decimal ? parseInt(decimal, 10) : parseInt(hex, 16);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : all;
  });
}

/** replacement returns what is shown instead of an element with its content, if that is not its content. */
function replacement(
  tag: string,
  get: (name: string) => string,
  links: Set<string>,
  time: Format,
): string | undefined {
  const classes = get('class').split(' ');
  if (classes.includes('spoiler-content')) return '(…)';
  if (classes.includes('message_embed')) return '';
  if (tag === 'time') {
    const at = Date.parse(get('datetime'));
    return Number.isNaN(at) ? undefined : time(at / 1000);
  }
  if (classes.includes('emoji')) {
    const code = classes.find((c) => c.startsWith('emoji-'));
    return tag === 'img' ? get('alt') : (code && character(code.slice(6))) || undefined;
  }
  if (tag === 'img') return get('alt') || fileName(get('data-original-src'));
  if (tag === 'audio') return get('title') || fileName(get('src'));
  if (tag === 'a') links.add(get('href'));
  return undefined;
}

const fileName = (path: string) => path.slice(path.lastIndexOf('/') + 1);

type Format = (seconds: number) => string;

/**
 * plainText returns the start of a message as plain text, without the content of spoilers and the marks of resolved
 * topics. It reads the server's HTML,
 * in which all text is escaped, and the result is never inserted as HTML.
 */
export function plainText(html: string, length: number, time: Format): string {
  const links = new Set<string>();
  let out = '';
  let skipped = 0; // open elements within one that is not shown
  let within = ''; // the kind of that element
  for (const [all, slash, name, attributes] of html.matchAll(/<(\/?)([a-z]\w*)([^>]*)>|[^<]+/g)) {
    if (out.length > 4 * length) break;
    if (name === undefined) {
      if (skipped === 0 || within === 'annotation') out += decode(all);
      continue;
    }
    const isEmpty = voids.has(name) || attributes!.endsWith('/'); // such as <path/> in formulas
    const get = (key: string) => decode(new RegExp(` ${key}="([^"]*)"`).exec(attributes!)?.[1] ?? '');
    if (skipped > 0) {
      if (within === 'preview' && name === 'a' && !slash && !links.has(get('href')))
        out += get('title') || (get('href').startsWith('/') ? fileName(get('href')) : get('href'));
      if (within === 'katex' && name === 'annotation' && !slash) within = 'annotation';
      else if (within === 'annotation' && name === 'annotation') within = 'katex';
      if (!isEmpty) skipped += slash ? -1 : 1;
      continue;
    }
    if (blocks.has(name) && out && !out.endsWith('\n')) out += '\n';
    if (slash) continue;
    const classes = get('class').split(' ');
    const shown = replacement(name, get, links, time);
    if (shown !== undefined) out += shown;
    if (classes.includes('katex')) within = 'katex';
    else if (classes.includes('message_inline_image')) within = 'preview';
    else if (shown !== undefined) within = 'other';
    else continue;
    skipped = isEmpty ? 0 : 1;
  }
  return [
    ...out
      .replace(/\n{2,}/g, '\n')
      .replaceAll(`> ${RESOLVED}`, '> ')
      .trim(),
  ]
    .slice(0, length)
    .join('');
}
