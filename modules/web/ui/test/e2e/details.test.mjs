// The mark of resolved topics, the history behind "(edited)", and the people panel.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { box, call, eventually, go, row, Harness } from './harness.mjs';

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
