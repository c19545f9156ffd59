// The accessibility tree for sending, reading and reacting, compared with the text file beside this one. UPDATE=1
// rewrites the file.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { box, call, eventually, go, row, sendMessage, Harness } from './harness.mjs';

const harness = new Harness();
const tree = fileURLToPath(new URL('screenreader.txt', import.meta.url));
const recorded = [];
let desdemona;
let iago;

/** record records the accessibility tree of a part of the page, without times, which vary. */
async function record(what, locator) {
  const seen = (await locator.ariaSnapshot()).replace(/\d{1,2}:\d{2}( [ap]m)?/gi, 'TIME').replace(/\/\d+$/gm, '/ID');
  recorded.push(`## ${what}\n\n${seen.replace(/near\/\d+/g, 'near/ID')}\n`);
}

before(async () => {
  await harness.start();
  desdemona = await harness.open('desdemona@zulip.com');
  iago = await harness.open('iago@zulip.com');
  for (const p of [desdemona, iago]) await go(p, '#narrow/channel/4-Venice/topic/reader');
});

after(() => harness.stop());

test('sending, reading and reacting are accessible to screen readers', async () => {
  await sendMessage(iago, 'Come, my lord');
  await row(desdemona, 'Come, my lord').waitFor();
  await box(desdemona).fill('What a deed of **darkness**');
  await record('writing a message', desdemona.locator('main form, main .compose').last());
  await box(desdemona).press('Control+Enter');
  await row(iago, 'What a deed').getByRole('button', { name: 'More actions' }).waitFor(); // at rest
  await record('a received message', row(iago, 'What a deed'));
  const live = iago.locator('[aria-live=polite]').filter({ hasText: 'Desdemona: What a deed of darkness' });
  await eventually(async () => (await live.count()) === 1);
  recorded.push(`## the announcement\n\n${(await live.textContent()).trim()}\n`);
  await row(iago, 'What a deed').getByRole('button', { name: 'Add a reaction' }).focus();
  await iago.keyboard.press('Enter');
  await iago.getByRole('combobox', { name: 'Search emoji' }).fill('tada');
  await record('choosing an emoji', iago.getByRole('dialog', { name: 'Emoji' }));
  await iago.keyboard.press('Enter');
  await row(desdemona, 'What a deed')
    .getByRole('button', { name: /, 1 person: / })
    .waitFor();
  await record('a message with a reaction', row(desdemona, 'What a deed'));
  const got = recorded.join('\n');
  if (process.env.UPDATE) writeFileSync(tree, got);
  assert.equal(got, readFileSync(tree, 'utf8'));
});

test('the first message of an empty conversation is announced, and so is a repeated one', async () => {
  for (const p of [desdemona, iago]) await go(p, '#narrow/channel/4-Venice/topic/silence');
  await iago.locator('#messages').getByText('There are no messages in this topic.').waitFor();
  const live = iago.locator('[aria-live=polite]').filter({ hasText: 'Desdemona: Hush &' });
  await sendMessage(desdemona, 'Hush &');
  await eventually(async () => (await live.count()) === 1);
  const first = await live.textContent();
  await sendMessage(desdemona, 'Hush &');
  await eventually(async () => (await live.textContent()) !== first);
  for (const p of [desdemona, iago]) await go(p, '#narrow/channel/4-Venice/topic/reader');
});

test('direct messages and mentions that arrive elsewhere are announced, as far as the user wants', async () => {
  const me = (await call(iago, 'GET', '/users/me')).user_id;
  const venice = { type: 'channel', to: [4], topic: 'elsewhere' };
  const live = (text) => iago.locator('[aria-live=polite]').filter({ hasText: text });
  const write = (content, to = { type: 'direct', to: [me] }) =>
    call(desdemona, 'POST', '/messages', { ...to, content });
  const heard = (text) => eventually(async () => (await live(text).count()) === 1);
  await go(iago, '#narrow/channel/4-Venice/topic/silence');
  await iago.bringToFront();
  await write('Are you there?');
  await heard('Direct message from Desdemona: Are you there?');
  await write('@**Iago**, come', venice);
  await heard(/Desdemona mentioned you in .*#Venice.*elsewhere.*come/);
  await write('Nobody in particular', venice);
  await write('And now?');
  await heard('Direct message from Desdemona: And now?');
  await go(iago, '#settings/notifications');
  const choice = iago.getByLabel('Read out by screen readers from other conversations');
  await choice.selectOption('All messages');
  await write('For everybody', venice);
  await heard(/Desdemona in .*elsewhere.*: For everybody/);
  await choice.selectOption('Nothing');
  await write('Unheard');
  await iago
    .getByRole('link', { name: /Desdemona \d+ unread/ })
    .first()
    .waitFor();
  assert.equal(await live('Unheard').count(), 0);
  await choice.selectOption('Direct messages and mentions');
  await go(iago, '#narrow/channel/4-Venice/topic/reader');
});

/** listen keeps what live regions of a page announce from now on, and returns a function that returns it. */
async function listen(page) {
  await page.evaluate(() => {
    const said = (globalThis.said = []);
    const hear = (text) => text.trim() && said.push(text.replace(/\s+/g, ' ').trim());
    new MutationObserver((records) => {
      for (const r of records) {
        const at = r.target instanceof Element ? r.target : r.target.parentElement;
        if (!at?.closest('[aria-live=polite].visually-hidden')) continue;
        if (r.type === 'characterData') hear(r.target.data);
        else for (const node of r.addedNodes) hear(node.textContent);
      }
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
  });
  return () => page.evaluate(() => globalThis.said);
}

test('a view is announced once, by its final name, however late it loads', async () => {
  const page = await harness.open('hamlet@zulip.com', { serviceWorkers: 'block' });
  harness.ignore(/Service Worker registration blocked/);
  const said = await listen(page);
  await page.route(/assets\/Settings-/, (route) => setTimeout(() => route.continue(), 1000));
  await go(page, '#settings');
  await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
  await eventually(async () => (await said()).length > 0);
  await go(page, '#narrow/channel/4-Venice');
  await eventually(async () => (await said()).includes('Venice'));
  await page.getByRole('combobox', { name: 'Topic' }).fill('a new one');
  await sendMessage(page, 'First');
  await eventually(async () => (await said()).includes('#Venice › a new one'));
  const id = await row(page, 'First').getAttribute('data-message');
  await call(page, 'PATCH', `/messages/${id}`, {
    topic: 'renamed',
    propagate_mode: 'change_all',
    send_notification_to_new_thread: false,
  });
  await eventually(async () => (await said()).includes('#Venice › renamed'));
  await go(page, '#narrow/search/nothing-of-the-kind');
  await eventually(async () => (await said()).includes('No message matches this search.'));
  const names = ['Settings: Profile', 'Venice', 'Sent', '#Venice › a new one', '#Venice › renamed'];
  const last = ['nothing-of-the-kind', 'No message matches this search.'];
  assert.deepEqual([...(await said())].sort(), [...names, ...last].sort());
  await page.context().close();
});

test('what was announced before a dialog is announced again after it', async () => {
  const said = await listen(desdemona);
  const count = async (text) => (await said()).filter((s) => s === text).length;
  await row(desdemona, 'Come, my lord').focus();
  await desdemona.keyboard.press('Control+s');
  await eventually(async () => (await count('Starred')) === 1);
  await desdemona.keyboard.press('Control+k');
  await desdemona.getByRole('dialog').waitFor();
  await desdemona.keyboard.press('Escape');
  await desdemona.getByRole('dialog').waitFor({ state: 'detached' });
  await row(desdemona, 'Come, my lord').focus();
  await desdemona.keyboard.press('Control+s');
  await eventually(async () => (await count('Star removed')) === 1);
  await desdemona.keyboard.press('Control+s');
  await eventually(async () => (await count('Starred')) === 2);
});

test('an answer is announced that arrives with an own message, and nothing that is hidden', async () => {
  const said = await listen(iago);
  const write = (page, content) =>
    call(page, 'POST', '/messages', { type: 'channel', to: '4', topic: 'reader', content });
  await iago.route(/\/json\/events\?/, (route) => setTimeout(() => route.continue().catch(() => undefined), 1500));
  await write(desdemona, 'To and fro');
  await row(iago, 'To and fro').waitFor();
  await write(desdemona, 'An answer');
  await write(iago, 'A word of my own');
  await row(iago, 'A word of my own').waitFor();
  await iago.unroute(/\/json\/events\?/);
  await eventually(async () => (await said()).includes('Desdemona: An answer'));

  const { user_id: muted } = await call(desdemona, 'GET', '/users/me');
  await call(iago, 'POST', `/users/me/muted_users/${muted}`);
  await row(iago, 'An answer').waitFor({ state: 'detached' });
  await write(desdemona, 'Nobody listens');
  await write(iago, 'Quite');
  await row(iago, 'Quite').waitFor();
  await call(iago, 'DELETE', `/users/me/muted_users/${muted}`);
  await row(iago, 'Nobody listens').waitFor();
  assert.equal((await said()).filter((s) => s.includes('Nobody listens')).length, 0);
});

test('links at the start skip to the messages and to the compose box', async () => {
  await iago.evaluate(() => document.activeElement.blur());
  await iago.reload();
  await row(iago, 'What a deed').waitFor();
  await iago.evaluate(() => document.activeElement.blur());
  const active = () => iago.evaluate(() => document.activeElement.closest('article, main, textarea')?.tagName);
  const first = iago.getByRole('button', { name: 'Skip to the content' });
  await first.focus();
  await iago.keyboard.press('Enter');
  await eventually(async () => (await active()) === 'ARTICLE');
  await first.focus();
  await iago.keyboard.press('Tab');
  await iago.keyboard.press('Enter');
  await eventually(async () => (await active()) === 'TEXTAREA');
  await go(iago, '#recent');
  await iago.getByRole('heading', { level: 1, name: 'Recent conversations' }).waitFor();
  await first.focus();
  await iago.keyboard.press('Enter');
  await eventually(async () => (await active()) === 'MAIN');
  assert.ok(
    await iago.evaluate(() => [...document.body.querySelectorAll('button, a')][0].textContent.includes('Skip')),
  );
  await go(iago, '#narrow/channel/4-Venice/topic/reader');
});

test('names say everything once', async () => {
  await go(iago, '#inbox');
  const main = await iago.getByRole('main').ariaSnapshot();
  const people = await iago.getByRole('complementary').ariaSnapshot();
  for (const name of [
    ...main.matchAll(/(?:heading|link|button) "([^"]+)"/g),
    ...people.matchAll(/link "([^"]+)"/g),
  ]) {
    const words = name[1].split(' ');
    assert.equal(new Set(words).size, words.length, name[1]);
  }
  await go(iago, '#narrow/channel/4-Venice/topic/reader');
});

test('many messages at once are not announced one by one', async () => {
  const said = [];
  await iago.exposeFunction('heard', (s) => said.push(s));
  await iago.evaluate(() => {
    const regions = [...document.querySelectorAll('[aria-live=polite]')];
    for (const r of regions)
      new MutationObserver(() => globalThis.heard(r.textContent)).observe(r, {
        childList: true,
        characterData: true,
        subtree: true,
      });
  });
  for (let i = 0; i < 8; i++) await sendMessage(desdemona, `torrent ${i}`);
  await row(iago, 'torrent 7').waitFor();
  await eventually(() => said.some((s) => s.includes('torrent 7')));
  assert.ok(said.filter((s) => s.includes('torrent')).length <= 8);
});

test('the focus returns to the control that opened a dialog', async () => {
  const open = desdemona.getByRole('button', { name: /^Jump to a conversation/ });
  await open.focus();
  await desdemona.keyboard.press('Enter');
  await desdemona.getByRole('dialog').waitFor();
  await desdemona.keyboard.press('Escape');
  await desdemona.getByRole('dialog').waitFor({ state: 'detached' });
  assert.ok(await open.evaluate((e) => e === document.activeElement));
});

test('a message shown while a dialog is open is part of the dialog, and later of the page', async () => {
  await desdemona.locator('.app > nav > header button').last().click();
  await desdemona.getByRole('menuitem', { name: 'Invite people' }).click();
  const dialog = desdemona.getByRole('dialog');
  const copied = { hasText: 'Copied' };
  await dialog.getByRole('button', { name: 'Create an invitation link' }).click();
  await dialog.getByRole('button', { name: 'Copy', exact: true }).first().click();
  await dialog.getByRole('status').filter(copied).waitFor();
  await dialog.getByRole('status').filter(copied).getByRole('button', { name: 'Close' }).click();
  await dialog.getByRole('status').filter(copied).waitFor({ state: 'detached' });
  await dialog.getByRole('button', { name: 'Copy', exact: true }).first().click();
  await dialog.getByRole('status').filter(copied).waitFor();
  await desdemona.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await desdemona.locator('.toasts').filter(copied).waitFor();
  assert.equal(await desdemona.locator('.toasts [role=status]').filter(copied).count(), 0, 'announced again');
});
