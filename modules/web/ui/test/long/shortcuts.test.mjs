// Every key of the table of shortcuts, in every view that it is listed for, where the message that it needs is far
// outside of the rendered rows. Focus moves with the keys, and is never lost to the page.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { call, eventually, go, Harness } from '../e2e/harness.mjs';

const MANY = 220; // messages, most of which are not rendered

const harness = new Harness();
let page;
let iago;
let venice;
let me;
let ids;
let other;

before(async () => {
  await harness.start();
  page = await harness.open('desdemona@zulip.com', { reducedMotion: 'reduce' });
  iago = await harness.open('iago@zulip.com');
  ({ stream_id: venice } = await call(iago, 'GET', '/get_stream_id', { stream: 'Venice' }));
  me = (await call(page, 'GET', '/users/me')).user_id;
  ids = [];
  for (let i = 0; i < MANY; i++) ids.push(await send(i % 2 ? page : iago, 'canal', `Boat ${i}`));
  other = await send(iago, 'lagoon', 'A boat in another topic');
  await call(page, 'POST', '/messages/flags', { messages: ids, op: 'add', flag: 'starred' });
  await call(page, 'POST', '/mark_all_as_read');
});

after(() => harness.stop());

async function send(from, topic, content) {
  return (await call(from, 'POST', '/messages', { type: 'channel', to: [venice], topic, content })).id;
}

const article = (id) => page.locator(`article[data-message="${id}"]`);
const selected = () => page.locator('article.selected');
const focused = () => page.evaluate(() => document.activeElement.closest('article')?.dataset.message);
const isFocused = (id) => eventually(async () => (await focused()) === String(id));
const visible = (id) =>
  eventually(() =>
    article(id).evaluateAll((all) => {
      const box = document.getElementById('messages')?.getBoundingClientRect();
      const r = all[0]?.getBoundingClientRect();
      return r !== undefined && r.top < box.bottom && r.bottom > box.top;
    }),
  );
const heading = (name) => page.getByRole('heading', { level: 1, name }).waitFor();

/** views are the lists of messages: their address, and what they lead to. */
const views = {
  topic: () => `#narrow/channel/${venice}-Venice/topic/canal`,
  feed: () => '#feed',
  search: () => '#narrow/search/Boat',
};

/** all are the keys tried in every view; the others do not depend on the view's kind. */
const all = ['j', 'k', 'Home', 'G', 's', 'r', 'ArrowLeft', 'm', 'u', '+', '=', 'i'];

/** end is the newest message of a view. */
const end = (view) => (['topic', 'starred'].includes(view) ? ids.at(-1) : other);

/** far opens a view whose newest message is selected, and whose oldest ones are rendered. */
async function far(view) {
  await go(page, '#narrow/is/mentioned');
  await heading('Mentions');
  await go(page, views[view]());
  await page.locator('article[data-message]').first().waitFor();
  await page.evaluate(() => document.activeElement?.blur());
  await page.keyboard.press('End');
  await isFocused(end(view));
  // Scrolled by the wheel, the selection stays.
  await eventually(async () => {
    await page.locator('#messages').evaluate((e) => (e.scrollTop = 0));
    return (await article(ids[0]).count()) > 0 && (await article(ids.at(-1)).count()) === 0;
  });
}

/** close closes what a key has opened, and reports what that was. */
const opened =
  (role, name = /./) =>
  async () => {
    await page.getByRole(role, { name }).last().waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole(role, { name }).last().waitFor({ state: 'detached' });
  };

const writes = (pattern) => async () => {
  const box = page.getByRole('combobox', { name: /^Message / });
  await box.waitFor();
  await eventually(async () => pattern.test(await box.inputValue()));
  assert.ok(await box.evaluate((b) => b === document.activeElement));
  await box.fill('');
};

const message = async (id) => (await call(page, 'GET', `/messages/${id}`)).message;

/** reading lists the keys that act on a list of messages, with what they must do when the newest one is selected. */
const reading = {
  j: (v) => isFocused(end(v)),
  ArrowDown: (v) => isFocused(end(v)),
  k: (v) => isFocused(previous(v)),
  ArrowUp: (v) => isFocused(previous(v)),
  J: () => scrolled(),
  PageDown: () => scrolled(),
  ' ': () => scrolled(),
  K: () => eventually(async () => (await selected().count()) === 0),
  PageUp: () => eventually(async () => (await selected().count()) === 0),
  'Shift+ ': () => eventually(async () => (await selected().count()) === 0),
  Home: async () => {
    await eventually(async () => Number(await focused()) <= ids[0]);
    await visible(Number(await focused()));
  },
  G: (v) => isFocused(end(v)),
  End: (v) => isFocused(end(v)),
  s: async (v) => heading(v === 'topic' ? 'Venice' : topic(v)),
  S: () => heading('Venice'),
  z: (v) => heading(topic(v)),
  r: writes(/^$/),
  Enter: writes(/^$/),
  R: async (v) => {
    await heading(sender(v));
    await writes(/^$/)();
  },
  '@': writes(/^@\*\*/),
  '>': writes(/```quote/),
  '<': opened('dialog'),
  c: async (v) => (['topic', 'channel'].includes(v) ? inComposer() : heading('Direct messages')),
  x: () => heading('Direct messages'),
  ArrowLeft: () => edits(ids.at(-1)),
  e: (v) => (end(v) === ids.at(-1) ? edits(end(v)) : undefined),
  m: opened('dialog', /Move/),
  H: () => undefined, // only for edited messages; see below
  V: opened('dialog', /Read by/),
  u: async (v) => opened('dialog', sender(v))(),
  v: () => undefined, // only for messages with images; tested in messages.test.mjs
  'Ctrl+s': async (v) => {
    const was = end(v) !== other;
    await eventually(async () => (await message(end(v))).flags.includes('starred') !== was);
    await call(page, 'POST', '/messages/flags', { messages: [end(v)], op: was ? 'add' : 'remove', flag: 'starred' });
  },
  '+': (v) => reacts(v, true),
  '=': (v) => reacts(v, false),
  ':': async (v) => {
    await page.getByRole('combobox', { name: 'Search emoji' }).waitFor();
    await page.keyboard.press('Escape');
    await isFocused(end(v));
  },
  '-': async (v) => {
    await eventually(async () => (await message(end(v))).flags.includes('collapsed'));
    await call(page, 'POST', '/messages/flags', { messages: [end(v)], op: 'remove', flag: 'collapsed' });
  },
  U: async (v) => {
    await eventually(async () => !(await message(end(v))).flags.includes('read'));
    await call(page, 'POST', '/mark_all_as_read');
  },
  M: async (v) => {
    const muted = async () =>
      (await call(page, 'POST', '/register', { fetch_event_types: ['user_topic'] })).user_topics.some(
        (t) => t.topic_name === topic(v) && t.visibility_policy === 1,
      );
    await eventually(muted);
    await call(page, 'POST', '/user_topics', { stream_id: venice, topic: topic(v), visibility_policy: 0 });
  },
  i: async (v) => {
    await page.getByRole('menuitem', { name: 'Copy the link' }).waitFor();
    await visible(end(v));
    await page.keyboard.press('Escape');
    await isFocused(end(v));
  },
};

const topic = (v) => (end(v) === other ? 'lagoon' : 'canal');
const sender = (v) => (end(v) === other ? 'Iago' : /Desdemona|Notes to yourself/);
const previous = (v) => (end(v) === other ? ids.at(-1) : ids.at(-2));
const inComposer = () => eventually(() => page.evaluate(() => !!document.activeElement.closest('.compose')));

async function scrolled() {
  await eventually(() => page.locator('#messages').evaluate((e) => e.scrollTop > 0));
  assert.equal(await selected().count(), 0);
}

async function edits(id) {
  await article(id).locator('textarea').waitFor();
  await visible(id);
  await page.keyboard.press('Escape');
  await isFocused(id);
}

async function reacts(v, on) {
  await eventually(async () => (await message(end(v))).reactions.length > 0 === on);
}

/** elsewhere lists the keys that work in all views, with what they open. */
const elsewhere = {
  'Ctrl+k': opened('dialog', /Jump/),
  '/': () => eventually(() => page.evaluate(() => document.activeElement.id === 'search')),
  q: () => eventually(() => page.evaluate(() => document.activeElement.id === 'channel-filter')),
  w: () => eventually(() => page.evaluate(() => document.activeElement.id === 'people-filter')),
  n: () => heading('unread topic'),
  N: () => heading('followed topic'),
  p: () => heading('Iago'),
  P: () => heading('Direct messages'),
  A: () => eventually(() => page.evaluate(() => location.hash.startsWith('#narrow/channel/'))),
  D: () => eventually(() => page.evaluate(() => location.hash.startsWith('#narrow/channel/'))),
  I: () => heading('Inbox'),
  t: () => heading('Recent conversations'),
  a: () => heading('Combined feed'),
  '*': () => heading('Starred messages'),
  d: () => heading('Drafts'),
  Y: opened('dialog', /status/),
  g: async () => {
    await page.getByRole('menuitem', { name: 'Set a status' }).waitFor();
    await page.keyboard.press('Escape');
  },
  '?': opened('dialog', 'Keyboard shortcuts'),
  'Ctrl+p': () => undefined, // prints; condensed.test.mjs covers it
  Escape: () => undefined, // closes what the other keys open
  'Ctrl+[': () => undefined,
};

const press = (key) =>
  page.keyboard.press(
    key === 'Shift+ '
      ? 'Shift+Space'
      : key === ' '
        ? 'Space'
        : key.replace(/^([A-Z])$/, 'Shift+$1').replace(/^Ctrl/, 'Control'),
  );

test('the tests cover every key of the table', async () => {
  await page.keyboard.press('?');
  const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  const listed = await dialog
    .locator('.keys')
    .evaluateAll((all) => all.map((k) => [...k.children].map((c) => c.textContent).join('+')));
  await page.keyboard.press('Escape');
  const names = { PgDn: 'PageDown', PgUp: 'PageUp', '␣': ' ', 'Shift+␣': 'Shift+ ', Esc: 'Escape' };
  const arrows = { '←': 'ArrowLeft', '↑': 'ArrowUp', '↓': 'ArrowDown', '↵': 'Enter' };
  const key = (k) =>
    ({ ...names, ...arrows })[k] ??
    k.replace(/^Shift\+(\w)$/, '$1').replace(/^Ctrl\+(\w)$/, (all, c) => `Ctrl+${c.toLowerCase()}`);
  const single = (k) => (/^[A-Z]$/.test(k) ? k.toLowerCase() : key(k));
  const known = new Set([...Object.keys(reading), ...Object.keys(elsewhere)]);
  assert.deepEqual(
    listed.map(single).filter((k) => !known.has(k)),
    [],
  );
});

for (const view of Object.keys(views)) {
  test(`the keys for messages work in the view ${view}, with rows outside the window`, async () => {
    const failed = [];
    for (const [key, check] of Object.entries(reading)) {
      if (view !== 'topic' && !all.includes(key)) continue;
      await far(view);
      await press(key);
      try {
        await check(view);
      } catch (e) {
        failed.push(`${key}: ${e.message.split('\n')[0]}`);
      }
      await page.keyboard.press('Escape');
    }
    assert.deepEqual(failed, []);
  });
}

test('the other keys work in every kind of view, and on a phone', async () => {
  const failed = [];
  for (const [width, hashes, keys] of [
    [1300, ['#inbox', '#settings/display', views.topic()], Object.keys(elsewhere)],
    [390, ['#inbox', views.topic()], ['/', 'q', 'w', 'g']],
  ]) {
    await page.setViewportSize({ width, height: 850 });
    for (const hash of hashes) {
      for (const key of keys) {
        if (['n', 'N', 'p'].includes(key)) await unread();
        await go(page, hash);
        await page.locator('main h1').first().waitFor();
        await page.evaluate(() => document.activeElement?.blur());
        await press(key);
        try {
          // The list of people is not on a phone's screen.
          await elsewhere[width < 760 && key === 'w' ? 'Ctrl+k' : key]();
        } catch (e) {
          failed.push(`${key} in ${hash}: ${e.message.split('\n')[0]}`);
        }
        await page.keyboard.press('Escape');
      }
    }
  }
  await page.setViewportSize({ width: 1300, height: 850 });
  assert.deepEqual(failed, []);
});

/** unread has Iago write what the keys for unread conversations find. */
async function unread() {
  await call(page, 'POST', '/mark_all_as_read');
  await eventually(async () => !/^\(/.test(await page.title()));
  await call(page, 'POST', '/user_topics', { stream_id: venice, topic: 'followed topic', visibility_policy: 3 });
  await send(iago, 'unread topic', 'First');
  await send(iago, 'followed topic', 'Second');
  await call(iago, 'POST', '/messages', { type: 'direct', to: [me], content: 'Third' });
  await eventually(async () => /^\([3-9]/.test(await page.title()));
}
