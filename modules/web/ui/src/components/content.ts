import { untrack } from 'svelte';
import { store } from '../client.ts';
import { text } from '../texts/index.ts';
import { character } from '../store/emoji.ts';
import { RESOLVED } from '../store/messages.ts';
import { playgroundsFor, playgroundURL } from '../store/playgrounds.ts';
import { copyText } from '../shell/clipboard.ts';
import { emojiName } from '../format/emojiname.svelte.ts';
import { fullTime } from '../format/dates.ts';
import type { IconName } from '../design/icons.ts';
import { policy } from './trusted.ts';

/**
 * rendered returns an attachment that shows the server's HTML in an element. The client inserts HTML only here, and
 * only what the server has rendered.
 */
export function rendered(html: string): (element: HTMLElement) => void {
  return (element) => {
    element.innerHTML = policy.createHTML(html);
    untrack(() => decorate(element));
  };
}

/** current returns an attachment that keeps names, times and tools in content shown by rendered up to date. */
export function current(html: string): (element: HTMLElement) => void {
  return (element) => {
    update(element);
    // Thumbnails, too, but whoever sees pictures soon sees other files.
    if (html.includes('="/user_uploads/')) showFiles(element);
  };
}

let cards: typeof import('./filecards.ts') | undefined;

/** loadFileCards loads the cards of uploaded files, which most views do not contain. Without them, they are links. */
export const loadFileCards = async () => (cards ??= await import('./filecards.ts'));

function showFiles(root: HTMLElement): void {
  void text.image; // cards contain texts
  if (cards) cards.showFiles(root);
  else
    loadFileCards().then(
      () => cards?.showFiles(root),
      () => undefined,
    );
}

function update(root: HTMLElement): void {
  for (const e of root.querySelectorAll<HTMLTimeElement>('time[datetime]')) showTime(e);
  for (const e of root.querySelectorAll<HTMLElement>('.code-tools')) showTools(e);
  for (const e of root.querySelectorAll<HTMLElement>('[data-user-id], [data-user-group-id]')) markMention(e);
  for (const e of root.querySelectorAll<HTMLElement>('a.stream[data-stream-id]')) nameChannel(e);
  for (const e of root.querySelectorAll('.resolved svg')) e.ariaLabel = text.markResolved;
  for (const e of root.querySelectorAll<HTMLElement>('.spoiler-default')) {
    e.textContent = text.spoiler;
    const button = e.parentElement?.querySelector('button');
    if (button) button.ariaLabel = text.spoiler;
  }
  for (const e of root.querySelectorAll<HTMLImageElement>('img.unnamed')) e.alt = text.image;
  for (const e of root.querySelectorAll<HTMLElement>('span.emoji[role]')) nameEmoji(e);
}

/** loadMathStyles loads the styles of formulas, which most pages do not contain. Without them, formulas are plain. */
export const loadMathStyles = () => import('katex/dist/katex.min.css').catch(() => undefined);

/** RIGHT_TO_LEFT matches text whose first letter is written from right to left. */
const RIGHT_TO_LEFT = /^\P{L}*[\u0591-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/u;

function decorate(root: HTMLElement): void {
  if (RIGHT_TO_LEFT.test(root.textContent ?? '')) root.classList.add('rtl');
  if (root.querySelector('.katex')) void loadMathStyles();
  for (const e of root.children) if (e instanceof HTMLElement && !e.dir) e.dir = 'auto';
  for (const e of root.querySelectorAll<HTMLElement>('span.emoji')) showEmoji(e);
  if (/\p{Emoji_Modifier}/u.test(root.textContent ?? '')) showToned(root);
  for (const e of root.querySelectorAll<HTMLElement>('.codehilite')) addTools(e);
  for (const e of root.querySelectorAll<HTMLElement>('.spoiler-block')) foldSpoiler(e);
  for (const e of root.querySelectorAll('a.stream-topic, a.message-link')) markResolved(e);
  for (const e of root.querySelectorAll<HTMLAnchorElement>('a[href]')) prepareLink(e);
  for (const e of root.querySelectorAll<HTMLImageElement>('img[data-original-dimensions]')) reserve(e);
  for (const e of root.querySelectorAll<HTMLMediaElement>('video, audio')) {
    e.controls = true;
    e.preload = 'metadata';
    const link = e.closest('a'); // it would capture clicks on the controls
    if (!link) continue;
    e.title = link.title;
    e.ariaLabel = link.title || link.href;
    link.replaceWith(e);
    if (link.getAttribute('href')!.startsWith('/')) continue; // uploads have cards
    e.onerror = () => {
      link.textContent = e.ariaLabel;
      e.replaceWith(link);
    };
  }
  for (const e of root.querySelectorAll<HTMLImageElement>('img')) {
    e.loading = 'lazy';
    if (e.hasAttribute('alt')) continue;
    e.alt = e.closest('a')?.title ?? '';
    e.classList.toggle('unnamed', e.alt === '');
  }
  for (const e of root.querySelectorAll<HTMLElement>('img.inline-image')) actAsButton(e);
  const only =
    root.childElementCount === 1 && root.firstElementChild?.tagName === 'P' ? root.firstElementChild : undefined;
  const children = [...(only?.childNodes ?? [])];
  root.classList.toggle(
    'only-emoji',
    children.length > 0 &&
      children.length < 12 &&
      children.every(
        (n) => (n instanceof HTMLElement && n.classList.contains('emoji')) || n.textContent?.trim() === '',
      ),
  );
}

const emojiCode = (e: HTMLElement) => [...e.classList].find((c) => c.startsWith('emoji-'))?.slice(6) ?? '';

function showEmoji(e: HTMLElement): void {
  const shown = character(emojiCode(e));
  if (!shown) return;
  e.title = e.textContent ?? '';
  e.textContent = shown;
}

/** tonedEmoji matches a person, or several joined ones, of whom at least the first has a skin tone. */
const tonedEmoji =
  /(\p{Emoji_Modifier_Base}\p{Emoji_Modifier}(?:\u200d\p{Extended_Pictographic}\ufe0f?\p{Emoji_Modifier}?)*)/u;

/** showToned marks emoji with skin tones, which the server leaves as text. */
function showToned(root: HTMLElement): void {
  const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const nodes: ChildNode[] = [];
  while (texts.nextNode()) nodes.push(texts.currentNode as ChildNode);
  for (const node of nodes) {
    const parts = node.textContent!.split(tonedEmoji);
    if (parts.length === 1) continue;
    const marked = parts.map((part, i) => {
      if (i % 2 === 0) return part;
      const span = document.createElement('span');
      span.className = 'emoji';
      span.textContent = part;
      return span;
    });
    node.replaceWith(...marked);
  }
}

/** nameEmoji names an emoji in the reader's language. The title stays what one types. */
function nameEmoji(e: HTMLElement): void {
  const emoji_name = e.title.replaceAll(':', '');
  e.ariaLabel = emojiName({ emoji_name, emoji_code: emojiCode(e), reaction_type: 'unicode_emoji' });
}

function showTime(e: HTMLTimeElement): void {
  const at = Date.parse(e.dateTime);
  if (Number.isNaN(at)) return;
  e.title = e.dateTime;
  e.textContent = fullTime(at / 1000);
}

export function icon(name: IconName): SVGElement {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.ariaHidden = 'true';
  const use = document.createElementNS(svg.namespaceURI, 'use');
  use.setAttribute('href', `#i-${name}`);
  svg.append(use);
  return svg;
}

/** addTools adds a place for tools to a code block. */
function addTools(e: HTMLElement): void {
  const tools = document.createElement('div');
  tools.className = 'code-tools';
  e.append(tools);
}

/** showTools shows a copy button and links to the language's playgrounds. */
function showTools(tools: HTMLElement): void {
  const block = tools.parentElement!;
  const code = block.querySelector('code')?.textContent ?? '';
  const links = playgroundsFor(store.realm.playgrounds, block.dataset.codeLanguage).map((p) => {
    const link = document.createElement('a');
    link.href = playgroundURL(p.url_template, code);
    link.textContent = text.openIn(p.name);
    prepareLink(link);
    return link;
  });
  const button = document.createElement('button');
  button.type = 'button';
  button.ariaLabel = button.title = text.copy;
  button.append(icon('copy'));
  button.onclick = () => void copyText(code);
  tools.replaceChildren(...links, button);
}

function foldSpoiler(block: HTMLElement): void {
  const header = block.querySelector<HTMLElement>(':scope > .spoiler-header');
  const content = block.querySelector<HTMLElement>(':scope > .spoiler-content');
  if (!header || !content) return;
  if (!header.textContent?.trim()) {
    const name = document.createElement('span');
    name.className = 'spoiler-default';
    name.textContent = text.spoiler;
    header.append(name);
  }
  // The header can contain links, so the button is placed beside its text.
  const button = document.createElement('button');
  button.type = 'button';
  button.ariaLabel = header.textContent?.trim() ?? '';
  header.prepend(button);
  const set = (open: boolean) => {
    content.hidden = !open;
    content.setAttribute('aria-hidden', String(!open));
    button.ariaExpanded = String(open);
  };
  set(false);
  header.onclick = (e) => {
    if (!(e.target as Element).closest('a')) set(content.hidden);
  };
}

function prepareLink(a: HTMLAnchorElement): void {
  const href = a.getAttribute('href')!;
  if (href.startsWith('#') || href.startsWith('/#')) {
    a.setAttribute('href', href.replace(/^\//, ''));
    return;
  }
  a.target = '_blank';
  a.rel = 'noopener noreferrer';
}

function markMention(e: HTMLElement): void {
  const user = e.dataset.userId;
  const group = e.dataset.userGroupId;
  const silent = e.classList.contains('silent');
  const me =
    user === '*' ||
    (user !== undefined && Number(user) === store.me) ||
    (group !== undefined && store.users.inGroup(Number(group), store.me));
  e.classList.toggle('mention-me', me);
  const named = group === undefined ? undefined : store.users.groups.get(Number(group));
  if (named && !named.is_system_group) e.textContent = silent ? named.name : text.mentionOf(named.name);
  if (user !== undefined && user !== '*') {
    const name = store.users.get(Number(user))?.full_name;
    if (name) e.textContent = silent ? name : text.mentionOf(name);
    actAsButton(e);
  }
}

function actAsButton(e: HTMLElement): void {
  e.tabIndex = 0;
  e.role = 'button';
}

/** nameChannel shows the current name of a linked channel. */
function nameChannel(e: HTMLElement): void {
  const channel = store.channels.get(Number(e.dataset.streamId));
  if (channel) e.textContent = `#${channel.name}`;
}

/** markResolved shows the mark of a resolved topic in a link as an icon, as it is shown beside other names. */
function markResolved(link: Element): void {
  for (const node of [...link.childNodes]) {
    const name = node.nodeType === Node.TEXT_NODE ? node.textContent! : '';
    const at = name.indexOf(`> ${RESOLVED}`) + 2;
    if (at < 2) continue;
    const mark = document.createElement('span');
    mark.className = 'resolved';
    mark.append(icon('check'));
    mark.firstElementChild!.role = 'img';
    mark.firstElementChild!.ariaHidden = null;
    node.replaceWith(name.slice(0, at), mark, name.slice(at + RESOLVED.length - 1));
  }
}

/** reserve sets an image's size before it loads, to prevent layout shifts. */
function reserve(img: HTMLImageElement): void {
  const size = /^(\d+)x(\d+)$/.exec(img.dataset.originalDimensions ?? '');
  if (!size || img.classList.contains('image-loading-placeholder')) return;
  img.width = Number(size[1]);
  img.height = Number(size[2]);
  img.style.aspectRatio = `${size[1]} / ${size[2]}`;
}
