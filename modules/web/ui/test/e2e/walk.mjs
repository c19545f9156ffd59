// A walk through the client of a server that runs only some modules: nothing may be shown, offered or requested that
// the server cannot do.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { box, call, eventually, go, Harness, row, sendMessage } from './harness.mjs';
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

/** walkWithout starts a server without modules and walks through its client as the organization's owner. */
export async function walkWithout(...modules) {
  const harness = new Harness();
  const refused = [];
  try {
    await harness.start({ modules: Object.fromEntries(modules.map((name) => [name, 'false'])) });
    watchRefused(harness, refused);
    const page = await harness.open('desdemona@zulip.com');
    await walk(page, (name) => !modules.includes(name));
  } finally {
    await harness.stop().finally(() => assert.deepEqual([...new Set(refused)], [], 'requests were refused'));
  }
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
  const { user_id: other } = people.find((u) => u.email === 'iago@zulip.com');
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
  for (const [name, hash] of [
    ['drafts', '#drafts'],
    ['scheduled', '#scheduled'],
    ['scheduled', '#reminders'],
    ['channels', '#channels/all'],
    ['groups', '#groups'],
  ])
    await absent(name, hash);

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
