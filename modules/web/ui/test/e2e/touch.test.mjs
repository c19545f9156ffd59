// Touch input on a phone and on a tablet.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { box, call, eventually, go, login, row, sendMessage, Harness } from './harness.mjs';

const harness = new Harness();
const devices = {
  phone: { width: 360, height: 740 },
  tablet: { width: 768, height: 1024 },
};
const pages = {};
const sessions = {};
let desdemona;

/** finger performs a touch gesture: it presses, moves and lifts within ms milliseconds. */
async function finger(page, from, to = from, ms = 60) {
  const client = (sessions[page.viewportSize().width] ??= await page.context().newCDPSession(page));
  const at = ([x, y]) => [{ x, y }];
  await client.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: at(from) });
  for (let i = 1; i <= 4 && to !== from; i++) {
    const point = [from[0] + ((to[0] - from[0]) * i) / 4, from[1] + ((to[1] - from[1]) * i) / 4];
    await client.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: at(point) });
  }
  await page.waitForTimeout(ms);
  await client.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
}

async function middle(e) {
  const r = await e.boundingBox();
  return [r.x + r.width / 2, r.y + r.height / 2];
}

before(async () => {
  await harness.start();
  harness.server.setPassword('iago@zulip.com');
  for (const [name, viewport] of Object.entries(devices)) {
    const context = await harness.browser.newContext({ viewport, hasTouch: true, isMobile: true, locale: 'en-GB' });
    await context.addInitScript(() => {
      navigator.setAppBadge = async (n) => void (globalThis.badge = n);
    });
    const page = (pages[name] = await harness.tab(context));
    await page.goto(`${harness.server.url}/login/`);
    await login(page, 'iago@zulip.com');
    await page.getByRole('heading', { name: 'Inbox' }).waitFor();
  }
});

after(() => harness.stop());

test('swiping switches between the conversation and the list', async () => {
  const page = pages.phone;
  await go(page, '#feed');
  await page.locator('article[data-message]').first().waitFor();
  const list = page.getByRole('navigation', { name: 'Views' });
  await finger(page, [120, 400], [260, 410]);
  await list.waitFor();
  await finger(page, [260, 400], [120, 410]);
  await list.waitFor({ state: 'hidden' });
  await finger(page, [120, 400], [180, 600]); // vertical scrolling
  assert.equal(await list.isVisible(), false);
  await finger(page, [120, 400], [260, 410]);
  await list.getByRole('link', { name: 'Denmark' }).first().tap();
  await page.getByRole('heading', { name: 'Denmark' }).waitFor();
  await list.waitFor({ state: 'hidden' });
});

test('a long press on a message or a channel opens its actions', async () => {
  const page = pages.phone;
  await page.getByRole('combobox', { name: 'Topic' }).fill('a long press');
  await sendMessage(page, 'Press me');
  const pressed = row(page, 'Press me');
  await pressed.waitFor();
  await finger(page, await middle(pressed.getByText('Press me')), undefined, 700);
  await page.getByRole('dialog').getByRole('button', { name: 'Mark as unread from here' }).waitFor();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^thumbs up$/i })
    .tap();
  await pressed.getByRole('button', { name: /, 1 person: / }).waitFor();
  await finger(page, await middle(pressed.getByText('Press me')), undefined, 700);
  await page.getByRole('dialog').getByRole('button', { name: 'Star', exact: true }).tap();
  await pressed.locator('.star').waitFor();
  await finger(page, [120, 400], [260, 410]);
  const channel = page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Denmark' }).first();
  await channel.waitFor();
  await page.waitForTimeout(250);
  await finger(page, await middle(channel), undefined, 700);
  await page.getByRole('dialog', { name: 'Denmark' }).getByRole('button', { name: 'Mute' }).waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).tap();
  await finger(page, [260, 400], [120, 410]);
});

test('an on-screen keyboard does not cover the compose box', async () => {
  const page = pages.phone;
  await box(page).tap();
  // An on-screen keyboard that overlays the page, as on iOS, changes only the visual viewport.
  const bottom = () => box(page).evaluate((e) => e.closest('form').getBoundingClientRect().bottom);
  await page.evaluate(() => {
    Object.defineProperty(visualViewport, 'height', { value: 420, configurable: true });
    visualViewport.dispatchEvent(new Event('resize'));
  });
  await eventually(async () => (await bottom()) <= 420);
  await page.evaluate(() => {
    delete visualViewport.height;
    visualViewport.dispatchEvent(new Event('resize'));
  });
  await eventually(async () => (await bottom()) > 420);
  // An on-screen keyboard for which the browser shrinks the page.
  await page.setViewportSize({ width: 360, height: 380 });
  await eventually(async () => (await bottom()) <= 380);
  await page.setViewportSize(devices.phone);
});

test('a keyboard in landscape leaves room for messages, and toasts cover no compose box', async () => {
  for (const [page, size] of [
    [pages.phone, { width: 740, height: 190 }],
    [pages.phone, devices.phone],
    [pages.tablet, devices.tablet],
  ]) {
    await page.setViewportSize(size);
    await go(page, '#narrow/channel/1-Denmark/topic/a.20long.20press');
    await box(page).tap();
    const room = await page.locator('#messages').evaluate((e) => e.clientHeight);
    assert.ok(room >= 80, `${room} px for messages at ${size.width} × ${size.height}`);
    await page.getByRole('button', { name: /^Actions for/ }).tap();
    await page.getByRole('menuitem', { name: 'Copy the link' }).tap();
    const shown = page.locator('.toasts p').last();
    await shown.waitFor();
    const [a, b] = [await shown.boundingBox(), await page.locator('form.compose').boundingBox()];
    const apart = a.y + a.height <= b.y || a.y >= b.y + b.height || a.x + a.width <= b.x || a.x >= b.x + b.width;
    assert.ok(apart, `${JSON.stringify([a, b])} at ${size.width} × ${size.height}`);
  }
});

test('the collapsed search field is large enough for a finger, also after a search', async () => {
  const page = pages.phone;
  const search = page.getByRole('search');
  for (let i = 0; i < 2; i++) {
    const { width, height } = await search.boundingBox();
    assert.ok(width >= 44 && height >= 44, `${width} × ${height}`);
    await search.getByRole('combobox').tap();
    await search.getByRole('combobox').fill('nothing like this');
    await page.keyboard.press('Enter');
    await page.locator('#messages').getByText('No message matches').waitFor();
  }
});

test('who writes or edits goes on while somebody renames the topic, merges it or moves it', async () => {
  const page = pages.phone;
  desdemona = await harness.open('desdemona@zulip.com');
  const send = (topic, content) =>
    call(desdemona, 'POST', '/messages', { type: 'channel', to: 'Denmark', topic, content }).then((m) => m.id);
  const move = (id, to) => call(desdemona, 'PATCH', `/messages/${id}`, { propagate_mode: 'change_all', ...to });
  const there = await send('boats', 'This was said about boats');
  const here = await send('ships', 'This was said about ships');
  await go(page, '#narrow/channel/1-Denmark/topic/ships');
  const heading = (name) => page.locator('main').getByRole('heading', { name, exact: true }).waitFor();
  const writing = () => page.evaluate(() => document.activeElement.value);

  await box(page).tap();
  await page.keyboard.type('Written before, ');
  await move(here, { topic: 'vessels' });
  await heading('vessels');
  await page.keyboard.type('meanwhile ');
  await move(there, { topic: 'vessels' });
  await row(page, 'This was said about boats').waitFor();
  await move(there, { stream_id: 4 });
  await page.getByRole('link', { name: 'Venice', exact: true }).waitFor();
  await page.keyboard.type('and after');
  assert.equal(await writing(), 'Written before, meanwhile and after');
  await page.getByRole('button', { name: 'Send', exact: true }).tap();
  await row(page, 'Written before, meanwhile and after').waitFor();

  await finger(page, await middle(row(page, 'meanwhile and after').locator('.rendered')), undefined, 700);
  await page.getByRole('dialog').getByRole('button', { name: 'Edit', exact: true }).tap();
  await eventually(async () => (await writing()) === 'Written before, meanwhile and after');
  await move(there, { topic: 'yachts' });
  await heading('yachts');
  await page.keyboard.press('End');
  await page.keyboard.type(', edited');
  assert.equal(await writing(), 'Written before, meanwhile and after, edited');
  await page.getByRole('button', { name: 'Save', exact: true }).tap();
  await row(page, 'after, edited').waitFor();
  await page.goBack(); // passes over the former addresses
  await page.locator('#messages').getByText('No message matches').waitFor();
});

test('the badge of the installed app counts unread messages', async () => {
  const page = pages.phone;
  await go(page, '#inbox');
  const { user_id: iago } = await call(page, 'GET', '/users/me');
  const types = ['message', 'update_message_flags'];
  const unread = async () => (await call(page, 'POST', '/register', { fetch_event_types: types })).unread_msgs.count;
  const shown = async () => (await page.evaluate(() => globalThis.badge)) === (await unread());
  await eventually(shown); // what the test before has read may still be marked
  const before = await unread();
  await call(desdemona, 'POST', '/messages', { type: 'direct', to: [iago], content: 'Good even to you' });
  assert.equal(await unread(), before + 1);
  await eventually(shown);
});
