// Every view with texts that are far longer than the English ones, on a phone and on a desktop; at 400 %; with targets
// that fingers hit.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { furnish } from './furnish.mjs';
import { measure } from './measure.mjs';
import { leave, pages, places, visit, visitPage } from './places.mjs';
import { speak } from './pseudo.mjs';
import { call, World } from './world.mjs';

const world = new World();
let page;
let all;
let facts;

// Pages that are not there, and the service worker that is not wanted.
world.forgiven = /Failed to load resource|Service Worker/;

before(async () => {
  await world.start({ modules: { channels: '{web_public_streams: true}' } });
  // A service worker would fetch the texts past speak.
  page = await world.open('desdemona@zulip.com', { serviceWorkers: 'block', reducedMotion: 'reduce' });
  const iago = await world.open('iago@zulip.com');
  facts = await furnish(page, iago);
  all = places(facts);
  await iago.context().close();
  await speak(page);
  await call(page, 'PATCH', '/settings', { default_language: 'de' });
  await page.reload();
  await page.getByText('⟦').first().waitFor();
});

after(() => world.stop());

async function walk(page, list, options = {}) {
  const faults = {};
  for (const place of list) {
    await visit(page, place);
    const found = await page.evaluate(measure, { part: place.part, ...options });
    if (found.length > 0) faults[place.name] = found;
    await leave(page, place);
  }
  return faults;
}

for (const [name, viewport] of [
  ['a desktop', { width: 1300, height: 850 }],
  ['a phone', { width: 360, height: 740 }],
]) {
  test(`nothing of long texts is cut or covered on ${name}`, async () => {
    await page.setViewportSize(viewport);
    assert.deepEqual(await walk(page, all), {});
  });
}

test('at 400 % nothing has to be scrolled in two directions', async () => {
  await call(page, 'PATCH', '/settings', { default_language: 'en' });
  await page.locator('html[lang=en]').waitFor();
  await page.setViewportSize({ width: 320, height: 256 });
  assert.deepEqual(await walk(page, all, { inlineOnly: true }), {});
});

test('fingers hit every target', async () => {
  const client = await page.context().newCDPSession(page);
  await client.send('Emulation.setTouchEmulationEnabled', { enabled: true });
  await page.setViewportSize({ width: 360, height: 740 });
  assert.deepEqual(await walk(page, all, { target: 44, strict: true }), {});
});

test('what is seen without a login has room for long texts, too', async () => {
  const context = await world.browser.newContext({ viewport: { width: 360, height: 740 }, locale: 'en-GB' });
  const guest = await world.tab(context);
  const faults = {};
  for (const place of pages(facts)) {
    await visitPage(guest, world.server.url, place);
    await guest.evaluate(() => {
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      while (walker.nextNode()) {
        const { data, parentElement: e } = walker.currentNode;
        if (data.trim() && !e.closest('.rendered, [dir="auto"], script, style'))
          walker.currentNode.data = `${data}${'ûñðšé žó '.repeat(20).slice(0, data.length * 0.6)}`;
      }
    });
    const found = await guest.evaluate(measure, { part: place.part });
    if (found.length > 0) faults[place.name] = found;
  }
  assert.deepEqual(faults, {});
  await context.close();
});

test('no page has reported a problem', () => assert.deepEqual(world.problems, []));
