// Loaded on demand: converts HTML from the clipboard to the Markdown of messages.
import { fromDom } from 'hast-util-from-dom';
import { toMdast, type Handle } from 'hast-util-to-mdast';
import { gfmToMarkdown } from 'mdast-util-gfm';
import { toMarkdown } from 'mdast-util-to-markdown';
import { codeBlock, spoilerBlock } from '../store/fences.ts';
import { RESOLVED } from '../store/messages.ts';

/** span copies an element whose attribute is Markdown already. */
const span: Handle = (state, node) => {
  const { dataMarkdown } = node.properties;
  if (dataMarkdown === undefined) return state.all(node);
  const result = { type: 'html' as const, value: String(dataMarkdown) };
  state.patch(node, result);
  return result;
};

/** markdown converts what a document contains. Messages of this client become what their authors wrote. */
export function markdown(doc: Document): string {
  return converted(doc.body).trim();
}

function converted(root: HTMLElement): string {
  for (const e of root.querySelectorAll('script, style, template, title, .code-tools, .katex-html')) e.remove();
  for (const e of root.querySelectorAll<HTMLElement>('.spoiler-block')) {
    if (root.contains(e)) replace(e, spoiler(e));
  }
  for (const e of root.querySelectorAll<HTMLElement>('.codehilite')) {
    replace(
      e,
      codeBlock(text(e.querySelector('pre')).replace(/\n$/, ''), (e.dataset.codeLanguage ?? '').toLowerCase()),
    );
  }
  for (const e of root.querySelectorAll<HTMLElement>('.katex-display')) replace(e, codeBlock(tex(e), 'math'));
  for (const e of root.querySelectorAll<HTMLElement>('.katex')) replace(e, `$$${tex(e)}$$`);
  for (const e of root.querySelectorAll<HTMLElement>('[data-user-id]')) {
    replace(e, `@${e.classList.contains('silent') ? '_' : ''}**${named(e)}**`);
  }
  for (const e of root.querySelectorAll<HTMLElement>('[data-user-group-id]')) {
    replace(e, `@${e.classList.contains('silent') ? '_' : ''}*${named(e)}*`);
  }
  for (const e of root.querySelectorAll('.resolved')) e.textContent = RESOLVED.trim();
  for (const e of root.querySelectorAll<HTMLElement>('a.stream, a.stream-topic')) {
    replace(e, `#**${text(e).replace(/^#/, '').replace(' > ', '>')}**`);
  }
  for (const e of root.querySelectorAll<HTMLElement>('.emoji')) {
    const name = e.getAttribute('alt') ?? e.title;
    replace(e, /^:[^:\s]+:$/.test(name) ? name : text(e));
  }
  for (const e of root.querySelectorAll<HTMLTimeElement>('time[datetime]')) replace(e, `<time:${e.dateTime}>`);
  const tree = toMdast(fromDom(root), { handlers: { span }, newlines: false });
  return toMarkdown(tree, {
    bullet: '-',
    emphasis: '*',
    fences: true,
    rule: '-',
    extensions: [gfmToMarkdown({ tablePipeAlign: false })],
  });
}

const text = (e: Element | null) => e?.textContent ?? '';
const named = (e: HTMLElement) => text(e).replace(/^@/, '');
const tex = (e: Element) => text(e.querySelector('annotation')).trim();

function spoiler(e: HTMLElement): string {
  const header = text(e.querySelector('.spoiler-header')).trim();
  const content = e.querySelector<HTMLElement>('.spoiler-content');
  return spoilerBlock(content ? converted(content).trim() : '', header);
}

function replace(e: HTMLElement, source: string): void {
  const element = e.ownerDocument.createElement('span');
  element.dataset.markdown = source;
  element.textContent = 'x'; // spaces around an empty element would be joined
  // A block must not become part of a paragraph.
  if (!source.includes('\n')) e.replaceWith(element);
  else {
    const block = e.ownerDocument.createElement('div');
    block.append(element);
    e.replaceWith(block);
  }
}
