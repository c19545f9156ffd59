// A day's tasks with the keyboard alone, as a screen reader tells of them: after each step, the focus is on something
// that says what it is, and what else has changed is announced. day.txt beside this file contains all of it. UPDATE=1
// rewrites it.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { call, eventually, Harness, password, row } from '../e2e/harness.mjs';
import { picture } from '../e2e/picture.mjs';

const harness = new Harness();
const day = fileURLToPath(new URL('day.txt', import.meta.url));
const recorded = [];
/** everything is what was announced. Some of it comes late, so that only the awaited announcements belong to a step. */
const everything = [];
let page;
let hamlet;
let chooser;

before(async () => {
  await harness.start();
  hamlet = await harness.open('hamlet@zulip.com');
  harness.server.setPassword('iago@zulip.com');
  const context = await harness.browser.newContext({
    viewport: { width: 1300, height: 850 },
    locale: 'en-GB',
    reducedMotion: 'reduce',
  });
  await context.addInitScript(listen);
  page = await harness.tab(context);
  page.on('filechooser', (opened) => (chooser = opened));
});

after(() => harness.stop());

/** listen runs in the page and keeps what live regions announce. */
function listen() {
  const regions = '[aria-live], [role=status], [role=alert], [role=log]';
  globalThis.heard = [];
  const hear = (text) => {
    const said = (text ?? '').replace(/\s+/g, ' ').trim();
    if (/^This is the beginning/.test(said)) return; // said early or late, with the older messages
    if (said && globalThis.heard.at(-1) !== said) globalThis.heard.push(said);
  };
  const spoken = (node) => (node.nodeType === Node.TEXT_NODE ? node.data : node.innerText);
  new MutationObserver((records) => {
    for (const r of records) {
      const within = (r.target instanceof Element ? r.target : r.target.parentElement)?.closest(regions);
      if (within && r.type === 'characterData') hear(r.target.data);
      for (const node of r.addedNodes) {
        if (within) hear(spoken(node));
        else if (node instanceof Element)
          for (const e of [node, ...node.querySelectorAll('*')]) if (e.matches('[role=alert]')) hear(e.innerText);
      }
    }
  }).observe(document, { subtree: true, childList: true, characterData: true });
}

/** plain replaces what differs from run to run. */
const plain = (text) =>
  text
    .replace(/127\.0\.0\.1:\d+/g, 'HOST')
    .replace(/\d{1,2}:\d{2}/g, 'TIME')
    .replace(/near\/\d+/g, 'near/ID')
    .replace(/(user_uploads\/\d+\/)[\w/-]+\//g, '$1…/');

/** focus returns what a screen reader says of the focused element. */
async function focus() {
  assert.ok(await page.evaluate(() => document.activeElement !== document.body), 'the focus is lost');
  const tree = await page.locator(':focus').ariaSnapshot();
  return plain(tree.split('\n')[0].replace(/^- /, '').replace(/:$/, ''));
}

/**
 * told waits until the focus and the announcements since the last step match, and records them, and the accessibility
 * tree of a part of the page.
 */
async function told(step, at, announced, part) {
  await eventually(async () => at.test(await focus().catch(() => ''))).catch(async () =>
    assert.fail(`${step}: the focus is at ${await focus()}`),
  );
  const heard = () => page.evaluate(() => globalThis.heard);
  if (announced)
    await eventually(async () => (await heard()).some((text) => announced.test(text))).catch(async () =>
      assert.fail(`${step}: heard ${JSON.stringify(await heard())}`),
    );
  const now = await page.evaluate(() => globalThis.heard.splice(0)); // nothing is lost between reading and forgetting
  const said = announced ? `says “${plain(now.find((text) => announced.test(text)))}”\n` : '';
  everything.push(...now.map(plain));
  const tree = part ? `${plain(await lasting(page.locator(part).first()))}\n` : '';
  recorded.push(`## ${step}\n\nfocus ${await focus()}\n${said}${tree && `\n${tree}`}`);
}

/** lasting returns the accessibility tree of an element without messages that disappear by themselves. */
async function lasting(element) {
  const show = (shown) =>
    page.evaluate((shown) => {
      for (const e of document.querySelectorAll('.toasts, [aria-live].visually-hidden')) e.hidden = !shown;
    }, shown);
  await show(false);
  const tree = await element.ariaSnapshot();
  await show(true);
  return tree;
}

const press = async (...keys) => {
  for (const key of keys) await page.keyboard.press(key);
};
const type = (text) => page.keyboard.type(text);

/** reach presses a key until the focus is at what matches. */
async function reach(what, key = 'Tab', most = 60) {
  for (let i = 0; i < most; i++) {
    await press(key);
    if (what.test(await focus().catch(() => ''))) return;
  }
  assert.fail(`${key} does not lead to ${what}, but to ${await focus()}`);
}

const write = (topic, content) => call(hamlet, 'POST', '/messages', { type: 'channel', to: '4', topic, content });
const tree = (name) => page.getByRole('dialog', { name });

test('a day with the keyboard alone', async () => {
  await page.goto(`${harness.server.url}/login/`);
  await reach(/textbox "Email address"/);
  await type('iago@zulip.com');
  await reach(/textbox "Password"/);
  await type(password);
  await press('Enter');
  await page.getByRole('heading', { name: 'Inbox' }).waitFor();
  await reach(/button "Skip to the content"/);
  await press('Enter');
  await told('after logging in, skipping to the content', /main/, undefined);

  await reach(/button "Mark all as read"/);
  await press('Enter');
  await told('marking everything as read', /./, /marked as read/);

  await write('arrivals', 'The ship has come in');
  await write('arrivals', 'Two more follow');
  await page
    .getByRole('main')
    .getByRole('link', { name: /^arrivals/ })
    .waitFor();
  await page.evaluate(() => globalThis.heard.splice(0));
  await reach(/link "arrivals/);
  await told('the inbox', /link "arrivals/, undefined, 'main .scroll');
  await press('n');
  await page.getByRole('heading', { level: 1 }).filter({ hasText: 'arrivals' }).waitFor();
  await told('n: the next unread topic', /Messages/, /#Venice › arrivals/, 'main');
  await press('j');
  await told('j: a message', /article "/);
  await press('k');
  await told('k: the message before', /article "/);

  await press('r');
  await told('r: reply', /combobox "Message arrivals"/);
  await type('Well done');
  await press('Control+Enter');
  await told('Ctrl+Enter: send', /combobox "Message arrivals"/, /^Sent$/);
  await write('arrivals', 'Thank you');
  await told('an answer arrives', /combobox "Message arrivals"/, /King Hamlet: Thank you/);

  await press('Escape', 'Shift+S');
  await told('Shift+S: the channel', /Messages/, /^Venice$/);
  await press('c');
  await told('c: a new topic', /(textbox|combobox) "Topic"/);
  await type('cargo');
  await press('Enter');
  await told('Enter: the text', /combobox "Message|combobox "Write a message/);
  await type('Forty barrels');
  await press('Control+Enter');
  await page.getByRole('heading', { level: 1, name: 'cargo' }).waitFor();
  await told('Ctrl+Enter: send, and open the topic', /combobox "Message cargo"/, /^Sent$/);

  await press('Escape', 'x');
  await told('x: a direct message', /combobox "Add/);
  await type('hamlet');
  await page
    .getByRole('option', { name: /Hamlet/ })
    .first()
    .waitFor();
  await told('choosing a person', /combobox "Add/, undefined, '[role=listbox]');
  await press('Enter');
  await told('Enter: the person is chosen', /combobox "Add/);
  await press('Enter');
  await told('Enter: the text', /combobox "(Message|Write)/);
  await type('How goes it?');
  await press('Control+Enter');
  await told('Ctrl+Enter: send, and open the conversation', /combobox "Message King Hamlet"/, /^Sent$/);

  await press('Escape', 'End');
  await told('End: the newest message', /article "Iago/);
  await press(':');
  await told(': react', /combobox "Search emoji"/);
  await type('octop');
  await press('Enter');
  await told('Enter: an octopus', /button|article/, /^Reacted with octopus$/, 'article[data-message]:last-child');
  await press('e');
  await told('e: edit', /combobox "Edit"/);
  await press('End');
  await type(' Well?');
  await press('Control+Enter');
  await told('Ctrl+Enter: save', /article "Iago/);
  await press('>');
  await told('>: quote', /combobox "Message King Hamlet"/);
  await type('As I said');
  await press('Control+Enter');
  await told('Ctrl+Enter: send the quotation', /combobox "Message King Hamlet"/, /^Sent$/);
  await row(page, 'As I said').waitFor(); // so that it is the last message
  await press('Escape', 'End', 'Control+s');
  await told('Ctrl+S: star', /article "Iago/, /^Starred$/);
  await press('i');
  await told('i: the menu', /menuitem/, undefined, '[role=menu]');
  await reach(/menuitem "Delete"/, 'ArrowDown');
  await press('Enter');
  await told('Enter: delete?', /button "Cancel"/, undefined, '[role=alertdialog]');
  await reach(/button "Delete"/);
  await press('Enter');
  await told('Enter: deleted', /article "Iago/);

  await press('Shift+I');
  await told('Shift+I: the inbox', /heading "Inbox"/, /^Inbox$/);
  await write('noise', 'Clang');
  await page
    .getByRole('main')
    .getByRole('link', { name: /^noise/ })
    .waitFor();
  await press('n');
  await page.getByRole('heading', { level: 1, name: 'noise' }).waitFor();
  await page.getByRole('article').first().waitFor();
  await press('j');
  await press('Shift+M');
  await told('Shift+M: mute', /article "King Hamlet/, /^Topic muted$/);

  await press('/');
  await told('/: search', /combobox "Search messages"/);
  await type('sender:');
  await page.getByRole('option').first().waitFor();
  await type('ham');
  await press('ArrowDown');
  await told('a filter', /combobox "Search messages"/, undefined, '#search-list');
  await press('Enter');
  await type('ship');
  await press('Enter');
  await told('Enter: the results', /Messages/, /sender:.*ship/);
  await press('j');
  await told('j: the first result', /article "King Hamlet/);

  await press('Control+k');
  await told('Ctrl+K: jump', /combobox "Jump/);
  await press('Escape');
  await press('q');
  await told('q: the channels', /searchbox "Filter your channels"/);
  await reach(/button "Add channels"/);
  await press('Enter');
  await reach(/menuitem "Browse channels"/, 'ArrowDown');
  await press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Channels' }).waitFor();
  await told('browsing channels', /./, /Channels/);
  await reach(/searchbox "Filter channels"/);
  await type('rome');
  await reach(/button "Join/);
  await press('Enter');
  await told('Enter: joined', /button "Leave/);

  await press('Control+k');
  await type('cargo');
  await press('Enter');
  await page.getByRole('heading', { level: 1, name: 'cargo' }).waitFor();
  await told('back to a topic', /combobox "Message cargo"/);
  await reach(/button "Attach a file"/);
  await press('Enter');
  await eventually(() => chooser !== undefined);
  await chooser.setFiles(picture);
  await page.getByRole('list', { name: 'Attached files' }).locator('img').first().waitFor();
  await eventually(async () => /user_uploads/.test(await page.locator('form.compose textarea').inputValue()));
  await told('a file is attached', /combobox "Message cargo"/, undefined, 'form.compose');
  await press('Control+Enter');
  await told('the file is sent', /combobox "Message cargo"/, /^Sent$/);

  await press('Escape', 'g');
  await told('g: the menu', /menuitem/, undefined, '[role=menu]');
  await reach(/menuitem "Settings"/, 'ArrowDown');
  await press('Enter');
  await told('the settings', /./, /^Settings: Profile$/, 'main nav');
  await reach(/link "Notifications"/);
  await press('Enter');
  await told('their section', /./, /Notifications/);
  await reach(/checkbox "Desktop notifications/);
  await told('a setting', /checkbox "Desktop/);
  await press('Space');
  await told('Space: changed', /checkbox/, /Saved/);

  await press('Shift+Y');
  await told('Shift+Y: a status', /textbox "Set a status"/, undefined, 'dialog');
  await type('At the harbour');
  await press('Enter');
  await tree('Set a status').waitFor({ state: 'detached' });
  await told('Enter: saved', /checkbox/);

  await press('g');
  await reach(/menuitem "Log out"/, 'ArrowDown');
  await press('Enter');
  await page.waitForURL(/login/);
  await reach(/textbox "Email address"/);
  recorded.push(`## logged out\n\n${plain(await page.locator('body').ariaSnapshot())}\n`);

  recorded.push(`## all announcements\n\n${everything.sort().join('\n')}\n`);

  const got = recorded.join('\n');
  if (process.env.UPDATE) writeFileSync(day, got);
  assert.equal(got, readFileSync(day, 'utf8'));
});
