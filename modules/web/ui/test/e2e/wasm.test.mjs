// What a module that was installed while the server runs adds to the client.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { install } from './guest.mjs';
import { box, eventually, go, row, sendMessage, Harness } from './harness.mjs';

const harness = new Harness();
let page;

const manifest = {
  name: 'kudos',
  title: 'Kudos',
  version: '1.0.0',
  permissions: ['web'],
  routes: [{ method: 'GET', path: '/top', access: 'members' }],
  script: 'web/kudos.js',
  style: 'web/kudos.css',
};

const script = `
import { heading } from './heading.js';

export default function kudos(stoa) {
  stoa.sidebar({ id: 'top', label: 'Kudos', page: 'top' });
  stoa.page({
    id: 'top',
    title: 'Kudos',
    async mount(root, path) {
      const { points } = await stoa.call('GET', '/modules/kudos/top');
      root.append(heading(points + ' points ' + path));
    },
  });
  stoa.messageAction({ id: 'thank', label: 'Thank', run: (m) => stoa.open('top', 'of ' + m.id) });
  stoa.composerButton({ id: 'thanks', label: 'Say thanks', run: (composer) => composer.insert('Many thanks') });
  stoa.command({ id: 'show', label: 'Show kudos', slash: 'kudos', run: () => stoa.open('top') });
}
`;

const files = {
  'web/kudos.js': script,
  'web/heading.js': `export function heading(text) {
  const h = document.createElement('h2');
  h.textContent = text;
  return h;
}
`,
  'web/kudos.css': 'h2 { color: rgb(1, 2, 3) }',
};

before(async () => {
  await harness.start({ modules: { wasm: '{}' } });
  page = await harness.open('iago@zulip.com');
});

after(() => harness.stop());

const views = () => page.getByRole('navigation', { name: 'Views' });
const entry = () => views().locator('a[href="#module/kudos/top"]');

/** loaded reloads the page until the module is there, or gone: the server prepares it within a second. */
const loaded = (wanted) =>
  eventually(async () => {
    await page.reload();
    await views().getByRole('link', { name: 'Inbox' }).waitFor();
    const there = await entry()
      .waitFor({ timeout: 3000 })
      .then(
        () => true,
        () => false,
      );
    return there === wanted;
  });

test('an installed module adds a page with its style and the answers of its route', async () => {
  assert.equal(await entry().count(), 0);
  install(harness.server, manifest, { points: 3 }, files);
  await loaded(true);
  await entry().click();
  const heading = page.getByRole('heading', { name: '3 points' });
  await heading.waitFor();
  assert.equal(await heading.evaluate((e) => getComputedStyle(e).color), 'rgb(1, 2, 3)');
});

test('an installed module adds to messages, to the compose box and to its commands', async () => {
  await go(page, '#narrow/channel/1-Denmark/topic/kudos');
  await sendMessage(page, 'A good deed');
  await row(page, 'A good deed').hover();
  await row(page, 'A good deed').getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Thank' }).click();
  await page.getByRole('heading', { name: /^3 points of \d+$/ }).waitFor();
  await go(page, '#narrow/channel/1-Denmark/topic/kudos');
  await box(page).fill('/kud');
  await page.getByRole('option', { name: /^\/kudos/ }).waitFor();
  await box(page).fill('/kudos');
  await box(page).press('Control+Enter');
  await page.getByRole('heading', { name: '3 points', exact: true }).waitFor();
  await go(page, '#narrow/channel/1-Denmark/topic/kudos');
  await box(page).fill('');
  await page.getByRole('button', { name: 'Say thanks' }).click();
  assert.equal(await box(page).inputValue(), 'Many thanks');
  await box(page).fill('');
});

test('another version replaces it, and nothing is left once it is removed', async () => {
  const changed = { ...files, 'web/kudos.js': script.replaceAll("'Kudos'", "'Kudos of all'") };
  install(harness.server, { ...manifest, version: '1.0.1' }, { points: 4 }, changed);
  await loaded(true);
  await views().getByRole('link', { name: 'Kudos of all' }).click();
  await page.getByRole('heading', { name: '4 points' }).waitFor();
  harness.server.run('module', 'remove', 'kudos', '--yes');
  await loaded(false);
  await go(page, '#inbox');
});
