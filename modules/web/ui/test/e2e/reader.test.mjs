// What a screen reader is told of sending, reading and reacting: the accessibility tree as text, beside this file.
// UPDATE=1 writes it anew.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { box, eventually, go, row, say, World } from './world.mjs';

const world = new World();
const tree = fileURLToPath(new URL('reader.txt', import.meta.url));
const walk = [];
let desdemona;
let iago;

/** note writes down a part of the page as a screen reader is told of it, without times, which differ. */
async function note(what, locator) {
  const seen = (await locator.ariaSnapshot()).replace(/\d{1,2}:\d{2}( [ap]m)?/gi, 'TIME').replace(/\/\d+$/gm, '/ID');
  walk.push(`## ${what}\n\n${seen.replace(/near\/\d+/g, 'near/ID')}\n`);
}

before(async () => {
  await world.start();
  desdemona = await world.open('desdemona@zulip.com');
  iago = await world.open('iago@zulip.com');
  for (const p of [desdemona, iago]) await go(p, '#narrow/channel/4-Venice/topic/reader');
});

after(() => world.stop());

test('sending, reading and reacting sound as they should', async () => {
  await say(iago, 'Come, my lord');
  await row(desdemona, 'Come, my lord').waitFor();
  await box(desdemona).fill('What a deed of **darkness**');
  await note('writing a message', desdemona.locator('main form, main .compose').last());
  await box(desdemona).press('Control+Enter');
  await row(iago, 'What a deed').waitFor();
  await note('a message that has come', row(iago, 'What a deed'));
  const live = iago.locator('[aria-live=polite]').filter({ hasText: 'Desdemona: What a deed of darkness' });
  await eventually(async () => (await live.count()) === 1);
  walk.push(`## what is announced\n\n${(await live.textContent()).trim()}\n`);
  await row(iago, 'What a deed').getByRole('button', { name: 'Add a reaction' }).focus();
  await iago.keyboard.press('Enter');
  await iago.getByRole('textbox', { name: 'Filter' }).last().fill('tada');
  await note('choosing an emoji', iago.getByRole('dialog', { name: 'Emoji' }));
  await iago.keyboard.press('Enter');
  await row(desdemona, 'What a deed')
    .getByRole('button', { name: /reacted/ })
    .waitFor();
  await note('a message with a reaction', row(desdemona, 'What a deed'));
  const got = walk.join('\n');
  if (process.env.UPDATE) writeFileSync(tree, got);
  assert.equal(got, readFileSync(tree, 'utf8'));
});

test('the first message of an empty conversation is announced, and so is the same one again', async () => {
  for (const p of [desdemona, iago]) await go(p, '#narrow/channel/4-Venice/topic/silence');
  await iago.getByText('No messages here yet.').waitFor();
  const live = iago.locator('[aria-live=polite]').filter({ hasText: 'Desdemona: Hush &' });
  await say(desdemona, 'Hush &');
  await eventually(async () => (await live.count()) === 1);
  const first = await live.textContent();
  await say(desdemona, 'Hush &');
  await eventually(async () => (await live.textContent()) !== first);
  for (const p of [desdemona, iago]) await go(p, '#narrow/channel/4-Venice/topic/reader');
});

test('many messages at once are not read out one by one', async () => {
  const said = [];
  await iago.exposeFunction('heard', (s) => said.push(s));
  await iago.evaluate(() => {
    const regions = [...document.querySelectorAll('[aria-live=polite]')];
    for (const r of regions)
      new MutationObserver(() => globalThis.heard(r.textContent)).observe(r, {
        childList: true,
        characterData: true,
        subtree: true,
      });
  });
  for (let i = 0; i < 8; i++) await say(desdemona, `torrent ${i}`);
  await row(iago, 'torrent 7').waitFor();
  await eventually(() => said.some((s) => s.includes('torrent 7')));
  assert.ok(said.filter((s) => s.includes('torrent')).length <= 8);
});

test('focus returns to what has opened a dialog', async () => {
  const open = desdemona.getByRole('button', { name: /^Jump to a conversation/ });
  await open.focus();
  await desdemona.keyboard.press('Enter');
  await desdemona.getByRole('dialog').waitFor();
  await desdemona.keyboard.press('Escape');
  await desdemona.getByRole('dialog').waitFor({ state: 'detached' });
  assert.ok(await open.evaluate((e) => e === document.activeElement));
});

test('no page has reported a problem', () => assert.deepEqual(world.problems, []));
