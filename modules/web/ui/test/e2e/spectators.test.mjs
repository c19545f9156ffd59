// Spectators, the guide, slash commands, and several organizations on one server.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { call, go, login, row, sendMessage, Harness } from './harness.mjs';

const harness = new Harness();
let iago;

before(async () => {
  await harness.start({ modules: { channels: '{web_public_streams: true}' } });
  iago = await harness.open('desdemona@zulip.com');
  const { result, msg } = await call(iago, 'PATCH', '/realm', { enable_spectator_access: 'true' });
  assert.equal(result, 'success', msg);
  await call(iago, 'POST', '/users/me/subscriptions', {
    subscriptions: '[{"name": "lounge", "description": "Come in"}]',
    is_web_public: 'true',
  });
  await iago.getByRole('link', { name: 'lounge' }).first().click();
  await iago.getByRole('combobox', { name: 'Topic' }).fill('welcome');
  await sendMessage(iago, 'Everybody may **read** this');
  await row(iago, 'Everybody may read this').waitFor();
});

after(() => harness.stop());

for (const [device, viewport] of [
  ['a phone', { width: 360, height: 740 }],
  ['a tablet', { width: 768, height: 1024 }],
]) {
  test(`a spectator opens a link on ${device} and returns to it after logging in`, async () => {
    const context = await harness.browser.newContext({ viewport, hasTouch: true, locale: 'en-GB' });
    const page = await harness.tab(context);
    const asked = new Set();
    page.on('request', (r) => {
      const { pathname } = new URL(r.url());
      if (pathname.startsWith('/json/')) asked.add(`${r.method()} ${pathname.replace(/\d+/, '*')}`);
    });
    await page.goto(`${harness.server.url}/`);
    await page.getByRole('heading', { name: 'Public channels' }).waitFor();
    await page.getByRole('main').getByRole('link', { name: 'lounge' }).click();
    await row(page, 'Everybody may read this').waitFor();
    await page.getByRole('main').getByRole('link', { name: 'welcome' }).click();
    await page.getByRole('heading', { name: 'welcome' }).waitFor();
    await page.getByText('Log in to write here').waitFor();
    assert.equal(await page.getByRole('combobox', { name: /^Message / }).count(), 0);

    // Personal views are not requested, even if the URL names them.
    for (const hash of ['#narrow/is/starred', '#narrow/dm/9', '#inbox', '#settings/profile', '#narrow/channel/1']) {
      await go(page, hash);
      await page.getByRole('heading', { name: 'Log in to see this' }).waitFor();
    }
    await page.goBack();
    assert.deepEqual([...asked].sort(), ['GET /json/messages', 'GET /json/users/me/*/topics', 'POST /json/register']);

    await page.goto(`${harness.server.url}/#recent`);
    await page
      .getByRole('main')
      .getByRole('link', { name: /welcome/ })
      .click();
    await row(page, 'Everybody may read this').waitFor();
    await page.keyboard.press('r');
    await page.getByRole('dialog').getByText('you return to this page').waitFor();
    await page.getByRole('dialog').getByRole('link', { name: 'Log in' }).click();
    await page.getByLabel('Email address').waitFor();
    await login(page, 'desdemona@zulip.com');
    await page.getByRole('heading', { name: 'welcome' }).waitFor();
    await page.getByRole('combobox', { name: /^Message / }).waitFor();
    await context.close();
  });
}

test('a spectator sees new messages without reloading', async () => {
  const context = await harness.browser.newContext({ locale: 'en-GB' });
  const page = await harness.tab(context);
  await page.clock.install();
  await page.goto(`${harness.server.url}/`);
  await page.getByRole('main').getByRole('link', { name: 'lounge' }).click();
  await page.getByRole('main').getByRole('link', { name: 'welcome' }).click();
  await row(page, 'Everybody may read this').waitFor();
  for (const text of ['And this, too', 'This is changed', 'This is deleted']) {
    await sendMessage(iago, text);
    await row(iago, text).waitFor();
  }
  await page.clock.runFor(31_000);
  for (const text of ['And this, too', 'This is changed', 'This is deleted']) await row(page, text).waitFor();
  const id = (text) => row(iago, text).getAttribute('data-message');
  await call(iago, 'PATCH', `/messages/${await id('This is changed')}`, { content: 'This was changed' });
  await call(iago, 'DELETE', `/messages/${await id('This is deleted')}`);
  await page.clock.runFor(31_000);
  await row(page, 'This was changed').waitFor();
  await row(page, 'This is deleted').waitFor({ state: 'detached' });
  assert.equal(await row(page, 'This is changed').count(), 0);
  await row(page, 'And this, too').waitFor();
  await context.close();
});

test('the guide explains the current view, and is loaded on demand', async () => {
  const guide = () =>
    iago.evaluate(() => performance.getEntriesByType('resource').some((r) => /\/Guide-/.test(r.name)));
  await go(iago, '#settings/notifications');
  await iago.getByRole('heading', { name: 'Settings' }).waitFor();
  assert.equal(await guide(), false);
  await iago.getByRole('link', { name: 'Help with this view' }).click();
  await iago.getByRole('heading', { name: 'Notifications' }).waitFor();
  await iago.getByText('Alert words notify you of every message').waitFor();
  assert.equal(await guide(), true);
  await iago.getByRole('navigation', { name: 'Help' }).getByRole('link', { name: 'Keyboard' }).click();
  await iago.getByRole('heading', { name: 'Keyboard' }).waitFor();
  await iago.goBack();
  await iago.goBack();
  await iago.getByRole('heading', { name: 'Settings' }).waitFor();
});

test('a slash command changes a setting and sends no message', async () => {
  await iago.getByRole('link', { name: 'lounge' }).first().click();
  await iago.getByRole('combobox', { name: 'Topic' }).fill('commands');
  await sendMessage(iago, '/dark');
  await iago.getByText('Dark theme is on').waitFor();
  await iago.locator('html[data-theme="dark"]').waitFor();
  await sendMessage(iago, '/light');
  await iago.locator('html[data-theme="light"]').waitFor();
  assert.equal(await row(iago, '/dark').count(), 0);
});

test('a browser remembers its organizations and switches between them', async () => {
  const several = new Harness();
  several.ignore(/Cross-Origin-Opener-Policy/); // browsers ignore it on hosts without HTTPS
  await several.start({
    args: ['--host-resolver-rules=MAP *.test 127.0.0.1, MAP chat.test 127.0.0.1'],
    domain: 'chat.test',
  });
  try {
    const { server } = several;
    server.run('user', 'password', '--email', 'iago@zulip.com', '--password-stdin');
    server.run(
      'realm',
      'create',
      '--name',
      'Cynics',
      '--subdomain',
      'cynics',
      '--owner-email',
      'diogenes@example.com',
      '--owner-name',
      'Diogenes',
      '--password-stdin',
    );
    const page = await several.tab(await several.browser.newContext({ viewport: { width: 360, height: 740 } }));
    for (const [host, email] of [
      ['cynics.chat.test', 'diogenes@example.com'],
      ['chat.test', 'iago@zulip.com'],
    ]) {
      await page.goto(`http://${host}:${server.port}/login/`);
      await login(page, email);
      await page.getByRole('heading', { name: 'Inbox' }).waitFor();
    }
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('navigation').getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('menuitem', { name: 'Your organizations' }).click();
    await page.getByRole('dialog').getByRole('link', { name: 'Cynics' }).click();
    await page.waitForURL(/cynics/);
    await page.getByRole('heading', { name: 'Inbox' }).waitFor();
    await page.goto(`http://cynics.chat.test:${server.port}/organizations/`);
    assert.equal(await page.getByRole('link').count(), 2);
    await page.getByLabel('Name of an organization').fill('cynics');
    await page.getByRole('button', { name: 'Find' }).click();
    await page.getByRole('link', { name: 'Open Cynics' }).waitFor();
    await page.getByRole('button', { name: 'Forget Cynics' }).click();
    await page.getByRole('button', { name: 'Forget Cynics' }).waitFor({ state: 'detached' });
  } finally {
    await several.stop();
  }
});
