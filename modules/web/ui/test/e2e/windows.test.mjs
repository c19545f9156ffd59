// One user in several browsers: drafts that are one everywhere, and edits of one message.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { box, eventually, go, login, row, sendMessage, Harness } from './harness.mjs';

const harness = new Harness();
const topic = '#narrow/channel/4-Venice/topic/two.20browsers';
let one;
let two;

/** another logs the same user in with another browser. */
async function another() {
  const page = await (await harness.browser.newContext({ viewport: { width: 1300, height: 850 } })).newPage();
  await page.goto(`${harness.server.url}/login/`);
  await login(page, 'desdemona@zulip.com');
  await page.getByRole('heading', { name: 'Inbox' }).waitFor();
  return page;
}

before(async () => {
  await harness.start();
  [one, two] = [await harness.open('desdemona@zulip.com'), await another()];
  for (const page of [one, two]) {
    await go(page, topic);
    await box(page).waitFor();
  }
});

after(() => harness.stop());

const holds = (page, text) => eventually(async () => (await box(page).inputValue()) === text);

/** drafts returns the texts listed as drafts. */
async function drafts(page) {
  await go(page, '#drafts');
  await page.getByRole('heading', { name: 'Drafts' }).waitFor();
  return page.getByRole('main').getByRole('article').allTextContents();
}

test('a draft is one in all browsers, until it is sent or deleted', async () => {
  await box(one).fill('Begun in one');
  await holds(two, 'Begun in one');
  await box(two).press('End');
  await box(two).pressSequentially(', continued in two');
  await holds(one, 'Begun in one, continued in two');
  const three = await another();
  assert.equal((await drafts(three)).length, 1);
  await go(three, topic);
  await holds(three, 'Begun in one, continued in two');
  await box(three).press('Control+Enter');
  await row(three, 'Begun in one, continued in two').waitFor();
  for (const page of [one, two]) await holds(page, '');
  assert.deepEqual(await drafts(three), []);
  await three.context().close();

  await box(one).fill('To be deleted');
  await holds(two, 'To be deleted');
  await go(two, '#drafts');
  await two.getByRole('button', { name: 'Discard' }).click();
  await holds(one, '');
  await one.reload();
  await holds(one, '');
  await go(two, topic);
  await holds(two, '');
});

test('two windows that edit one message show both texts and let the user choose', async () => {
  await sendMessage(one, 'The original');
  await row(two, 'The original').waitFor();
  const edit = async (page, text, to) => {
    await row(page, text).hover();
    await row(page, text).getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Edit', exact: true }).click();
    const field = page.getByRole('combobox', { name: 'Edit', exact: true });
    await eventually(async () => (await field.inputValue()) !== '');
    if (to) await field.fill(to);
  };
  const save = (page) => page.getByRole('button', { name: 'Save', exact: true }).click();

  await edit(one, 'The original', 'The text of one');
  await edit(two, 'The original', 'The text of two');
  await save(one);
  const conflict = two.getByRole('alert').filter({ hasText: 'changed elsewhere' });
  await conflict.getByText('The text of one').waitFor();
  assert.equal(await two.getByRole('combobox', { name: 'Edit', exact: true }).inputValue(), 'The text of two');
  await two.getByRole('button', { name: 'Keep my text' }).click();
  await row(one, 'The text of two').waitFor();

  // The other choice; and an edit that was left and taken up again meets a change, too.
  await edit(two, 'The text of two', 'Left unfinished');
  await two.getByRole('combobox', { name: 'Edit', exact: true }).press('Escape');
  await edit(one, 'The text of two', 'Changed meanwhile');
  await save(one);
  await row(two, 'Changed meanwhile').waitFor();
  await edit(two, 'Changed meanwhile');
  await conflict.getByText('Changed meanwhile').waitFor();
  assert.equal(await two.getByRole('combobox', { name: 'Edit', exact: true }).inputValue(), 'Left unfinished');
  await two.getByRole('button', { name: 'Use the other text' }).click();
  await row(two, 'Changed meanwhile').waitFor();

  // An open box without changes follows.
  await edit(two, 'Changed meanwhile');
  await edit(one, 'Changed meanwhile', 'Changed again');
  await save(one);
  await eventually(
    async () => (await two.getByRole('combobox', { name: 'Edit', exact: true }).inputValue()) === 'Changed again',
  );
});

test('settings of a channel that are saved elsewhere are shown beside unsaved ones', async () => {
  for (const page of [one, two]) {
    await go(page, '#narrow/channel/4-Venice');
    await page.locator('main header').getByRole('button', { name: 'Actions for Venice' }).click();
    await page.getByRole('menuitem', { name: 'Channel settings' }).click();
  }
  const field = (page) => page.getByRole('dialog').getByLabel('Description');
  await field(two).fill('The description of two');
  await field(one).fill('The description of one');
  await one.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await two.getByRole('status').getByText('The description of one').waitFor();
  assert.equal(await field(two).inputValue(), 'The description of two');
});
