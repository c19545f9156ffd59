// The mark of resolved topics, the history behind "(edited)", and the people panel.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { box, call, eventually, go, row, Harness } from './harness.mjs';
import { rawMarks } from './rawmarks.mjs';

const harness = new Harness();
let iago, hamlet;

before(async () => {
  await harness.start();
  [iago, hamlet] = [await harness.open('iago@zulip.com'), await harness.open('hamlet@zulip.com')];
});

after(() => harness.stop());

const send = (page, topic, content) =>
  call(page, 'POST', '/messages', { type: 'channel', to: '4', topic: topic, content });

test('a resolved topic has the same mark everywhere, which is read once', async () => {
  await send(hamlet, '✔ leaking gondola', 'It is dry');
  const views = {
    '#inbox': (page) => page.locator('main li a', { hasText: 'leaking gondola' }),
    '#recent': (page) => page.locator('main li a', { hasText: 'leaking gondola' }),
    '#narrow/channel/4-Venice/topic/.E2.9C.94.20leaking.20gondola': (page) =>
      page.locator('.topic', { has: page.getByRole('heading', { name: 'leaking gondola' }) }),
  };
  for (const [hash, find] of Object.entries(views)) {
    await go(iago, hash);
    const place = find(iago).last();
    await place.waitFor();
    const heard = await place.ariaSnapshot();
    assert.equal(heard.match(/img "resolved"/g)?.length, 1, heard);
    // Its name is a part of the link's.
    assert.equal(/link "(.*)"/.exec(heard)?.[1].match(/resolved/g)?.length ?? 1, 1, heard);
    assert.doesNotMatch(await place.textContent(), /✔/, hash);
    await place.locator('svg[aria-label="resolved"]').waitFor();
  }
  const inSidebar = iago.locator('nav').getByRole('link', { name: 'resolved leaking gondola' });
  await inSidebar.waitFor();
  await box(iago).pressSequentially('#**Venice>leak');
  await iago.getByRole('option', { name: 'leaking gondola resolved' }).waitFor();
  await box(iago).fill('');
});

test('the raw mark of a resolved topic appears nowhere, and its name changes without it', async () => {
  const gondola = '#narrow/channel/4-Venice/topic/.E2.9C.94.20leaking.20gondola';
  const clean = async (what) => assert.deepEqual(await iago.evaluate(rawMarks), [], what);
  const { id } = await send(hamlet, 'caulking', 'As in #**Venice>✔ leaking gondola**');
  await go(iago, '#narrow/channel/4-Venice/topic/caulking');
  const link = row(iago, 'As in').getByRole('link', { name: '#Venice > resolved leaking gondola' });
  await link.waitFor();
  await clean('a link');
  await link.click();
  await iago.getByRole('heading', { name: 'leaking gondola' }).waitFor();
  await clean('the topic');

  const search = iago.getByRole('combobox', { name: 'Search messages' });
  await search.fill('topic:leak');
  await iago.getByRole('option', { name: 'topic:"leaking gondola" resolved' }).waitFor();
  await clean('suggestions of the search');
  await search.press('ArrowDown');
  await search.press('Enter');
  await iago.getByRole('list', { name: 'Search terms' }).getByRole('img', { name: 'resolved' }).waitFor();
  await search.pressSequentially('dry');
  await search.press('Enter');
  await row(iago, 'It is dry').waitFor();
  await clean('a search');

  await go(iago, '#narrow/channel/4-Venice');
  await iago.getByRole('combobox', { name: 'Topic' }).focus();
  await iago.locator('datalist option').first().waitFor({ state: 'attached' });
  await clean('topics to write to');
  await iago.keyboard.press('Control+k');
  await iago.getByRole('dialog').getByRole('combobox').fill('leaking');
  await iago.getByRole('option', { name: /leaking gondola resolved/ }).waitFor();
  await clean('where to jump');
  await iago.keyboard.press('Escape');

  await go(iago, gondola);
  const act = async (name) => {
    await iago
      .getByRole('main')
      .getByRole('button', { name: /^Actions for/ })
      .first()
      .click();
    await iago.getByRole('menuitem', { name, exact: true }).click();
  };
  await act('Rename the topic');
  await clean('renaming');
  await iago.getByRole('textbox', { name: 'Name' }).fill('dry gondola');
  await iago.keyboard.press('Enter');
  await iago.getByRole('heading', { name: 'dry gondola' }).waitFor();
  await iago.locator('main header svg[aria-label="resolved"]').waitFor();
  await act('Move the topic');
  await clean('moving');
  await iago.getByRole('combobox', { name: 'New topic' }).fill('drier gondola');
  await iago.getByRole('dialog').getByRole('button', { name: 'Move', exact: true }).click();
  await iago.getByRole('heading', { name: 'drier gondola' }).waitFor();
  await iago.locator('main header svg[aria-label="resolved"]').waitFor();
  const { topics } = await call(iago, 'GET', '/users/me/4/topics');
  assert.ok(
    topics.some((t) => t.name === '✔ drier gondola'),
    JSON.stringify(topics),
  );

  // A message goes to the resolved topic of the name, and its history says so in words.
  await go(iago, `#narrow/channel/4-Venice/topic/caulking/near/${id}`);
  await row(iago, 'As in').hover();
  await row(iago, 'As in').getByRole('button', { name: 'More actions' }).click();
  await iago.getByRole('menuitem', { name: 'Move messages' }).click();
  await iago.getByRole('combobox', { name: 'New topic' }).fill('drier gondola');
  await iago.getByRole('dialog').getByRole('button', { name: 'Move', exact: true }).click();
  await iago.getByRole('heading', { name: 'drier gondola' }).waitFor();
  await act('Mark as unresolved');
  await iago.locator('main header svg[aria-label="resolved"]').waitFor({ state: 'detached' });
  await row(iago, 'As in').getByText('(moved)').click();
  const history = iago.getByRole('dialog', { name: 'Edit history' });
  await history.getByText('Marked as unresolved').waitFor();
  await history.getByText('Moved from “caulking” to “drier gondola”').waitFor();
  await clean('the history');
  await iago.keyboard.press('Escape');
});

test('"(edited)" opens the history, by keyboard too, where the organization shows it', async () => {
  await go(iago, '#narrow/channel/4-Venice/topic/history');
  const { id } = await send(iago, 'history', 'first words');
  await call(iago, 'PATCH', `/messages/${id}`, { content: 'second words' });
  const marker = row(iago, 'second words').getByRole('button', { name: '(edited)' });
  await marker.focus();
  await iago.keyboard.press('Enter');
  await iago.getByRole('dialog').getByText('first words').first().waitFor();
  await iago.keyboard.press('Escape');
  await iago.getByRole('dialog').waitFor({ state: 'detached' });
  await call(iago, 'PATCH', '/realm', { message_edit_history_visibility_policy: 'none' });
  await marker.waitFor({ state: 'detached' });
  await row(iago, 'second words').getByText('(edited)').waitFor();
});

test('dots of presence leave initials readable', async () => {
  const covered = await iago.evaluate(() => {
    const faces = [...document.querySelectorAll('aside .face')];
    return faces
      .filter((face) => face.querySelector('.dot').checkVisibility() && face.querySelector('.initials'))
      .map((face) => {
        const range = document.createRange();
        range.selectNodeContents(face.querySelector('.initials'));
        const [text, dot] = [range.getBoundingClientRect(), face.querySelector('.dot').getBoundingClientRect()];
        // The letters are capitals: they end at the baseline, a fifth of the line above its end.
        return {
          text: face.textContent.trim(),
          over: text.bottom - text.height / 5 - dot.top,
          side: text.right - dot.left,
        };
      });
  });
  assert.ok(covered.length > 0);
  assert.deepEqual(
    covered.filter(({ over, side }) => over > 0 && side > 0),
    [],
  );
});

test('the people panel can be hidden, which is remembered, and its key shows it', async () => {
  const list = iago.getByRole('searchbox', { name: 'Filter people' });
  const width = () => iago.locator('main').evaluate((e) => e.clientWidth);
  const before = await width();
  await iago.getByRole('button', { name: 'Hide people' }).click();
  await list.waitFor({ state: 'hidden' });
  assert.ok((await width()) > before + 100);
  await iago.reload();
  await iago.getByRole('button', { name: 'Show people' }).waitFor();
  await iago.getByRole('heading', { name: 'history' }).click();
  await iago.keyboard.press('w');
  await eventually(() => list.evaluate((e) => e === document.activeElement));
  await iago.getByRole('button', { name: 'Hide people' }).waitFor();
});
