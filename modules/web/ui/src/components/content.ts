import { untrack } from 'svelte';
import { store } from '../client.ts';
import { text } from '../texts/index.ts';
import { character } from '../store/emoji.ts';
import { playgroundsFor, playgroundURL } from '../store/playgrounds.ts';
import { copyText } from '../sidebar/menus.ts';
import { fullTime } from '../format/dates.ts';
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

function decorate(root: HTMLElement): void {
  for (const e of root.children) if (e instanceof HTMLElement && !e.dir) e.dir = 'auto';
  for (const e of root.querySelectorAll<HTMLElement>('span.emoji')) showEmoji(e);
  for (const e of root.querySelectorAll<HTMLTimeElement>('time[datetime]')) showTime(e);
  for (const e of root.querySelectorAll<HTMLElement>('.codehilite')) addTools(e);
  for (const e of root.querySelectorAll<HTMLElement>('.spoiler-block')) foldSpoiler(e);
  for (const e of root.querySelectorAll<HTMLAnchorElement>('a[href]')) prepareLink(e);
  for (const e of root.querySelectorAll<HTMLElement>('[data-user-id], [data-user-group-id]')) markMention(e);
  for (const e of root.querySelectorAll<HTMLImageElement>('img[data-original-dimensions]')) reserve(e);
  for (const e of root.querySelectorAll<HTMLMediaElement>('video, audio')) {
    e.controls = true;
    e.preload = 'metadata';
    e.closest('a')?.replaceWith(e); // otherwise the link captures clicks on the controls
  }
  for (const e of root.querySelectorAll<HTMLImageElement>('img')) {
    e.loading = 'lazy';
    if (!e.hasAttribute('alt')) e.alt = e.closest('a')?.title || text.image;
  }
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

function showEmoji(e: HTMLElement): void {
  const code = [...e.classList].find((c) => c.startsWith('emoji-'))?.slice(6);
  const shown = code ? character(code) : '';
  if (!shown) return;
  e.title = e.textContent ?? '';
  e.textContent = shown;
}

function showTime(e: HTMLTimeElement): void {
  const at = Date.parse(e.dateTime);
  if (Number.isNaN(at)) return;
  e.title = e.dateTime;
  e.textContent = fullTime(at / 1000);
}

/** addTools adds a copy button and links to the language's playgrounds to a code block. */
function addTools(e: HTMLElement): void {
  const code = e.querySelector('code')?.textContent ?? '';
  const tools = document.createElement('div');
  tools.className = 'code-tools';
  for (const p of playgroundsFor(store.realm.playgrounds, e.dataset.codeLanguage)) {
    const link = document.createElement('a');
    link.href = playgroundURL(p.url_template, code);
    link.textContent = text.openIn(p.name);
    tools.append(link);
  }
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = text.copy;
  button.onclick = () => void copyText(code);
  tools.append(button);
  e.append(tools);
}

function foldSpoiler(block: HTMLElement): void {
  const header = block.querySelector<HTMLElement>(':scope > .spoiler-header');
  const content = block.querySelector<HTMLElement>(':scope > .spoiler-content');
  if (!header || !content) return;
  if (!header.textContent?.trim()) header.append(text.spoiler);
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
  const me =
    user === '*' ||
    (user !== undefined && Number(user) === store.me) ||
    (group !== undefined && store.users.inGroup(Number(group), store.me));
  if (me) e.classList.add('mention-me');
  if (user !== undefined && user !== '*') {
    const name = store.users.get(Number(user))?.full_name;
    if (name) e.textContent = e.classList.contains('silent') ? name : text.mentionOf(name);
    e.tabIndex = 0;
    e.role = 'button';
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
