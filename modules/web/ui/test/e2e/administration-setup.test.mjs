// An owner sets up an organization of 20 people entirely in the browser: groups, private channels, emoji, a linkifier
// and a webhook.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { picture } from './picture.mjs';
import { eventually, login, password, row, Harness } from './harness.mjs';

const harness = new Harness();
const names = [
  ...['Ada', 'Barbara', 'Charles', 'Donald', 'Edsger', 'Frances', 'Grace', 'Hedy', 'Ivan', 'Joan'],
  ...['Katherine', 'Leslie', 'Margaret', 'Niklaus', 'Ole', 'Peter', 'Radia', 'Sophie', 'Tim'],
];
const email = (name) => `${name.toLowerCase()}@example.com`;
const groups = { engineers: names.slice(0, 8), designers: names.slice(8, 12), leads: ['Ada', 'Ivan'] };

before(() => harness.start({ demo: false }));

after(() => harness.stop());

const visit = async () =>
  harness.tab(await harness.browser.newContext({ viewport: { width: 1300, height: 850 }, locale: 'en-GB' }));

/** signUp creates an account with an invitation link, like the registration page. */
async function signUp(link, name) {
  const body = new URLSearchParams({ email: email(name), full_name: name, password });
  const headers = { Origin: harness.server.url };
  const answer = await fetch(link, { method: 'POST', body, headers, redirect: 'manual' });
  assert.ok(answer.status < 400, `${name}: ${answer.status}`);
}

test('an owner sets up an organization of 20 people', async (t) => {
  const begun = Date.now();
  const owner = await visit();
  const button = (name) => owner.getByRole('button', { name, exact: true });
  const open = async (part, name) => {
    await owner
      .getByRole('navigation', { name: 'Organization' })
      .getByRole('link', { name: part, exact: true })
      .click();
    await owner.locator('.content').getByRole('heading', { name: part, exact: true }).waitFor();
    if (name) await owner.locator('summary', { hasText: name }).click();
  };
  const choose = async (label, all) => {
    const box = owner.getByRole('combobox', { name: label });
    for (const name of all) {
      await box.fill(name);
      await owner.getByRole('listbox').getByRole('option', { name }).first().waitFor();
      await box.press('Enter');
    }
  };
  /** paste pastes a list, such as a column of a table, into a field. */
  const paste = (label, text) =>
    owner.getByRole('combobox', { name: label }).evaluate((input, text) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/plain', text);
      input.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    }, text);
  await owner.goto(`${harness.server.url}/login/`);
  await owner.getByLabel('Email address').fill('owner@stoa.localhost');
  await owner.getByLabel('Password').fill(readFileSync(join(harness.server.dir, 'owner-password'), 'utf8').trim());
  await button('Log in').click();

  await button('Invite people').click();
  await button('Create an invitation link').click();
  const field = owner.getByRole('dialog').getByLabel('Invitation link', { exact: true });
  await eventually(async () => /\/join\//.test(await field.inputValue()));
  const link = await field.inputValue();
  await owner.keyboard.press('Escape');
  await Promise.all(names.map((name) => signUp(link, name)));

  await owner
    .getByRole('button', { name: /menu|^Stoa|owner/i })
    .first()
    .click();
  await owner.getByRole('menuitem', { name: 'Organization', exact: true }).click();
  for (const [name, members] of Object.entries(groups)) {
    await open('Groups', 'Create a group');
    await owner.getByLabel('Name', { exact: true }).fill(name);
    await paste('Add a person', members.map((name, i) => (i % 2 ? name : email(name))).join('\n'));
    await button('Create a group').last().click();
    await owner.getByRole('heading', { name, exact: true }).waitFor();
    await owner.getByRole('heading', { name: `${members.length + 1} members` }).waitFor();
  }
  for (const [channel, group] of [
    ['servers', 'engineers'],
    ['drawings', 'designers'],
  ]) {
    await open('Channels', 'Create a channel');
    await owner.getByLabel('Name', { exact: true }).fill(channel);
    await owner.getByRole('combobox', { name: 'Privacy' }).selectOption('shared');
    await choose('Subscribe people', [group]);
    await button('Create a channel').last().click();
    await owner.getByRole('heading', { name: `#${channel}` }).waitFor();
    await choose('Who may administer this channel', ['leads']);
    await owner
      .getByRole('group', { name: 'Who may administer this channel' })
      .getByRole('button', { name: 'Remove leads' })
      .waitFor();
  }
  await open('Custom emoji');
  await owner.getByLabel('Image').setInputFiles(picture);
  await button('Add emoji').click();
  await owner.getByText(':sunset:', { exact: true }).first().waitFor();
  await open('Linkifiers');
  await owner.getByLabel('Pattern (regular expression)').fill('#(?P<id>[0-9]+)');
  await owner.getByLabel('URL template', { exact: true }).fill('https://issues.example.com/{id}');
  await owner.getByLabel('Test it on a text').fill('Fixed #12');
  await owner.getByText('https://issues.example.com/12').waitFor();
  await button('Add linkifier').click();
  await button('Remove linkifier #(?P<id>[0-9]+)').waitFor();
  await open('Bots', 'Add bot');
  await owner.getByLabel('Name', { exact: true }).fill('Builds');
  await button('Add bot').last().click();
  await owner.getByRole('heading', { name: 'Builds' }).waitFor();
  await button('Create a webhook URL').click();
  await owner.getByRole('combobox', { name: 'Service' }).selectOption('Slack Incoming');
  await owner.getByRole('combobox', { name: 'Send messages to' }).selectOption('#servers');
  await owner.getByLabel('Topic', { exact: true }).fill('builds');
  const url = await owner.getByLabel('Webhook URL', { exact: true }).last().inputValue();
  const spent = Date.now() - begun;
  t.diagnostic(`set up in ${spent} ms`);

  const posted = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ text: 'Built #12 :sunset:' }),
  });
  assert.equal(posted.status, 200, await posted.text());
  const ada = await visit();
  await ada.goto(`${harness.server.url}/login/`);
  await login(ada, email('Ada'));
  await ada
    .getByRole('main')
    .getByRole('link', { name: /builds/ })
    .first()
    .click();
  const built = row(ada, 'Built #12');
  assert.equal(await built.getByRole('link', { name: '#12' }).getAttribute('href'), 'https://issues.example.com/12');
  await built.locator('img.emoji').waitFor();
  await ada
    .getByRole('navigation', { name: 'Views' })
    .getByRole('link', { name: /^servers/ })
    .first()
    .waitFor();
  assert.equal(await ada.getByRole('link', { name: /^drawings/ }).count(), 0);
});
