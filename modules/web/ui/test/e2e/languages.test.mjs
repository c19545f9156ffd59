// The client in other languages: chosen in the settings or by the browser, changed while somebody writes.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eventually, go, row, World } from './world.mjs';

const world = new World();
let desdemona;

const page = (p) => p.evaluate(() => [document.documentElement.lang, document.documentElement.dir].join(' '));

before(async () => {
  await world.start();
  desdemona = await world.open('desdemona@zulip.com');
});

after(() => world.stop());

test('a language is chosen in the settings, and stays', async () => {
  await go(desdemona, '#settings/display');
  await desdemona.getByLabel('Language').selectOption({ label: 'Deutsch' });
  await desdemona.getByRole('heading', { name: 'Einstellungen' }).waitFor();
  assert.equal(await page(desdemona), 'de ltr');
  await desdemona.reload();
  await desdemona.getByRole('heading', { name: 'Einstellungen' }).waitFor();
  await desdemona.getByRole('link', { name: 'Eingang' }).waitFor();
  await eventually(async () => /Einstellungen – /.test(await desdemona.title()));
});

test('a change elsewhere loses nothing that is being written', async () => {
  await go(desdemona, '#narrow/channel/4-Venice/topic/words');
  const german = desdemona.getByRole('combobox', { name: /^Nachricht an / });
  await german.fill('Half a thou');
  await desdemona.evaluate(async () => {
    const token = document.querySelector('meta[name="csrf-token"]').content;
    const body = new URLSearchParams({ default_language: 'ar' });
    await fetch('/json/settings', { method: 'PATCH', headers: { 'X-CSRFToken': token }, body });
  });
  await eventually(async () => (await page(desdemona)) === 'ar rtl');
  const arabic = desdemona.locator('textarea').last();
  assert.equal(await arabic.inputValue(), 'Half a thou');
  assert.ok(await arabic.evaluate((e) => e === document.activeElement));
  await arabic.press('Control+Enter');
  await row(desdemona, 'Half a thou').waitFor();
});

test('the page is laid out from right to left', async () => {
  const [list, main, menu] = await desdemona.evaluate(() =>
    ['nav', 'main', 'main header'].map((s) => document.querySelector(s).getBoundingClientRect().toJSON()),
  );
  assert.ok(list.left >= main.right - 1, 'the list is at the right');
  assert.ok(menu.right <= list.left + 1);
  const overflow = await desdemona.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(overflow <= 0, `the page is wider than the window by ${overflow}`);
  await desdemona.keyboard.press('Control+k');
  const conversation = desdemona.getByRole('option').filter({ hasText: '›' }).first();
  assert.ok(await conversation.locator('.ellipsis').evaluate((e) => e.matches(':dir(rtl)')));
  await desdemona.keyboard.press('Escape');
});

test('a browser in a language of ours begins with it, until the setting is known', async () => {
  const context = await world.browser.newContext({ locale: 'ja-JP' });
  const guest = await world.tab(context);
  await guest.route('**/json/register', () => undefined);
  await guest.context().addCookies(await desdemona.context().cookies());
  await guest.goto(world.server.url);
  await eventually(async () => (await page(guest)) === 'ja ltr');
  await context.close();
});

test('no page has reported a problem', () => assert.deepEqual(world.problems, []));
