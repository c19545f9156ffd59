// The views among which the reload oracle chooses. Nothing here depends on the language of the page, which changes.
import { go } from '../e2e/harness.mjs';

const icon = (name) => `button:has(> svg > use[href="#i-${name}"])`;
const item = (name) => `[role="menuitem"]:has(> svg > use[href="#i-${name}"])`;
const click = (page, selector) => page.locator(selector).first().click({ timeout: 2000 });

const sections = [
  ...['profile', 'joining', 'permissions', 'messages', 'defaults', 'people', 'invitations', 'domains', 'groups'],
  ...['channels', 'channel-folders', 'default-channels', 'emoji', 'linkifiers', 'playgrounds', 'profile-fields'],
  ...['bots', 'reports', 'exports'],
];
const settings = ['profile', 'display', 'notifications', 'alerts', 'password'];
const topics = ['a', 'b', 'c', 'd', 'A', 'B', '', '✔ a'];

/** chosen opens a menu and selects one of its entries. */
const chosen = (menu, entry) => async (page) => {
  await click(page, menu);
  await click(page, item(entry));
};

const mine = `.app > nav > header ${icon('chevron-down')}`;
const header = `main header ${icon('ellipsis-vertical')}`;

/**
 * kinds returns functions that choose a view of each kind, for a user and the objects that steps have changed. A view
 * has a name, an address, and optionally an action that opens a dialog.
 */
const kinds = [
  () => ({ name: 'inbox', hash: '#inbox' }),
  () => ({ name: 'recent', hash: '#recent' }),
  () => ({ name: 'feed', hash: '#feed' }),
  () => ({ name: 'mentions', hash: '#narrow/is/mentioned' }),
  () => ({ name: 'starred', hash: '#narrow/is/starred' }),
  () => ({ name: 'all direct', hash: '#narrow/is/dm' }),
  () => ({ name: 'drafts', hash: '#drafts' }),
  () => ({ name: 'scheduled', hash: '#scheduled' }),
  () => ({ name: 'channels', hash: '#channels/all' }),
  () => ({ name: 'groups', hash: '#groups' }),
  (w, one) => ({ name: 'channel', hash: `#narrow/channel/${one(w.channels)}` }),
  topic,
  topic,
  (w, one) => ({ name: 'direct', hash: `#narrow/dm/${one(w.users)}` }),
  (w, one) => ({ name: 'group conversation', hash: `#narrow/dm/${one(w.users)},${one(w.users)}` }),
  (w, one) => section('settings', one(settings)),
  (w, one) => section('organization', one(sections)),
  (w, one) => section('organization', one(sections)),
  (w, one) => section('organization', one(sections)),
  (w, one) => section('organization', `people/${one(w.users)}`),
  (w, one) => section('organization', `channels/${one(w.channels)}`),
  (w, one) => (w.groups?.length ? section('organization', `groups/${one(w.groups)}`) : kinds[0]()),
  (w, one) => (w.bots?.length ? section('organization', `bots/${one(w.bots)}`) : kinds[0]()),
  () => ({ name: 'jump dialog', hash: '#recent', open: (page) => page.keyboard.press('Control+k') }),
  () => ({ name: 'invite dialog', hash: '#recent', open: chosen(mine, 'user-plus') }),
  () => ({ name: 'status dialog', hash: '#recent', open: chosen(mine, 'smile') }),
  () => ({ name: 'new channel dialog', hash: '#channels/all', open: (page) => click(page, 'main .bar button') }),
  () => ({ name: 'new group dialog', hash: '#groups', open: (page) => click(page, 'main .bar button') }),
  () => ({ name: 'group dialog', hash: '#groups', open: ofGroup }),
  (w, one) => ({
    name: 'channel dialog',
    hash: `#narrow/channel/${one(w.channels)}`,
    open: chosen(header, 'settings'),
  }),
  (w, one) => ({ ...topic(w, one), name: 'person dialog', open: ofSender }),
];

function topic(w, one) {
  return {
    name: 'topic',
    hash: `#narrow/channel/${one(w.channels)}/topic/${encodeURIComponent(one(topics)).replaceAll('%', '.')}`,
  };
}

/** ofGroup opens the dialog of the first group, or of the one with the given name, and returns its name. */
async function ofGroup(page, known) {
  const group = known ?? (await page.locator('main li strong').first().innerText({ timeout: 2000 }));
  const row = page.locator('main li', { has: page.getByText(group, { exact: true }) });
  await row.locator('button').first().click({ timeout: 2000 });
  return group;
}

/** ofSender opens the dialog of the first message's sender, or of that of the given one, and returns the message. */
async function ofSender(page, known) {
  const first = page.locator('article:has(.name)').first();
  const message = known ?? (await first.getAttribute('data-message', { timeout: 2000 }));
  await page.locator(`article[data-message="${message}"] .name`).click({ timeout: 2000 });
  return message;
}

const section = (place, id) => ({ name: `${place} ${id.replace(/\d+/, 'ID')}`, hash: `#${place}/${id}` });

/** view chooses a view. */
export const view = (w, one) => one(kinds)(w, one);

/** close closes the dialogs and menus of a page, and leaves nothing under the pointer or focused. */
export async function close(page) {
  await page.mouse.move(0, 0);
  await page.evaluate(() => {
    for (const p of document.querySelectorAll('[popover]')) p.hidePopover();
    for (const d of document.querySelectorAll('dialog[open]'))
      d.dispatchEvent(new Event('cancel', { cancelable: true }));
    setTimeout(() => document.activeElement?.blur()); // a closed dialog returns the focus
  });
}

/** show leads an open page to a view. It returns what opened returns. */
export async function show(page, { hash, open }) {
  await go(page, hash);
  return opened(page, open);
}

/**
 * opened performs the action of a view, which may open the dialog of a known object. It returns which one it has
 * opened, true if there is only one, and false if the user cannot open it.
 */
export async function opened(page, open, known) {
  if (!open) return true;
  try {
    const what = await open(page, known);
    await page.locator('dialog[open]').waitFor({ timeout: 2000 });
    return what ?? true;
  } catch {
    await close(page);
    return false;
  }
}
