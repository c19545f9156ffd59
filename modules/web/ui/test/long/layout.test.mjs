// The layout of every view: with texts far longer than the English ones on a phone and on a desktop, at 400 % zoom,
// with text of 200 %, and with touch targets.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { seed } from '../e2e/seed.mjs';
import { measure, reach } from '../e2e/measure.mjs';
import { leave, pages, places, settings, visit, visitPage } from '../e2e/places.mjs';
import { usePseudoLocale } from '../e2e/pseudo.mjs';
import { call, Harness } from '../e2e/harness.mjs';

const harness = new Harness();
let page;
let all;
let seeded;

// Some pages report what is missing, and service workers are blocked.
harness.ignore(/status of 40\d/, /Service Worker/);

before(async () => {
  await harness.start({ modules: settings });
  // A service worker would bypass the route that usePseudoLocale installs.
  page = await harness.open('desdemona@zulip.com', { serviceWorkers: 'block', reducedMotion: 'reduce' });
  const iago = await harness.open('iago@zulip.com');
  seeded = await seed(page, iago);
  all = places(seeded);
  await iago.context().close();
  await usePseudoLocale(page);
  await call(page, 'PATCH', '/settings', { default_language: 'de' });
  await page.reload();
  await page.getByText('⟦').first().waitFor();
});

after(() => harness.stop());

/** sizes are widths and heights in pixels, and the size of the text in per cent. The first is 1280 by 1024 at 400 %. */
const sizes = [
  [320, 256, 100],
  [320, 568, 100],
  [320, 568, 200],
  [390, 844, 200],
  [820, 1180, 200],
  [1440, 900, 200],
];

test('long texts are neither clipped nor covered, and touch targets are large enough', async () => {
  const client = await page.context().newCDPSession(page);
  const faults = {};
  const look = async (name, options) => {
    const found = await page.evaluate(measure, options);
    if (found.length > 0) faults[name] = found;
  };
  for (const place of all) {
    await page.setViewportSize({ width: 1300, height: 850 });
    await visit(page, place);
    await look(`${place.name} on a desktop`, { part: place.part });
    await client.send('Emulation.setTouchEmulationEnabled', { enabled: true });
    await page.setViewportSize({ width: 360, height: 740 });
    await look(`${place.name} on a phone`, { part: place.part, target: 44, strict: true });
    await client.send('Emulation.setTouchEmulationEnabled', { enabled: false });
    await leave(page, place);
  }
  assert.deepEqual(faults, {});
});

test('titles can be read and Send reached at 400 % zoom, at 320 pixels, and with text of 200 %', async () => {
  await call(page, 'PATCH', '/settings', { default_language: 'en' });
  await page.locator('html[lang=en]').waitFor();
  const client = await page.context().newCDPSession(page);
  const faults = {};
  const look = async (name, part, [width, height, percent]) => {
    await page.setViewportSize({ width, height });
    const standard = (16 * percent) / 100;
    await client.send('Page.setFontSizes', { fontSizes: { standard, fixed: 13 } });
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    const found = [...(await page.evaluate(reach)), ...(await page.evaluate(measure, { part }))];
    if (found.length > 0) faults[`${name}, ${width} px, ${percent} %`] = found;
  };
  for (const place of all) {
    await visit(page, place);
    for (const size of sizes) await look(place.name, place.part, size);
    await leave(page, place);
  }
  await client.send('Page.setFontSizes', { fontSizes: { standard: 16, fixed: 13 } });
  assert.deepEqual(faults, {});
});

test('pages without a login fit long texts', async () => {
  const context = await harness.browser.newContext({ viewport: { width: 360, height: 740 }, locale: 'en-GB' });
  const guest = await harness.tab(context);
  const faults = {};
  for (const place of pages(seeded)) {
    await visitPage(guest, harness.server.url, place);
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
