// Emoji look the same on every system, and are named in the reader's language.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { call, eventually, go, row, sendMessage, Harness } from './harness.mjs';

const harness = new Harness();
let iago, hamlet;

before(async () => {
  await harness.start();
  [iago, hamlet] = [await harness.open('iago@zulip.com'), await harness.open('hamlet@zulip.com')];
});

after(() => harness.stop());

/** loaded returns the names of the emoji font's files that a page has loaded. */
const loaded = (page) =>
  page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .map((r) => /\/emoji-([\w-]+)-[\w-]{8}\.woff2$/.exec(r.name)?.[1])
      .filter(Boolean),
  );

/** drawnWith returns the names of the fonts that the browser draws an element with; the system's are in brackets. */
async function drawnWith(element) {
  const page = element.page();
  const cdp = await page.context().newCDPSession(page);
  await element.evaluate((e) => (globalThis.drawn = e));
  await cdp.send('DOM.enable');
  await cdp.send('CSS.enable');
  await cdp.send('DOM.getDocument');
  const { result } = await cdp.send('Runtime.evaluate', { expression: 'drawn' });
  const { nodeId } = await cdp.send('DOM.requestNode', { objectId: result.objectId });
  const { fonts } = await cdp.send('CSS.getPlatformFontsForNode', { nodeId });
  await cdp.detach();
  return [...new Set(fonts.map((f) => (f.isCustomFont ? f.familyName : `(${f.familyName})`)))];
}

const bundled = async (element) => eventually(async () => `${await drawnWith(element)}` === 'Twemoji Mozilla');

test('emoji are drawn with the bundled font, of which only the parts shown are loaded', async () => {
  await go(iago, '#narrow/channel/4-Venice/topic/pictures');
  await sendMessage(iago, 'Nothing but text: ™ © ↗ 1 #');
  await row(iago, 'Nothing but text').waitFor();
  await eventually(() => iago.evaluate(() => [...document.fonts].some((f) => f.family.includes('Emoji'))));
  await iago.evaluate(() => document.fonts.ready);
  assert.deepEqual(await loaded(iago), [], 'loaded without an emoji');

  await sendMessage(iago, 'Phone :telephone: and 👍🏽 and 1️⃣ and `✔`');
  const sent = row(iago, 'Phone');
  await bundled(sent.locator('.emoji-260e'));
  await bundled(sent.locator('.emoji-0031-20e3'));
  await bundled(sent.locator('code'));
  assert.ok((await drawnWith(sent.locator('p'))).includes('Twemoji Mozilla'));
  assert.deepEqual([...new Set(await loaded(iago))].sort(), ['objects', 'people-body', 'symbols']);
});

test('reactions are named in the language of the reader', async () => {
  await go(hamlet, '#narrow/channel/4-Venice/topic/pictures');
  const { messages } = await call(iago, 'GET', '/messages', { anchor: 'newest', num_before: 1, num_after: 0 });
  const { id } = messages[0];
  for (const page of [iago, hamlet])
    await call(page, 'POST', `/messages/${id}/reactions`, { emoji_name: 'thumbs_up' });
  const named = (page, name) => page.locator('article').getByRole('button', { name, exact: true });
  await named(iago, 'Thumbs up, 2 people: you and King Hamlet').waitFor();
  assert.equal(await named(iago, /^Thumbs up/).getAttribute('aria-pressed'), 'true');
  await bundled(named(iago, /^Thumbs up/).locator('.emoji'));

  await call(hamlet, 'PATCH', '/settings', { default_language: 'de' });
  await named(hamlet, 'Daumen hoch, 2 Personen: Iago und du').waitFor();
  await hamlet.getByRole('img', { name: 'Telefon' }).waitFor();
});

const picker = (page) => page.getByRole('dialog').filter({ has: page.getByRole('tablist') });
const box = (page) => page.locator('main form textarea'); // in all languages
const field = (page) => picker(page).getByRole('combobox');

async function openPicker(page) {
  await page.locator('main form footer button[aria-haspopup="dialog"]').click();
  await field(page).waitFor();
}

const rocket = {
  ar: 'صاروخ',
  de: 'rakete',
  en: 'rocket',
  es: 'cohete',
  fr: 'FUSEE',
  ja: 'ロケット',
  'zh-hans': '火箭',
};

test('emoji are found by their names and keywords in all languages', async () => {
  for (const [language, word] of Object.entries(rocket)) {
    await call(hamlet, 'PATCH', '/settings', { default_language: language });
    await hamlet.locator(`html[lang^="${language.slice(0, 2)}"]`).waitFor();
    await openPicker(hamlet);
    await field(hamlet).fill(word);
    const first = picker(hamlet).getByRole('option', { selected: true });
    await eventually(async () => (await first.textContent()).trim() === '🚀');
    await field(hamlet).press('Enter');
    assert.equal(await box(hamlet).inputValue(), ':rocket: ', language);
    await box(hamlet).fill('');
    await box(hamlet).pressSequentially(`:${word}`);
    await hamlet.getByRole('option', { name: ':rocket:' }).waitFor();
    await box(hamlet).press('Enter');
    assert.equal(await box(hamlet).inputValue(), ':rocket: ', language);
    await box(hamlet).fill('');
  }
});

test('the picker has categories and what one uses often, and works by keyboard', async () => {
  await call(hamlet, 'PATCH', '/settings', { default_language: 'de' });
  await hamlet.locator('html[lang^=de]').waitFor();
  await openPicker(hamlet);
  const option = (name) => picker(hamlet).getByRole('option', { name, exact: true });
  const first = picker(hamlet).getByRole('option').first();
  await eventually(async () => (await first.getAttribute('aria-label')) === 'Rakete');
  await field(hamlet).press('Tab');
  await hamlet.keyboard.press('ArrowLeft');
  await option('Flagge: Japan').waitFor();
  assert.equal(await hamlet.evaluate(() => document.activeElement.getAttribute('aria-label')), 'Flaggen');
  await hamlet.keyboard.press('Escape');
  await picker(hamlet).waitFor({ state: 'detached' });
  await hamlet.keyboard.press('Enter');
  await field(hamlet).press('ArrowDown');
  await field(hamlet).press('ArrowUp');
  await field(hamlet).press('Enter');
  assert.equal(await box(hamlet).inputValue(), ':rocket: ');
  await box(hamlet).fill('');
});

test('a skin tone is remembered, and offered only for texts', async () => {
  await openPicker(hamlet);
  await picker(hamlet).getByRole('radio', { name: 'mittlere Hautfarbe' }).check();
  await hamlet.reload();
  await openPicker(hamlet);
  await field(hamlet).fill('daumen hoch');
  await field(hamlet).press('Enter');
  assert.equal(await box(hamlet).inputValue(), '👍🏽 ');
  await box(hamlet).press('Control+Enter');
  const sent = iago.locator('article', { hasText: '👍🏽' }).last();
  await bundled(sent.locator('.only-emoji .emoji'));

  await sent.hover();
  await sent.getByRole('button', { name: 'Add a reaction' }).first().click();
  await field(iago).fill('thumbs up');
  assert.equal(await picker(iago).getByRole('radio').count(), 0);
  await field(iago).press('Enter');
  await sent.getByRole('button', { name: 'Thumbs up, 1 person: you' }).waitFor();
});
