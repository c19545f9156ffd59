// The main flows of the client in two browsers, with a server that is killed in between.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { picture } from './picture.mjs';
import { box, eventually, login, row, sendMessage, Harness } from './harness.mjs';

const harness = new Harness();
let desdemona;
let iago;

before(async () => {
  await harness.start();
  desdemona = await harness.open('desdemona@zulip.com');
  iago = await harness.open('iago@zulip.com');
});

after(() => harness.stop());

test('two users exchange messages, see each other typing, and react', async () => {
  await desdemona.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: /^Iago/ }).click();
  await iago
    .getByRole('navigation', { name: 'Views' })
    .getByRole('link', { name: /^Desdemona/ })
    .click();
  await box(iago).pressSequentially('Are you there');
  await desdemona.getByText('Iago is typing…').waitFor();
  await sendMessage(iago, 'Have you prayed **tonight**?');
  await row(desdemona, 'Have you prayed tonight?').locator('strong', { hasText: 'tonight' }).waitFor();
  await sendMessage(desdemona, 'Ay, my lord.');
  await row(iago, 'Ay, my lord.').waitFor();
  await row(iago, 'Ay, my lord.').hover();
  await row(iago, 'Ay, my lord.').getByRole('button', { name: 'Add a reaction' }).click();
  await iago.getByRole('combobox', { name: 'Search emoji' }).fill('tada');
  await iago.keyboard.press('Enter');
  await row(desdemona, 'Ay, my lord.')
    .getByRole('button', { name: /^Party popper, / })
    .waitFor();
});

test('an image is uploaded, sent and opened', async () => {
  await desdemona.locator('input[type=file]').setInputFiles(picture);
  await eventually(async () => /^\[sunset.png\]\(\/user_uploads\//.test(await box(desdemona).inputValue()));
  await box(desdemona).press('End');
  await box(desdemona).press('Control+Enter');
  const image = iago.locator('article[data-message] .message_inline_image img').last();
  await image.waitFor();
  await eventually(() => image.evaluate((i) => i.complete && i.naturalWidth > 0));
  await image.click();
  await iago.getByRole('dialog', { name: /^sunset.png/ }).waitFor();
  await iago.keyboard.press('Escape');
  await iago.getByRole('dialog', { name: /^sunset.png/ }).waitFor({ state: 'detached' });
});

test('a message is edited, starred, found and deleted', async () => {
  await sendMessage(desdemona, 'A gentle quarrelsme');
  await row(desdemona, 'A gentle quarrelsme').waitFor();
  await box(desdemona).press('ArrowUp');
  const edit = desdemona.getByRole('combobox', { name: 'Edit' });
  await eventually(async () => (await edit.inputValue()) === 'A gentle quarrelsme');
  await edit.fill('A gentle quarrel');
  await edit.press('Control+Enter');
  await row(iago, 'A gentle quarrel').getByText('(edited)').waitFor();
  await row(desdemona, 'A gentle quarrel').hover();
  await row(desdemona, 'A gentle quarrel').getByRole('button', { name: 'Star', exact: true }).click();
  await desdemona.getByRole('link', { name: /^Starred messages/ }).click();
  await row(desdemona, 'A gentle quarrel').waitFor();
  await desdemona.keyboard.press('/');
  await desdemona.keyboard.type('sender:me gentle quarrel');
  await desdemona.keyboard.press('Enter');
  await row(desdemona, 'A gentle quarrel').locator('.highlight').first().waitFor();
  await desdemona.goBack();
  await desdemona.getByRole('heading', { name: 'Starred messages' }).waitFor();
  await row(desdemona, 'A gentle quarrel').hover();
  await row(desdemona, 'A gentle quarrel').getByRole('button', { name: 'More actions' }).click();
  await desdemona.getByRole('menuitem', { name: 'Delete' }).click();
  await desdemona.getByRole('button', { name: 'Delete' }).click();
  await row(iago, 'A gentle quarrel').waitFor({ state: 'detached' });
  await desdemona.getByRole('dialog').waitFor({ state: 'detached' });
});

test('a new topic is started by keyboard', async () => {
  await desdemona.keyboard.press('Control+k');
  await desdemona.keyboard.type('veni');
  await desdemona.keyboard.press('Enter');
  await desdemona.getByRole('heading', { name: 'Venice' }).waitFor();
  await desdemona.getByRole('combobox', { name: 'Topic' }).fill('the <b>duke</b>');
  await box(desdemona).fill('');
  await box(desdemona).pressSequentially('Welcome @iag');
  await desdemona.getByRole('option', { name: /Iago/ }).waitFor();
  await desdemona.keyboard.press('Enter');
  await desdemona.keyboard.press('Control+Enter');
  await desdemona.getByRole('heading', { name: 'the <b>duke</b>' }).waitFor();
  await row(desdemona, 'Welcome @Iago').waitFor();
  await iago.keyboard.press('Escape');
  await iago.getByRole('link', { name: /^Mentions/ }).click();
  await row(iago, 'Welcome @Iago').last().waitFor();
});

test('a channel is created, and markup in names stays text', async () => {
  const name = '<img src=x onerror=alert(1)>';
  await desdemona.getByRole('link', { name: 'Browse channels' }).first().click();
  await desdemona.getByRole('button', { name: 'Create a channel' }).click();
  await desdemona.getByLabel('Name').fill(name);
  const people = desdemona.getByRole('combobox', { name: 'Add a person' });
  await people.fill('iag');
  await people.press('Enter');
  await desdemona.getByRole('button', { name: 'Create', exact: true }).click();
  await desdemona.getByRole('heading', { name }).waitFor();
  await iago.getByRole('link', { name }).first().click();
  await iago.getByRole('heading', { name }).waitFor();
  await iago.evaluate(() => (location.hash = '#settings/profile'));
  await iago.getByLabel('Full name').fill('Iago &lt; <b');
  await iago.getByRole('button', { name: 'Save' }).click();
  await desdemona.getByRole('complementary', { name: 'People' }).getByText('Iago &lt; <b').waitFor();
  await iago.getByLabel('Full name').fill('Iago');
  await iago.getByRole('button', { name: 'Save' }).click();
  await desdemona.goBack();
  await desdemona.goBack();
  await desdemona.getByRole('heading', { name: 'the <b>duke</b>' }).waitFor();
});

test('shortcuts select messages, and one lists them', async () => {
  await desdemona.keyboard.press('Escape');
  await desdemona.keyboard.press('k');
  await row(desdemona, 'Welcome @Iago').and(desdemona.locator('.selected')).waitFor();
  await desdemona.keyboard.press('+');
  await row(desdemona, 'Welcome @Iago')
    .getByRole('button', { name: /^Thumbs up, / })
    .waitFor();
  await desdemona.keyboard.press('?');
  await desdemona.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  await desdemona.keyboard.press('Escape');
  await desdemona.getByRole('dialog').waitFor({ state: 'detached' });
  await desdemona.keyboard.press('r');
  await eventually(() => box(desdemona).evaluate((e) => e === document.activeElement));
});

test('typed text survives a reload', async () => {
  await box(desdemona).fill('Half a thou');
  await desdemona.reload();
  await eventually(async () => (await box(desdemona).inputValue()) === 'Half a thou');
  await row(desdemona, 'Welcome @Iago').waitFor();
  await desdemona.getByRole('link', { name: /^Drafts\s*1/ }).waitFor();
});

test('after the server was killed, no message is lost or sent twice', async () => {
  await iago.goto(desdemona.url());
  await row(iago, 'Welcome @Iago').waitFor();
  harness.ignoreFailedRequests();
  await harness.server.kill();
  await sendMessage(desdemona, 'Sent while the server was away');
  await desdemona.getByText('You are offline.').waitFor();
  await box(desdemona).fill('and this is still being written');
  await harness.server.start();
  await row(iago, 'Sent while the server was away').waitFor({ timeout: 30_000 });
  await row(desdemona, 'Sent while the server was away').waitFor({ timeout: 30_000 });
  await desdemona.getByText('You are offline.').waitFor({ state: 'detached' });
  assert.equal(await row(iago, 'Sent while the server was away').count(), 1);
  assert.equal(await box(desdemona).inputValue(), 'and this is still being written');
  await box(desdemona).press('Control+Enter');
  await row(iago, 'and this is still being written').waitFor();
});

test('long conversations load without jumping', async () => {
  await desdemona.evaluate(async () => {
    const token = document.querySelector('meta[name="csrf-token"]').content;
    for (let i = 0; i < 130; i++) {
      const content = `line ${i} `.repeat(1 + (i % 7) * 6);
      const body = new URLSearchParams({ type: 'channel', to: '"Venice"', topic: 'long', content });
      await fetch('/json/messages', { method: 'POST', headers: { 'X-CSRFToken': token }, body });
    }
  });
  await desdemona.goto(`${harness.server.url}/#narrow/channel/4-Venice/topic/long`);
  await row(desdemona, 'line 129').waitFor();
  const jump = await desdemona.evaluate(async () => {
    const scroll = document.getElementById('messages');
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    let worst = 0;
    for (let i = 0; i < 60; i++) {
      scroll.scrollTop -= 240;
      await frame();
      const top = scroll.getBoundingClientRect().top;
      const rows = [...scroll.querySelectorAll('[data-message]')];
      const seen = rows.find((r) => r.getBoundingClientRect().top > top + 100);
      const before = seen?.getBoundingClientRect().top;
      for (let j = 0; j < 3; j++) await frame();
      if (seen?.isConnected) worst = Math.max(worst, Math.abs(seen.getBoundingClientRect().top - before));
    }
    return worst;
  });
  assert.ok(jump < 2, `the view jumped by ${jump} pixels`);
  await row(desdemona, /^\S* ?\S* ?.*line 0 /)
    .first()
    .waitFor();
});

test('login after an expired session leads back to the same view, with the typed text', async () => {
  await box(desdemona).fill('To be continued');
  await desdemona.context().clearCookies();
  await desdemona.waitForURL(/\/login\//, { timeout: 70_000 });
  await login(desdemona, 'desdemona@zulip.com');
  await desdemona.getByRole('heading', { name: 'long' }).waitFor();
  assert.equal(await box(desdemona).inputValue(), 'To be continued');
});
