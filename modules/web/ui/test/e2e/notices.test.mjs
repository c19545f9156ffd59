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
    globalThis.played = [];
    const parameter = () => ({
      setValueAtTime: (value) => value > 100 && globalThis.played.push(value),
      linearRampToValueAtTime: () => undefined,
      exponentialRampToValueAtTime: () => undefined,
    });
    const node = () => ({ frequency: parameter(), gain: parameter(), connect: (to) => to, start() {}, stop() {} });
    globalThis.AudioContext = class {
      state = 'running';
      currentTime = 0;
      destination = {};
      createOscillator = node;
      createGain = node;
    };
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

test('the chosen sound is played, once and only for what is not muted', async () => {
  const played = () => desdemona.evaluate(() => globalThis.played.splice(0).join());
  const heard = async () => {
    let sound = '';
    await eventually(async () => (sound = await played()) !== '');
    return sound;
  };
  await go(desdemona, '#settings/notifications');
  await played();
  const sounds = desdemona.getByRole('combobox', { name: 'Sound' });
  const previews = new Set();
  const choose = async (name) => {
    const saved = desdemona.waitForResponse((r) => r.url().endsWith('/json/settings'));
    await sounds.selectOption(name);
    await saved;
  };
  for (const name of ['Bloop', 'Chime', 'Pop', 'Standard', 'Ding']) {
    await choose(name);
    previews.add(await heard());
  }
  assert.equal(previews.size, 5);
  const ding = [...previews].at(-1);

  const say = (content, topic = 'chatter') =>
    call(iago, 'POST', '/messages', { type: 'channel', to: 'Venice', topic, content });
  const arrived = async (content) => {
    await call(iago, 'POST', '/messages', { type: 'direct', to: [me], content });
    await next();
  };
  await arrived('A first one');
  assert.equal(await heard(), ding);
  // The pause between sounds has passed in the page, too.
  await desdemona.evaluate(() => {
    const { now } = Date;
    let ahead = 0;
    Date.now = () => now() + (ahead += 5000);
  });
  await say('Nobody is called');
  await arrived('A second one');
  assert.equal(await heard(), ding);
  const { stream_id: venice } = await call(iago, 'GET', '/get_stream_id', { stream: 'Venice' });
  await call(desdemona, 'POST', '/user_topics', { stream_id: venice, topic: 'noise', visibility_policy: 1 });
  await say('@**all**, listen', 'noise');
  await choose('None');
  await arrived('A third one');
  assert.equal(await played(), '');
  await choose('Ding');
  await heard();
  await desdemona.getByLabel('Play a sound').uncheck();
  await eventually(() => sounds.isDisabled());
  await arrived('A fourth one');
  assert.equal(await played(), '');
});
