// Going back closes what is open above a view, and only then leaves the view.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { seed } from './seed.mjs';
import { places, settings, visit } from './places.mjs';
import { Harness } from './harness.mjs';

const harness = new Harness();
// The organization's list of servers and the previews of links are missing.
harness.ignore(/status of 40\d/);
let page;
let seeded;

const above = 'dialog[open], :popover-open, .app > nav.open';
const at = () => page.evaluate(() => location.hash);
const entries = () => page.evaluate(() => history.length);

before(async () => {
  await harness.start({ modules: settings });
  page = await harness.open('desdemona@zulip.com', { viewport: { width: 390, height: 844 } });
  const iago = await harness.open('iago@zulip.com');
  seeded = await seed(page, iago);
  await iago.context().close();
});

after(() => harness.stop());

test('going back closes every dialog, menu and list, and stays in the view', async () => {
  const open = places(seeded).filter((p) => p.kind === 'dialog' || p.kind === 'menu' || p.part === '.app > nav');
  assert.ok(open.length > 25);
  for (const place of open) {
    await visit(page, place);
    await page.locator(above).first().waitFor();
    // A menu of the list is above the list.
    while ((await page.locator(above).count()) > 0) {
      await page.goBack();
      assert.equal(await at(), place.hash, place.name);
    }
  }
});

test('what is open adds one entry to the history, which the next view replaces', async () => {
  await page.evaluate(() => (location.hash = '#inbox'));
  await page.getByRole('heading', { name: 'Inbox' }).waitFor();
  const count = await entries();
  for (let i = 0; i < 3; i++) {
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  }
  assert.equal(await entries(), count + 1);
  await page.getByRole('button', { name: 'Menu' }).click();
  const list = page.getByRole('navigation', { name: 'Views' });
  await list.getByRole('link', { name: 'Drafts' }).click();
  await page.getByRole('heading', { name: 'Drafts' }).waitFor();
  await list.waitFor({ state: 'hidden' });
  assert.equal(await entries(), count + 1);
  await page.goBack();
  await page.getByRole('heading', { name: 'Inbox' }).waitFor();
  assert.equal(await page.locator(above).count(), 0);
});

test('after a reload, going back leaves the view at once', async () => {
  await page.evaluate(() => (location.hash = '#drafts'));
  await page.getByRole('heading', { name: 'Drafts' }).waitFor();
  await page.getByRole('button', { name: 'Menu' }).click();
  await page.getByRole('navigation', { name: 'Views' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'Drafts' }).waitFor();
  await page.goBack();
  await page.getByRole('heading', { name: 'Inbox' }).waitFor();
  await page.goForward();
  await page.getByRole('heading', { name: 'Drafts' }).waitFor();
});
