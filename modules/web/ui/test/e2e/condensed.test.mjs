// Long messages are condensed, and messages can be collapsed. Paper shows all of them.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { box, call, eventually, go, row, Harness } from './harness.mjs';

const harness = new Harness();
let page;
let iago;
let venice;
let id;

before(async () => {
  await harness.start();
  page = await harness.open('desdemona@zulip.com');
  iago = await harness.open('iago@zulip.com');
  ({ stream_id: venice } = await call(iago, 'GET', '/get_stream_id', { stream: 'Venice' }));
  const lines = Array.from({ length: 60 }, (_, i) => `Line ${i}\n`).join('\n');
  ({ id } = await call(iago, 'POST', '/messages', {
    type: 'channel',
    to: [venice],
    topic: 'epic',
    content: `The beginning\n\n${lines}\n[The end](https://example.com)`,
  }));
  await call(iago, 'POST', '/messages', { type: 'channel', to: [venice], topic: 'epic', content: 'Short' });
  await go(page, `#narrow/channel/${venice}-Venice/topic/epic/near/${id}`);
});

after(() => harness.stop());

const height = async () => (await row(page, 'The beginning').boundingBox()).height;
const more = () => row(page, 'The beginning').getByRole('button', { name: 'Show more' });
const less = () => row(page, 'The beginning').getByRole('button', { name: 'Show less' });

test('a long message is condensed until one asks for more, and again afterwards', async () => {
  await more().waitFor();
  assert.equal(await row(page, 'Short').getByRole('button', { name: 'Show more' }).count(), 0);
  assert.ok((await height()) < 500, `${await height()} px`);
  await more().click();
  await less().waitFor();
  await eventually(async () => (await height()) > 1000);
  await less().click();
  await eventually(async () => (await height()) < 500);
  // What has the focus is visible.
  await row(page, 'The beginning').locator('a', { hasText: 'The end' }).focus();
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Tab');
  await less().waitFor();
  await less().click();
});

test('a key shows and collapses a message, in every browser of the user', async () => {
  await go(page, '#inbox');
  await go(page, `#narrow/channel/${venice}-Venice/topic/epic/near/${id}`);
  await page.locator(`article.selected[data-message="${id}"]`).waitFor();
  await box(page).blur();
  await more().waitFor();
  await page.keyboard.press('-');
  await less().waitFor();
  await page.keyboard.press('-');
  await more().waitFor();
  await eventually(async () => (await height()) < 120);
  const flags = async () => (await call(page, 'GET', `/messages/${id}`)).message.flags;
  await eventually(async () => (await flags()).includes('collapsed'));
});

test('paper shows the whole conversation without bars', async () => {
  await page.emulateMedia({ media: 'print' });
  await row(page, 'The beginning').getByText('The end').waitFor();
  assert.equal(await more().isVisible(), false);
  for (const role of ['navigation', 'complementary', 'search']) {
    assert.equal(await page.getByRole(role).first().isVisible(), false, role);
  }
  assert.equal(await box(page).isVisible(), false);
  // Nothing scrolls: the page is as high as its contents.
  const hidden = await page.evaluate(() =>
    [document.documentElement, document.body, ...document.querySelectorAll('#app :not(.visually-hidden)')]
      .filter((e) => e.scrollHeight > e.clientHeight + 8 && /auto|scroll|hidden/.test(getComputedStyle(e).overflowY))
      .map((e) => e.className || e.tagName),
  );
  assert.deepEqual(hidden, []);
  // The key loads what is not there yet.
  for (let i = 0; i < 130; i++) {
    await call(page, 'POST', '/messages', { type: 'channel', to: venice, topic: 'saga', content: `Verse ${i}` });
  }
  await page.evaluate(() => {
    globalThis.print = () => {
      dispatchEvent(new Event('beforeprint'));
      globalThis.printed = document.querySelectorAll('article[data-message]').length;
      dispatchEvent(new Event('afterprint'));
    };
  });
  await go(page, `#narrow/channel/${venice}-Venice/topic/saga`);
  await row(page, 'Verse 129').waitFor();
  await page.keyboard.press('Control+p');
  await eventually(async () => (await page.evaluate(() => globalThis.printed)) === 130);
  await page.emulateMedia({ media: 'screen' });
});
