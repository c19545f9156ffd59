// From the first start of a server, with only a browser, to a conversation of two people with an image.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { picture } from './picture.mjs';
import { box, eventually, password, row, sendMessage, Harness } from './harness.mjs';

const harness = new Harness();

before(() => harness.start({ demo: false }));

after(() => harness.stop());

const visit = async () =>
  harness.tab(await harness.browser.newContext({ viewport: { width: 1300, height: 850 }, locale: 'en-GB' }));

test('the owner logs in, invites a user, and they exchange messages', async () => {
  const begun = Date.now();
  const owner = await visit();
  await owner.goto(harness.server.url);
  await owner.getByRole('link', { name: 'Log in' }).click();
  await owner.getByLabel('Email address').fill('owner@stoa.localhost');
  await owner.getByLabel('Password').fill(readFileSync(join(harness.server.dir, 'owner-password'), 'utf8').trim());
  await owner.getByRole('button', { name: 'Log in' }).click();
  await owner.getByRole('button', { name: 'Invite people' }).click();
  await owner.getByRole('button', { name: 'Create an invitation link' }).click();
  const field = owner.getByRole('dialog').getByLabel('Create an invitation link');
  await eventually(async () => /\/join\//.test(await field.inputValue()));
  const link = await field.inputValue();
  await owner.keyboard.press('Escape');

  const ada = await visit();
  await ada.goto(link);
  await ada.getByLabel('Email address').fill('ada@example.com');
  await ada.getByLabel(/name/i).first().fill('Ada');
  await ada.getByLabel('Password').fill(password);
  await ada.getByRole('button').first().click();
  await ada.getByRole('heading', { name: 'Inbox' }).waitFor();

  await owner
    .getByRole('link', { name: 'Write in #general' })
    .or(owner.getByRole('link', { name: /^general/ }))
    .first()
    .click();
  await owner.getByRole('combobox', { name: 'Topic' }).fill('hello');
  await sendMessage(owner, 'Welcome, Ada!');
  await ada.getByRole('main').getByRole('link', { name: /hello/ }).click();
  await row(ada, 'Welcome, Ada!').waitFor();
  await ada.locator('input[type=file]').setInputFiles(picture);
  await eventually(async () => /^\[sunset.png\]\(\/user_uploads\//.test(await box(ada).inputValue()));
  await box(ada).press('Control+Enter');
  const image = owner.locator('article[data-message] .message_inline_image img');
  await image.waitFor();
  await eventually(() => image.evaluate((i) => i.complete && i.naturalWidth > 0));
  assert.ok(Date.now() - begun < 120_000);
});

test('no page reported an error', () => assert.deepEqual(harness.problems, []));
