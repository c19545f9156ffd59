// A walk through the client of a server that runs only some modules: nothing may be shown, offered or requested that
// the server cannot do.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { box, call, eventually, go, Harness, row, sendMessage } from './harness.mjs';
import { settings } from './places.mjs';
import { seed } from './seed.mjs';
import { config, stoa } from './server.mjs';

/** TRACES are texts of parts that cannot be resolved. */
const TRACES = /Unknown (group|channel|person)|The server cannot be reached|could not be loaded|is missing/;

/** SETTLED is the time in milliseconds after which a view has made its requests. */
const SETTLED = 250;

/** leavesWith returns the modules that can be left out, each with those that leave with it. */
export function leavesWith() {
  const out = execFileSync(stoa, ['modules', '--config', config], { encoding: 'utf8' });
  const all = new Map();
  let name;
  for (const line of out.split('Modules that can be left out')[1].split('\n')) {
    const [, found] = /^ {2}on {2}(\w+):/.exec(line) ?? [];
    if (found) all.set((name = found), [found]);
    const [, more] = /leaves with (.+)/.exec(line) ?? [];
    if (more) all.get(name).push(...more.split(', '));
  }
  return all;
}

/** watchRefused collects requests of all pages that the server refuses. */
export function watchRefused(harness, refused) {
  const create = harness.browser.newContext;
  harness.browser.newContext = async (options) => {
    const context = await create(options);
    context.on('response', (r) => {
      const { pathname } = new URL(r.url());
      if ([400, 404].includes(r.status())) refused.push(`${r.status()} ${r.request().method()} ${pathname}`);
    });
    return context;
  };
}

/** OWNER is the owner of an organization without demo data. */
const OWNER = 'owner@stoa.localhost';

/**
 * walkWithout fills an organization, leaves out modules and walks through the client as its owner. When the modules
 * run again, everything is as it was.
 */
export async function walkWithout(...modules) {
  const harness = new Harness();
  const refused = [];
  try {
    await harness.start({ modules: settings });
    let owner = await harness.open('desdemona@zulip.com');
    await seed(owner, await harness.open('iago@zulip.com'));
    // The module demo creates the data; it needs modules that are left out afterwards.
    const restart = async (...without) => {
      for (const context of harness.browser.contexts()) await context.close();
      await harness.server.halt();
      harness.server.leaveOut('demo', ...without);
      await harness.server.start();
      owner = await harness.open('desdemona@zulip.com');
    };
    await restart();
    const [state, shown] = [await stateOf(owner), await ownViews(owner, modules)];
    watchRefused(harness, refused);
    await restart(...modules);
    await walk(owner, (name) => !modules.includes(name));
    await restart();
    assert.deepEqual(await stateOf(owner), state, 'the state differs after the modules were left out');
    assert.deepEqual(await ownViews(owner, modules), shown, 'views differ after the modules were left out');
  } finally {
    await harness.stop().finally(() => assert.deepEqual([...new Set(refused)], [], 'requests were refused'));
  }
}

/** walkEmptyWithout starts a server without modules and demo data, and walks through the client as the only user. */
export async function walkEmptyWithout(...modules) {
  const harness = new Harness();
  const refused = [];
  try {
    await harness.start({ demo: false, modules: Object.fromEntries(modules.map((name) => [name, 'false'])) });
    watchRefused(harness, refused);
    await walk(await harness.open(OWNER), (name) => !modules.includes(name));
  } finally {
    await harness.stop().finally(() => assert.deepEqual([...new Set(refused)], [], 'requests were refused'));
  }
}

/** PASSING are keys of the state that change with each login or message. */
const PASSING =
  /^(queue_id|last_event_id|max_message_id|presence.*|server_.*|unread_msgs|recent_private_conversations)$/;

/** stateOf returns what a client is told of the organization and its user. */
async function stateOf(page) {
  const all = await call(page, 'POST', '/register', { client_capabilities: { notification_settings_null: true } });
  return Object.fromEntries(Object.entries(all).filter(([key]) => !PASSING.test(key)));
}

/** ownViews returns the texts of views of modules, without times. */
async function ownViews(page, modules) {
  const out = {};
  for (const name of modules)
    for (const hash of [views[name] ?? [], sections[name] ?? []].flat()) {
      await go(page, hash);
      await look(page, hash);
      await eventually(async () => !(await page.locator('main').innerText()).includes('Loading…'));
      out[hash] = (await page.locator('main').innerText()).replaceAll(
        /\d+|just now|(an?|seconds?|minutes?) ago/g,
        '',
      );
    }
  return out;
}

/** look checks what is on the screen, once it has settled. */
export async function look(page, where) {
  await page.waitForTimeout(SETTLED);
  const shown = await page.locator('body').innerText();
  const at = shown.search(TRACES);
  assert.equal(at, -1, `${where}: ${shown.slice(Math.max(0, at - 200), at + 100)}`);
}

async function walk(page, has) {
  const main = page.locator('main');
  const people = (await call(page, 'GET', '/users')).members;
  const { user_id: other } = people.find((u) => u.email === 'iago@zulip.com') ?? people.find((u) => u.is_owner);
  const first = !people.some((u) => u.email === 'iago@zulip.com');
  const dm = `#narrow/dm/${other}`;

  async function visit(hash) {
    await go(page, hash);
    await look(page, hash);
  }

  /** absent checks that there is no page at the address of a part that needs a module. */
  async function absent(name, hash) {
    if (has(name)) return visit(hash);
    await go(page, hash);
    await main.getByText('This address leads to no view.').waitFor();
  }

  async function press(key) {
    await page.locator('body').press(key);
    await look(page, `key ${key}`);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
  }

  for (const hash of ['#inbox', '#recent', '#feed', '#narrow/is/mentioned', '#narrow/is/starred', '#narrow/is/dm'])
    await visit(hash);
  for (const [name, all] of Object.entries(views)) for (const hash of [all].flat()) await absent(name, hash);

  // A direct conversation, its composer and menus.
  await visit(dm);
  await box(page).fill('/');
  await look(page, 'slash commands');
  for (const typed of [':smi', '@', '#']) {
    await box(page).fill('');
    await box(page).pressSequentially(typed);
    await look(page, `completion of ${typed}`);
  }
  await box(page).fill('');
  await box(page).pressSequentially('Ready to sail');
  await page.waitForTimeout(2000); // the draft is saved
  await sendMessage(page, 'Ready to sail');
  await row(page, 'Ready to sail').last().waitFor();
  await menu(main.locator('form.compose [aria-haspopup="menu"]'), 'composer');
  await ofMessage();
  await menu(main.locator('header [aria-haspopup="menu"]'), 'conversation');
  await menu(page.locator('.app > nav > header [aria-haspopup="menu"]'), 'own menu');
  await page.locator('body').press('u');
  await page.getByRole('dialog').waitFor();
  await look(page, 'person card');
  await page.keyboard.press('Escape');

  // A channel and a topic.
  if (has('channels')) {
    const { streams } = await call(page, 'GET', '/streams');
    const { stream_id: id, name } = streams.find((s) => s.name === 'Verona') ?? streams[0];
    await visit(`#narrow/channel/${id}-${name}`);
    await menu(main.locator('header [aria-haspopup="menu"]'), 'channel menu');
    if (first)
      await call(page, 'POST', '/messages', { type: 'channel', to: id, topic: 'start', content: 'Is anybody here?' });
    await main.locator('article[data-message] ').first().waitFor();
    await main.locator('.bar a.topic').first().click();
    await look(page, 'topic');
    await ofMessage();
    await menu(main.locator('header [aria-haspopup="menu"]'), 'topic menu');
    await visit(`#organization/channels/${id}`);
  }

  // Search, destinations and keys.
  await page.locator('#search').click();
  await look(page, 'search suggestions');
  await page.locator('#search').fill('is:');
  await look(page, 'search suggestions of is:');
  await page.keyboard.press('Escape');
  await visit('#narrow/search/sail');
  await visit(dm);
  await press('Control+k');
  await press('?');
  for (const key of 'qwnNpPADtad*YcxHVuMmsSi') await press(key);

  // Settings and administration.
  for (const part of ['#settings', '#organization']) {
    await visit(part);
    const links = await main
      .locator(`nav a[href^="${part}/"]`)
      .evaluateAll((all) => all.map((a) => a.getAttribute('href')));
    assert.ok(links.length > 3, part);
    for (const link of links) {
      await visit(link);
      for (const summary of await main.locator('details:not([open]) > summary').all()) await summary.click();
      await look(page, `${link}, unfolded`);
    }
  }
  await visit(`#organization/people/${other}`);
  const bot = people.find((u) => u.is_bot && u.bot_owner_id);
  if (bot && has('bots')) await visit(`#organization/bots/${bot.user_id}`);
  for (const [name, hash] of Object.entries(sections)) await absent(name, hash);

  async function menu(button, name) {
    await button.first().click();
    await page.locator('[role="menu"]:popover-open').waitFor();
    await look(page, name);
    await page.keyboard.press('Escape');
  }

  async function ofMessage() {
    const last = page.locator('article[data-message]').last();
    await last.hover();
    await last.locator('.tools [aria-haspopup="menu"]').focus();
    await menu(last.locator('.tools [aria-haspopup="menu"]'), 'message menu');
  }
  await eventually(async () => (await page.locator('.empty [role="status"]').count()) === 0);
}

/** views are those that need a module, outside of the settings and the administration. */
const views = {
  drafts: '#drafts',
  scheduled: ['#scheduled', '#reminders'],
  channels: '#channels/all',
  groups: '#groups',
};

/** sections are parts of the settings and the administration that need a module. */
const sections = {
  alertwords: '#settings/alerts',
  bots: '#organization/bots',
  channels: '#organization/channels',
  emoji: '#organization/emoji',
  exports: '#organization/exports',
  groups: '#organization/groups',
  invites: '#organization/invitations',
  linkifiers: '#organization/linkifiers',
  playgrounds: '#organization/playgrounds',
  profilefields: '#organization/profile-fields',
  reports: '#organization/reports',
};
