// A monkey: random clicks, keys and text in all views, while somebody else changes what is shown. Whatever it does, no
// page reports an error. MONKEY_ACTIONS is the number of actions, MONKEY_SEED the seed of the random choices.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { random } from '../random.mjs';
import { call, eventually, go, Harness } from './harness.mjs';
import { closeOverlays, places, settings } from './places.mjs';
import { seed as fill } from './seed.mjs';

const actions = Number(process.env.MONKEY_ACTIONS ?? 300);
const seed = Number(process.env.MONKEY_SEED ?? 1);
const draw = random(seed);
const below = (n) => Math.floor(draw() * n);
const one = (list) => list[below(list.length)];
const REMEMBERED = 12; // actions that are printed before a fault

const harness = new Harness();
let page;
let other;
let seeded;
let hashes;

before(async () => {
  await harness.start({ modules: settings });
  harness.ignoreFailedRequests();
  page = await harness.open('desdemona@zulip.com', { serviceWorkers: 'block', reducedMotion: 'reduce' });
  harness.ignore(/Service Worker/);
  other = await harness.open('iago@zulip.com');
  seeded = await fill(page, other);
  hashes = [...new Set(places(seeded).map((p) => p.hash)), '#narrow/is/nothing', '#nowhere'];
  page.on('dialog', (d) => d.accept().catch(() => undefined));
  page.context().on('page', (opened) => opened.close());
  // What would end the session or the organization is refused.
  await page.route(
    (url) => /accounts\/logout|\/realm\/deactivate|\/json\/sessions/.test(url.pathname),
    (route) => (route.request().method() === 'GET' ? route.fallback() : refuse(route)),
  );
  await page.route(/\/json\/(users\/me|settings)$/, (route) => {
    const r = route.request();
    return r.method() === 'DELETE' || /password/.test(r.postData() ?? '') ? refuse(route) : route.fallback();
  });
});

after(() => harness.stop());

const refuse = (route) =>
  route.fulfill({ status: 400, json: { result: 'error', code: 'BAD_REQUEST', msg: 'Refused by the test.' } });

/**
 * target runs in the page. It chooses something that a person could click, scrolls to it, and returns its place and
 * name.
 */
function target(draw) {
  const kinds = 'a[href], button, select, input, textarea, summary, [role=option], [role=menuitem], [tabindex="0"]';
  const shown = [...document.querySelectorAll(kinds)].filter(
    (e) =>
      !e.disabled &&
      e.type !== 'file' &&
      (e.localName !== 'a' || e.getAttribute('href').startsWith('#')) &&
      e.checkVisibility({ visibilityProperty: true, opacityProperty: false }),
  );
  for (let i = 0; i < 5 && shown.length > 0; i++) {
    const e = shown[Math.floor(((draw + i * 0.618) % 1) * shown.length)];
    e.scrollIntoView({ block: 'nearest' });
    const r = e.getBoundingClientRect();
    const [x, y] = [r.x + r.width / 2, r.y + r.height / 2];
    const hit = document.elementFromPoint(x, y);
    if (!hit || !(e.contains(hit) || hit.contains(e))) continue;
    const name = e.ariaLabel ?? e.innerText?.slice(0, 40) ?? '';
    return { x, y, name: `${e.role ?? e.localName} ${JSON.stringify(name)}` };
  }
  return undefined;
}

const keys = [
  ...['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight', 'Enter', 'Escape', 'Escape', 'Tab', 'Tab', 'Shift+Tab'],
  ...['Home', 'End', 'PageUp', 'PageDown', 'Backspace', 'Delete', 'Space', 'Control+Enter', 'Control+k', 'Control+z'],
  ...'?/jknprqcstuewadfgimxzPSRAG'.split(''),
];
const words = [
  'tide ',
  '@ia',
  '#Ven',
  ':boat',
  '/poll ',
  '**',
  '12',
  '2027-01-01',
  '@**Iago** ',
  '```\n',
  'https://a.b ',
];

async function click() {
  const found = await page.evaluate(target, draw());
  if (!found) return 'nothing to click';
  const button = below(20) === 0 ? 'right' : 'left';
  await page.mouse.click(found.x, found.y, { button });
  return `${button} click on ${found.name}`;
}

async function press() {
  const key = one(keys);
  await page.keyboard.press(key);
  return `press ${key}`;
}

async function type() {
  const text = one(words);
  await page.keyboard.type(text);
  return `type ${text}`;
}

async function travel() {
  const to = one(hashes);
  await go(page, to);
  return `go to ${to}`;
}

async function back() {
  const direction = one(['back', 'forward']);
  await page.evaluate((d) => history[d](), direction);
  return `go ${direction}`;
}

/** interfere lets another person change something. Refused changes are no faults. */
async function interfere() {
  const { channels, people, own } = seeded;
  const channel = one([channels['Venice'], channels['Denmark'], channels['Verona']]);
  const topic = one(['gondolas', 'lunch', 'monkeys']);
  const says = {
    type: 'channel',
    to: channel,
    topic,
    content: one(['Hm', '@**Desdemona** look', '> so\n\n`it` is']),
  };
  const changes = [
    ['POST', '/messages', says],
    ['POST', '/messages', says],
    ['POST', '/messages', { type: 'direct', to: [people['Desdemona']], content: 'Psst' }],
    ['POST', `/messages/${own}/reactions`, { emoji_name: one(['tada', 'boat']) }],
    ['PATCH', `/messages/${own}`, { topic: one(['gondolas', 'boats']), propagate_mode: 'change_all' }],
    ['PATCH', `/streams/${channel}`, { description: `About ${below(100)}` }],
    ['PATCH', `/users/${people['Zoe']}`, { full_name: one(['Zoe', 'Zoë', 'Zoe of Venice']) }],
    ['POST', '/users/me/status', { status_text: one(['', 'at sea']) }],
    ['POST', '/typing', { op: 'start', to: [people['Desdemona']] }],
    ['PATCH', `/users/${people['Hamlet']}`, { role: one([300, 400, 600]) }],
    ['PATCH', `/user_groups/${seeded.group}`, { description: `Rowers ${below(100)}` }],
  ];
  const [method, path, params] = one(changes);
  await call(other, method, path, params);
  return `Iago: ${method} ${path}`;
}

const kinds = [...Array(50).fill(click), ...Array(25).fill(press), ...Array(12).fill(type), travel, travel, travel];
kinds.push(back, ...Array(4).fill(interfere));

/** atHome opens the client again if an action has led away from it. */
async function atHome() {
  const there = await page.evaluate(() => document.querySelector('.app') !== null).catch(() => false);
  if (!there) await page.goto(`${harness.server.url}/#inbox`);
  await page.locator('.app main').waitFor();
}

test(`${actions} random actions cause no error`, async (t) => {
  const done = [];
  for (let i = 0; i < actions && harness.problems.length === 0; i++) {
    if (i % 25 === 0) await atHome();
    // An action can lead to another page while the next one is chosen.
    const what = await one(kinds)().catch((e) => `failed: ${e.message.split('\n')[0]}`);
    done.push(`${i}: ${what}`);
  }
  const idle = done.filter((what) => /: (nothing|failed)/.test(what));
  t.diagnostic(`${idle.length} of ${done.length} actions did nothing`);
  assert.ok(idle.length < done.length / 2, `most actions did nothing:\n${idle.slice(0, REMEMBERED).join('\n')}`);
  const recent = done.slice(-REMEMBERED).join('\n');
  assert.deepEqual(harness.problems, [], `MONKEY_SEED=${seed}\n${recent}`);
});

test('afterwards the client still works', async () => {
  await atHome();
  await closeOverlays(page);
  await go(page, '#recent');
  await eventually(async () => (await page.locator('main h1').count()) > 0);
});
