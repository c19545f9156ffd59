// Combining marks stacked thousands of times stay within their own box: in messages, and wherever a view shows text
// that others have written. Resolved topics have the icon in every view.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { call, go, row, sendMessage, Harness } from './harness.mjs';
import { leave, places, settings, visit } from './places.mjs';
import { rawMarks } from './rawmarks.mjs';
import { seed } from './seed.mjs';

const UP = '\u0300';
const DOWN = '\u0316';

const harness = new Harness();
// Some pages report what is missing, and service workers are blocked.
harness.ignore(/status of 40\d/, /Service Worker/);
let page;
let seeded;

before(async () => {
  await harness.start({ modules: settings });
  page = await harness.open('desdemona@zulip.com', { serviceWorkers: 'block', reducedMotion: 'reduce' });
  const iago = await harness.open('iago@zulip.com');
  seeded = await seed(page, iago);
  await iago.context().close();
});

after(() => harness.stop());

/** frame returns a picture of a message, without the pointer above anything. */
async function frame(text) {
  await page.mouse.move(0, 0);
  return (await row(page, text).screenshot({ animations: 'disabled' })).toString('base64');
}

test('a message with thousands of marks leaves the messages around it as they are', async () => {
  await go(page, '#narrow/channel/1-Denmark/topic/marks');
  await sendMessage(page, 'The message above');
  await row(page, 'The message above').waitFor();
  await sendMessage(page, `Middle e${UP.repeat(3000)} g${DOWN.repeat(3000)}`);
  await row(page, 'Middle').waitFor();
  await sendMessage(page, 'The message below');
  await row(page, 'The message below').waitFor();
  const around = async () => [await frame('The message above'), await frame('The message below')];
  const marked = await around();
  await row(page, 'Middle')
    .locator('.rendered p')
    .evaluate((p) => (p.textContent = 'Middle e g'));
  const plain = await around();
  assert.ok(marked[0] === plain[0], 'the message above has changed');
  assert.ok(marked[1] === plain[1], 'the message below has changed');
});

test('letters with several marks are not cut', async () => {
  for (const [name, text] of [
    ['Thai', 'ที่นี่ ปู่ กู้'],
    ['Vietnamese', 'Ở ngã ẾỆ Ữ'],
    ['Tibetan', 'བསྒྲུབས་ རྐྱེན་'],
  ]) {
    await sendMessage(page, `${name} ${text}`);
    const message = row(page, name);
    await message.waitFor();
    const clipped = await frame(name);
    await message.locator('.rendered').evaluate((e) => (e.style.overflow = 'visible'));
    assert.ok(clipped === (await frame(name)), name);
  }
});

/**
 * unclipped runs in the page and returns the elements with text of others that could draw outside of their own line or
 * block: the closest ancestor that clips is much larger than they are.
 */
function unclipped(part) {
  const clips = (e) => getComputedStyle(e).overflowY !== 'visible';
  const block = (e) => !['inline', 'contents'].includes(getComputedStyle(e).display);
  const closest = (e, is) => {
    while (e && e !== document.body && !is(e)) e = e.parentElement;
    return e;
  };
  const out = new Set();
  const all = document.querySelector(part).querySelectorAll('.rendered, bdi, [dir="auto"], .ellipsis, h1, h2, h3, p');
  for (const e of all) {
    if (e.matches('input, textarea, select, .rendered *') || !e.textContent.trim() || !e.checkVisibility()) continue;
    const [own, clip] = [closest(e, block), closest(e, clips)];
    const [a, b] = [own.getBoundingClientRect(), clip.getBoundingClientRect()];
    if (b.top < a.top - 16 || b.bottom > a.bottom + 16)
      out.add(`${e.tagName.toLowerCase()}.${e.className.replace(/ ?svelte-\w+/g, '')} in ${clip.className}`);
  }
  return [...out];
}

test('in every view, the text of others is clipped to its own box, and resolved topics have the icon', async () => {
  const faults = {};
  for (const place of places(seeded)) {
    await visit(page, place);
    const found = [...(await page.evaluate(unclipped, place.part)), ...(await page.evaluate(rawMarks))];
    if (found.length > 0) faults[place.name] = found;
    await leave(page, place);
  }
  assert.deepEqual(faults, {});
});

test('toasts are clipped', async () => {
  await call(page, 'POST', '/messages', { type: 'channel', to: 1, topic: 'marks', content: 'x' });
  const style = await page.evaluate(() => {
    const p = document.createElement('p');
    document.querySelector('.toasts').append(p);
    const { overflow } = getComputedStyle(p);
    p.remove();
    return overflow;
  });
  assert.equal(style, 'clip');
});
