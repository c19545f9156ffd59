import { parsed } from '../components/trusted.ts';

/** Content larger than this is pasted as plain text. */
const MAX_CHARACTERS = 300_000;
const MAX_ELEMENTS = 5000;

/** FORMATS matches elements that plain text would lose. */
const FORMATS =
  'a[href], strong, b, em, i, del, s, code, pre, ul, ol, table, blockquote, h1, h2, h3, h4, h5, h6, ' +
  '[data-user-id], [data-user-group-id], .emoji, .spoiler-block, .katex';

/** formatted returns the document of pasted HTML if it has formatting worth keeping. */
export function formatted(data: DataTransfer): Document | undefined {
  const html = data.getData('text/html');
  // Editors of source code add colours to what is meant as plain text.
  if (html === '' || html.length > MAX_CHARACTERS || data.types.includes('vscode-editor-data')) return undefined;
  const doc = parsed(html);
  if (doc.body.querySelectorAll('*').length > MAX_ELEMENTS) return undefined;
  const only = doc.body.childElementCount === 1 ? doc.body.firstElementChild : null;
  if (only?.tagName === 'PRE' && !only.querySelector('code')) return undefined;
  for (const e of doc.body.querySelectorAll<HTMLElement>('b')) {
    if (e.style.fontWeight === 'normal') e.replaceWith(...e.childNodes); // the frame of Google Docs
  }
  return doc.body.querySelector(FORMATS) ? doc : undefined;
}
