// From the first start of a server, with only a browser, to a conversation of two people with an image.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { picture } from './picture.mjs';
import { box, eventually, go, password, row, sendMessage, Harness } from './harness.mjs';

const harness = new Harness();

before(() => harness.start({ demo: false }));

after(() => harness.stop());

const visit = async () =>
  harness.tab(await harness.browser.newContext({ viewport: { width: 1300, height: 850 }, locale: 'en-GB' }));

test('the owner logs in, invites a user, and they exchange messages', async () => {
  const begun = Date.now();
  const owner = await visit();
  await owner.goto(harness.server.url);
  await owner.getByLabel('Email address').fill('owner@stoa.localhost');
  await owner.getByLabel('Password').fill(readFileSync(join(harness.server.dir, 'owner-password'), 'utf8').trim());
  await owner.getByRole('button', { name: 'Log in' }).click();
  await owner.getByText('Welcome, Owner!').waitFor();
  await owner.getByRole('button', { name: 'Invite people' }).click();
  // The server sends no email, and its address leads only to this computer.
  const dialog = owner.getByRole('dialog');
  await dialog.getByText(`because ${harness.server.url} leads only to this computer`).waitFor();
  assert.ok(await dialog.getByLabel('Email addresses').isDisabled());
  const send = dialog.getByRole('button', { name: 'Send invitations', disabled: true });
  await send.and(dialog.locator('[aria-describedby]')).waitFor();
  await dialog.getByText('This server sends no email.').waitFor();
  await owner.getByRole('button', { name: 'Create an invitation link' }).click();
  const field = owner.getByRole('dialog').getByLabel('Invitation link', { exact: true });
  await eventually(async () => /\/join\//.test(await field.inputValue()));
  const link = await field.inputValue();
  await owner.keyboard.press('Escape');
  await go(owner, '#inbox');
  await owner.getByRole('link', { name: 'Say hello in #general' }).click();
  await sendMessage(owner, 'Who is coming?');
  await row(owner, 'Who is coming?').waitFor();

  const ada = await visit();
  await ada.goto(link);
  await ada.getByText(`${harness.server.url} leads only to this computer`).waitFor();
  await ada.getByText('From 8 to 100 characters.').waitFor();
  await ada.getByLabel('Email address').fill('ada@example.com');
  await ada.getByLabel(/name/i).first().fill('Ada');
  await ada.getByLabel('Password').fill(password);
  await ada.getByRole('button').first().click();
  await ada.getByRole('heading', { name: 'Inbox' }).waitFor();

  // A new member is greeted, finds what was written before and the welcome bot's message, and says hello.
  await ada.getByText('Welcome, Ada!').waitFor();
  const inbox = ada.getByRole('main');
  await inbox.getByRole('heading', { name: 'general' }).waitFor();
  await inbox.getByRole('link', { name: /^hello \d unread/ }).waitFor();
  await inbox.getByRole('link', { name: /Welcome Bot/ }).click();
  await row(ada, 'Hello, and welcome!').waitFor();
  await row(ada, 'Hello, and welcome!').getByRole('link', { name: 'inbox' }).click();
  await ada.getByText('Welcome, Ada!').waitFor();
  await ada.getByRole('link', { name: 'Say hello in #general' }).click();
  await box(ada).and(ada.locator(':focus')).waitFor();
  await sendMessage(ada, 'Hello, I am Ada.');
  await row(ada, 'Hello, I am Ada.').waitFor();
  await go(ada, '#inbox');
  await ada.getByText('Welcome, Ada!').waitFor({ state: 'detached' });
  await ada.getByRole('button', { name: 'Mark all as read' }).click();
  await ada.getByText('You are all caught up.').waitFor();

  await go(owner, '#inbox');
  await owner
    .getByRole('navigation')
    .getByRole('link', { name: /^general/ })
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
