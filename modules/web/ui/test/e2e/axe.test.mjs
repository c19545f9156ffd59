// axe finds no violation in any view, in both themes; in the administration and in what is written from right to left,
// also in Arabic.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { furnish } from './furnish.mjs';
import { leave, pages, places, visit, visitPage } from './places.mjs';
import { call, World } from './world.mjs';

const world = new World();
const axe = readFileSync(fileURLToPath(new URL('../../node_modules/axe-core/axe.min.js', import.meta.url)), 'utf8');
const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
// In the other theme only colours can differ.
const themes = { light: { type: 'tag', values: rules }, dark: { type: 'rule', values: ['color-contrast'] } };
let page;
let all;
let facts;

before(async () => {
  await world.start({ modules: { channels: '{web_public_streams: true}' } });
  page = await world.open('desdemona@zulip.com');
  const iago = await world.open('iago@zulip.com');
  facts = await furnish(page, iago);
  all = places(facts);
  await iago.context().close();
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.evaluate(axe);
});

after(() => world.stop());

/** faultsIn returns what axe finds in a part of the page, in both themes. */
async function faultsIn(page, part, only = themes) {
  const faults = [];
  for (const [colorScheme, runOnly] of Object.entries(only)) {
    await page.emulateMedia({ colorScheme });
    const found = await page.evaluate(
      // Sizes of targets are measured in looks.test.mjs: axe takes what is scrolled halfway out of view for small.
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

test('in every view and dialog', async () => assert.deepEqual(await walk(all), {}));

test('in what is seen without a login', async () => {
  const guest = await world.tab(await world.browser.newContext({ locale: 'en-GB', reducedMotion: 'reduce' }));
  world.forgiven = /Failed to load resource/; // pages that are not there
  const faults = {};
  for (const place of pages(facts)) {
    await visitPage(guest, world.server.url, place);
    await guest.evaluate(axe);
    const found = await faultsIn(guest, place.part);
    if (found.length > 0) faults[place.name] = found;
  }
  assert.deepEqual(faults, {});
  await guest.context().close();
});

test('in Arabic', async () => {
  await call(page, 'PATCH', '/settings', { default_language: 'ar' });
  await page.locator('html[dir=rtl]').waitFor();
  const some = all.filter(
    (p) => p.kind === 'administration' || ['topic', 'inbox', 'settings display'].includes(p.name),
  );
  assert.deepEqual(await walk(some, { light: themes.light }), {});
});

test('no page has reported a problem', () => assert.deepEqual(world.problems, []));
