// Loaded on demand: shows the uploaded files of a message as cards, and plays recordings and videos in place. The cards
// exist only on the page: the server sends links, recordings and previews.
import { store } from '../client.ts';
import { fileIcon, fileSize, fileType, nameOf, playerType } from '../format/files.ts';
import { media } from '../texts/media.ts';
import { icon } from './content.ts';
import './filecards.css';
import { whenSized, type Size } from './filesizes.ts';
import { withDuration } from './playback.ts';

const PREFIX = '/user_uploads/';

/** textual matches what keeps its links: a card would take it apart. */
const textual = '.file-card, .message_inline_image, .spoiler-header, blockquote, table';

/** voice matches the names of voice messages. */
const voice = /^voice-[\d-]+\.\w+$/;

/**
 * showFiles shows one card for each uploaded file of a message, and updates the texts of those that it has made. A
 * link in a line of its own becomes the card, and the caption of a preview replaces it. A link within a sentence stays,
 * and the card follows its paragraph.
 */
export function showFiles(root: HTMLElement): void {
  if (root.closest('.description')) return; // which may have a single line
  const shown = new Set([...root.querySelectorAll<HTMLElement>('.file-card')].map((c) => c.dataset.url));
  for (const preview of root.querySelectorAll<HTMLElement>('.message_inline_image')) addCaption(root, preview);
  for (const player of root.querySelectorAll<HTMLAudioElement>(`audio[src^="${PREFIX}"]`)) {
    if (player.closest('.file-card')) continue;
    const url = player.getAttribute('src')!;
    const card = newCard(url, player.title || nameOf(url));
    player.replaceWith(card);
    endLine(card);
    addPlayer(card, player);
  }
  for (const card of root.querySelectorAll<HTMLElement>('.file-card')) shown.add(card.dataset.url);
  for (const link of linksIn(root)) {
    const url = link.getAttribute('href')!;
    if (shown.has(url) || link.closest(textual)) continue;
    shown.add(url);
    addCard(root, link, url);
  }
  for (const card of root.querySelectorAll<HTMLElement>('.file-card')) describe(card);
}

const linksIn = (root: HTMLElement) => root.querySelectorAll<HTMLAnchorElement>(`a[href^="${PREFIX}"]`);

/** addCaption adds the card of a file to its preview. Lines that only link to the file would say the same. */
function addCaption(root: HTMLElement, preview: HTMLElement): void {
  const link = preview.querySelector('a');
  const player = preview.querySelector('video');
  const url = link?.getAttribute('href') ?? player?.getAttribute('src');
  if (!url?.startsWith(PREFIX) || preview.querySelector('.file-card')) return;
  const name = (link ?? player)?.title || nameOf(url);
  // The picture itself is a link.
  preview.append(newCard(url, name, player !== null));
  for (const other of linksIn(root)) {
    if (other.getAttribute('href') === url && !other.closest(textual) && isAlone(other)) removeLine(other);
  }
  if (!player) return;
  player.ariaLabel = name;
  orRemove(player);
}

/** addCard adds the card of a link without a preview. */
function addCard(root: HTMLElement, link: HTMLAnchorElement, url: string): void {
  const card = newCard(url, link.childNodes);
  if (isAlone(link)) {
    link.replaceWith(card);
    endLine(card);
  } else {
    const block = link.closest('p, li, h1, h2, h3, h4, h5, h6');
    let last = block && root.contains(block) ? block : link;
    while (last.nextElementSibling?.matches('.file-card, .message_inline_image')) last = last.nextElementSibling;
    if (last.matches('li')) last.append(card);
    else last.after(card);
  }
  const type = playerType(nameOf(url));
  if (!type) return;
  const player = document.createElement(type.startsWith('video') ? 'video' : 'audio');
  if (player instanceof HTMLVideoElement && !store.realm.flag('realm_inline_image_preview')) return;
  if (player.canPlayType(type) === '') return;
  player.src = url;
  addPlayer(card, player);
}

/** addPlayer lets a card play its file, if the browser can. */
function addPlayer(card: HTMLElement, player: HTMLMediaElement): void {
  withDuration(player);
  player.controls = true;
  player.preload = 'metadata';
  player.removeAttribute('title');
  card.append(player);
  orRemove(player);
}

/** orRemove removes a player of a file that the browser cannot play. The card remains. */
function orRemove(player: HTMLMediaElement): void {
  const failed = () => {
    if (navigator.onLine) player.remove();
  };
  if (player.error) failed();
  else player.addEventListener('error', failed);
}

/** isClear reports whether nothing but other files is before or after a node in its line. */
function isClear(from: Node, way: 'previousSibling' | 'nextSibling'): boolean {
  for (let n = from[way]; n; n = n[way]) {
    if (n instanceof HTMLBRElement) return true;
    const file = n instanceof HTMLElement && n.matches(`.file-card, a[href^="${PREFIX}"]`);
    if (!file && n.textContent?.trim() !== '') return false;
    if (!file && n instanceof HTMLElement) return n.matches('.message_inline_image');
  }
  return true;
}

/** isAlone reports whether there is nothing but files in the line of a link. */
function isAlone(link: HTMLElement): boolean {
  return (
    link.parentElement?.matches('p, li') === true && isClear(link, 'previousSibling') && isClear(link, 'nextSibling')
  );
}

/** endLine removes the line break after a card, which is a block. */
function endLine(card: HTMLElement): void {
  let next = card.nextSibling;
  while (next instanceof Text && next.data.trim() === '') next = next.nextSibling;
  if (next instanceof HTMLBRElement) next.remove();
}

/** removeLine removes a link, and its line and paragraph if nothing else is in them. */
function removeLine(link: HTMLElement): void {
  const parent = link.parentElement!;
  const before = link.previousSibling;
  endLine(link);
  if (!link.nextSibling && before instanceof HTMLBRElement) before.remove();
  link.remove();
  if (parent.matches('p') && parent.textContent?.trim() === '' && !parent.querySelector(':not(br)')) parent.remove();
}

/** newCard returns a card with the name of a file. It is a link if nothing else opens the file. */
function newCard(url: string, name: string | Iterable<Node>, isLink = true): HTMLElement {
  const card = document.createElement('span');
  card.className = 'file-card';
  card.dataset.url = url;
  const about = document.createElement('span');
  const title = document.createElement('bdi');
  title.className = 'file-name';
  title.append(...(typeof name === 'string' ? [name] : [...name].map((n) => n.cloneNode(true))));
  about.append(title, ' ', document.createElement('small'));
  const open = isLink ? linkTo(url) : document.createElement('span');
  open.className = 'file';
  open.append(icon(fileIcon(nameOf(url))), about);
  const download = linkTo(url.replace(PREFIX, `${PREFIX}download/`));
  download.className = 'download';
  download.append(icon('download'));
  card.append(open, download);
  return card;
}

function linkTo(url: string): HTMLAnchorElement {
  const link = document.createElement('a');
  link.href = url;
  link.target = '_blank';
  link.rel = 'noopener noreferrer';
  return link;
}

/** describe updates the texts of a card, and shows the file's size once the card has been on the screen. */
function describe(card: HTMLElement): void {
  const url = card.dataset.url!;
  const [file, title] = [nameOf(url), card.querySelector('.file-name')!];
  const player = card.querySelector('video, audio');
  if (player instanceof HTMLAudioElement && voice.test(file)) {
    title.textContent = media.voiceMessage;
    card.querySelector('use')?.setAttribute('href', '#i-mic');
  }
  const name = title.textContent ?? '';
  if (player) player.ariaLabel = name;
  const download = card.querySelector<HTMLElement>('.download')!;
  download.ariaLabel = download.title = media.download(name);
  const detail = card.querySelector('small')!;
  const show = (size?: Size) => {
    const shown = size === 'gone' ? media.gone : size === undefined ? '' : fileSize(size);
    const parts = [fileType(file), shown].filter(Boolean).map((part) => {
      const isolated = document.createElement('bdi');
      isolated.textContent = part;
      return isolated;
    });
    detail.replaceChildren(...parts.flatMap((part, i) => (i > 0 ? [' · ', part] : [part])));
  };
  show();
  // Cards are part of the page, whose direction they have. So have the lines that consist of cards.
  card.dir = document.documentElement.dir;
  const line = card.parentElement!;
  const isCard = (n: Node) => n instanceof HTMLElement && n.matches('.file-card');
  const isCards = line.matches('p') && [...line.childNodes].every((n) => isCard(n) || n.textContent?.trim() === '');
  if (isCards || line.matches('.message_inline_image')) line.dir = card.dir;
  if (!store.spectator) whenSized(card, url, show); // each request of a spectator counts as a download
}

/** Only one recording or video plays at a time. */
document.addEventListener(
  'play',
  (e) => {
    for (const player of document.querySelectorAll<HTMLMediaElement>('video, audio')) {
      if (player !== e.target) player.pause();
    }
  },
  true,
);
