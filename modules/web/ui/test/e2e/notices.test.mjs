// What a user sees and hears of new messages while looking elsewhere.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { call, eventually, go, Harness } from './harness.mjs';

const harness = new Harness();
let desdemona;
let iago;
let zoe;
let me;

before(async () => {
  await harness.start();
  desdemona = await harness.open('desdemona@zulip.com');
  iago = await harness.open('iago@zulip.com');
  zoe = await harness.open('zoe@zulip.com');
  ({ user_id: me } = await call(desdemona, 'GET', '/users/me'));
  await desdemona.evaluate(() => {
    globalThis.shown = [];
    globalThis.Notification = class {
      static permission = 'granted';
      constructor(title) {
        globalThis.shown.push(title);
      }
    };
    document.hasFocus = () => false;
  });
  await go(desdemona, '#inbox');
});

after(() => harness.stop());

const shown = () => desdemona.evaluate(() => globalThis.shown.splice(0));

async function next() {
  let titles = [];
  await eventually(async () => (titles = await shown()).length > 0);
  return titles;
}

test('titles of notifications name everybody once', async () => {
  const { user_id: third } = await call(zoe, 'GET', '/users/me');
  const name = (await call(zoe, 'GET', '/users/me')).full_name;
  await call(iago, 'POST', '/messages', { type: 'direct', to: [me], content: 'Just you' });
  assert.deepEqual(await next(), ['Iago']);
  await call(iago, 'POST', '/messages', { type: 'direct', to: [me, third], content: 'Both of you' });
  assert.deepEqual(await next(), [`Iago – ${name}`]);
  const content = 'You there, @**Desdemona**?';
  await call(iago, 'POST', '/messages', { type: 'channel', to: 'Venice', topic: 'lunch', content });
  assert.deepEqual(await next(), ['Iago – #Venice › lunch']);
});

test('the title and the icon count unread messages as chosen, each message once', async () => {
  const count = async () => Number(/^\((\d+)\) /.exec(await desdemona.title())?.[1] ?? 0);
  const icon = async () => {
    const href = await desdemona.locator('link[rel=icon]').getAttribute('href');
    return Number(/>(\d+)<\/text>/.exec(decodeURIComponent(href))?.[1] ?? 0);
  };
  const choose = (n) => call(desdemona, 'PATCH', '/settings', { desktop_icon_count_display: n });
  await choose(3);
  await call(desdemona, 'POST', '/mark_all_as_read');
  await eventually(async () => (await count()) === 0 && (await icon()) === 0);
  await call(iago, 'POST', '/messages', { type: 'direct', to: [me], content: '@**Desdemona**, once' });
  await eventually(async () => (await count()) === 1 && (await icon()) === 1);
  await call(iago, 'POST', '/messages', { type: 'channel', to: 'Venice', topic: 'lunch', content: 'Anybody?' });
  await choose(1);
  await eventually(async () => (await count()) === 2 && (await icon()) === 2);
  await choose(4);
  await eventually(async () => (await count()) === 0 && (await icon()) === 0);
  assert.equal(
    await desdemona.locator('link[rel=icon]').getAttribute('href'),
    `${harness.server.url}/static/stoa/icon.svg`,
  );
  await choose(1);
});
