// Runs axe on every view in both themes; the administration and right-to-left text also in Arabic.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { seed } from '../e2e/seed.mjs';
import { leave, pages, places, settings, visit, visitPage } from '../e2e/places.mjs';
import { call, Harness } from '../e2e/harness.mjs';

const harness = new Harness();
const axe = readFileSync(fileURLToPath(new URL('../../node_modules/axe-core/axe.min.js', import.meta.url)), 'utf8');
const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
// The other theme can differ only in colours.
const themes = { light: { type: 'tag', values: rules }, dark: { type: 'rule', values: ['color-contrast'] } };
let page;
let all;
let seeded;

before(async () => {
  await harness.start({ modules: settings });
  page = await harness.open('desdemona@zulip.com');
  const iago = await harness.open('iago@zulip.com');
  seeded = await seed(page, iago);
  all = places(seeded);
  await iago.context().close();
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.evaluate(axe);
});

after(() => harness.stop());

/** faultsIn returns axe's violations in a part of the page, in both themes. */
async function faultsIn(page, part, only = themes) {
  const faults = [];
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe); // the page was loaded again
  for (const [colorScheme, runOnly] of Object.entries(only)) {
    await page.emulateMedia({ colorScheme });
    const found = await page.evaluate(
      // Target sizes are tested in layout.test.mjs, since axe reports partially scrolled targets as too small.
      ([part, runOnly]) =>
        globalThis.axe.run(
          { include: [part] },
          { runOnly, rules: { 'target-size': { enabled: false } }, resultTypes: ['violations'], preload: false },
        ),
      [part, runOnly],
    );
    for (const v of found.violations)
      faults.push(...v.nodes.slice(0, 4).map((n) => `${colorScheme} ${v.id} ${n.target} ${n.html.slice(0, 120)}`));
  }
  return faults;
}

async function walk(list, only) {
  const faults = {};
  for (const place of list) {
    await visit(page, place);
    const found = await faultsIn(page, place.part, only);
    if (found.length > 0) faults[place.name] = found;
    await leave(page, place);
  }
  return faults;
}

test('axe finds no violation in any view or dialog', async () => assert.deepEqual(await walk(all), {}));

test('axe finds no violation without a login', async () => {
  const guest = await harness.tab(await harness.browser.newContext({ locale: 'en-GB', reducedMotion: 'reduce' }));
  harness.ignore(/status of 40\d/); // some pages report what is missing
  const faults = {};
  for (const place of pages(seeded)) {
    await visitPage(guest, harness.server.url, place);
    await guest.evaluate(axe);
    const found = await faultsIn(guest, place.part);
    if (found.length > 0) faults[place.name] = found;
  }
  assert.deepEqual(faults, {});
  await guest.context().close();
});

test('axe finds no violation in Arabic', async () => {
  await call(page, 'PATCH', '/settings', { default_language: 'ar' });
  await page.locator('html[dir=rtl]').waitFor();
  const some = all.filter((p) => p.kind === 'administration' || ['topic', 'inbox'].includes(p.name));
  assert.deepEqual(await walk(some, { light: themes.light }), {});
});
