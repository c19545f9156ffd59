// Other languages: selected in the settings or by the browser, and changed while a message is being written.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eventually, go, row, Harness } from './harness.mjs';

const harness = new Harness();
let desdemona;

const langAndDir = (p) => p.evaluate(() => [document.documentElement.lang, document.documentElement.dir].join(' '));

before(async () => {
  await harness.start();
  desdemona = await harness.open('desdemona@zulip.com');
});

after(() => harness.stop());

test('a language is selected in the settings and survives a reload', async () => {
  await go(desdemona, '#settings/display');
  await desdemona.getByLabel('Language').selectOption({ label: 'Deutsch' });
  await desdemona.getByRole('heading', { name: 'Einstellungen' }).waitFor();
  assert.equal(await langAndDir(desdemona), 'de ltr');
  await desdemona.reload();
  await desdemona.getByRole('heading', { name: 'Einstellungen' }).waitFor();
  await desdemona.getByRole('link', { name: 'Eingang' }).waitFor();
  await eventually(async () => /Einstellungen – /.test(await desdemona.title()));
});

test('a change of language elsewhere keeps the text being written', async () => {
  await go(desdemona, '#narrow/channel/4-Venice/topic/words');
  const german = desdemona.getByRole('combobox', { name: /^Nachricht an / });
  await german.fill('Half a thou');
  await desdemona.evaluate(async () => {
    const token = document.querySelector('meta[name="csrf-token"]').content;
    const body = new URLSearchParams({ default_language: 'ar' });
    await fetch('/json/settings', { method: 'PATCH', headers: { 'X-CSRFToken': token }, body });
  });
  await eventually(async () => (await langAndDir(desdemona)) === 'ar rtl');
  const arabic = desdemona.locator('textarea').last();
  assert.equal(await arabic.inputValue(), 'Half a thou');
  assert.ok(await arabic.evaluate((e) => e === document.activeElement));
  await arabic.press('Control+Enter');
  await row(desdemona, 'Half a thou').waitFor();
});

test('the layout is mirrored for right-to-left languages', async () => {
  const [list, main, menu] = await desdemona.evaluate(() =>
    ['nav', 'main', 'main header'].map((s) => document.querySelector(s).getBoundingClientRect().toJSON()),
  );
  assert.ok(list.left >= main.right - 1, 'the list is at the right');
  assert.ok(menu.right <= list.left + 1);
  const overflow = await desdemona.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(overflow <= 0, `the page is wider than the window by ${overflow}`);
  await desdemona.keyboard.press('Control+k');
  const conversation = desdemona.getByRole('option').filter({ hasText: '›' }).first();
  assert.ok(await conversation.locator('[dir=auto]').evaluate((e) => e.matches(':dir(rtl)')));
  await desdemona.keyboard.press('Escape');
});

test("the browser's language is used until the setting is known", async () => {
  const context = await harness.browser.newContext({ locale: 'ja-JP' });
  const guest = await harness.tab(context);
  await guest.route('**/json/register', () => undefined);
  await guest.context().addCookies(await desdemona.context().cookies());
  await guest.goto(harness.server.url);
  await eventually(async () => (await langAndDir(guest)) === 'ja ltr');
  await context.close();
});
