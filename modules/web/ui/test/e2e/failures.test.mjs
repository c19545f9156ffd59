// Failures of the server, the event queue, the session, the storage and the clock. No input is lost.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { box, call, eventually, go, login, row, sendMessage, Harness } from './harness.mjs';

const harness = new Harness();
let desdemona;
let iago;

before(async () => {
  await harness.start();
  desdemona = await harness.open('desdemona@zulip.com');
  iago = await harness.open('iago@zulip.com');
  harness.ignoreFailedRequests();
});

after(() => harness.stop());

const topic = (name) => `#narrow/channel/4-Venice/topic/${name}`;

test('after the queue has expired, the client registers again and keeps all text', async () => {
  let queue = '';
  iago.on('request', (r) => (queue = new URL(r.url()).searchParams.get('queue_id') ?? queue));
  await go(iago, topic('queue'));
  await go(desdemona, topic('queue'));
  await sendMessage(desdemona, 'Before');
  await row(iago, 'Before').waitFor();
  await eventually(() => queue !== '');
  await box(iago).fill('Typed while the queue goes');
  const old = queue;
  await call(iago, 'DELETE', '/events', { queue_id: old });
  await sendMessage(desdemona, 'Afterwards');
  await row(iago, 'Afterwards').waitFor();
  assert.notEqual(queue, old);
  assert.equal(await row(iago, 'Before').count(), 1);
  assert.equal(await box(iago).inputValue(), 'Typed while the queue goes');
  await box(iago).press('Control+Enter');
  await row(desdemona, 'Typed while the queue goes').waitFor();
});

test('at the rate limit, the client shows that it waits, and then sends', async () => {
  let refused = false;
  await desdemona.route('**/json/messages', (route) => {
    if (refused || route.request().method() !== 'POST') return route.fallback();
    refused = true;
    const body = {
      result: 'error',
      code: 'RATE_LIMIT_HIT',
      msg: 'API usage exceeded rate limit',
      'retry-after': 4.2,
    };
    return route.fulfill({ status: 429, json: body });
  });
  await sendMessage(desdemona, 'One too many');
  await desdemona.getByText(/Trying again in [1-5] seconds?/).waitFor();
  await row(iago, 'One too many').waitFor();
  await desdemona.getByText(/Too many requests/).waitFor({ state: 'detached' });
  assert.equal(await row(iago, 'One too many').count(), 1);
  await desdemona.unroute('**/json/messages');
});

test('a refused message can be sent again or edited', async () => {
  await desdemona.route('**/json/messages', (route) =>
    route.request().method() === 'POST'
      ? route.fulfill({ status: 400, json: { result: 'error', code: 'BAD_REQUEST', msg: 'Not today' } })
      : route.fallback(),
  );
  await sendMessage(desdemona, 'A refused word');
  await desdemona.getByText('Not today').waitFor();
  await desdemona.unroute('**/json/messages');
  await desdemona.reload();
  await desdemona.getByText('A refused word').waitFor();
  await desdemona.getByRole('button', { name: 'Send again' }).click();
  await row(iago, 'A refused word').waitFor();
});

test('an edit survives navigation, a reload and a server outage', async () => {
  await sendMessage(desdemona, 'Put out the lite');
  await row(desdemona, 'Put out the lite').waitFor();
  await box(desdemona).press('ArrowUp');
  const edit = desdemona.getByRole('combobox', { name: 'Edit' });
  await eventually(async () => (await edit.inputValue()) === 'Put out the lite');
  await edit.fill('Put out the light');
  await go(desdemona, '#inbox');
  await go(desdemona, topic('queue'));
  await desdemona.reload();
  await row(desdemona, 'Put out the lite').waitFor();
  await box(desdemona).press('ArrowUp');
  await eventually(async () => (await edit.inputValue()) === 'Put out the light');
  await harness.server.kill();
  await edit.press('Control+Enter');
  await desdemona.getByRole('alert').waitFor();
  assert.equal(await edit.inputValue(), 'Put out the light');
  await harness.server.start();
  await eventually(async () => {
    // The editor closes when the edit is saved, which may be just now.
    if (await edit.isVisible()) await edit.press('Control+Enter', { timeout: 1000 }).catch(() => {});
    return (await row(iago, 'Put out the light').count()) === 1;
  });
});

test('a refused upload keeps the text and shows the reason', async () => {
  await box(desdemona).fill('Look at this: ');
  await desdemona.route('**/api/v1/tus/', (route) =>
    route.fulfill({ status: 413, json: { message: 'The upload quota of the organization is used up.' } }),
  );
  const file = { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('words') };
  await desdemona.locator('input[type=file]').setInputFiles(file);
  await desdemona.getByText(/notes.txt was not uploaded. The upload quota/).waitFor();
  assert.equal((await box(desdemona).inputValue()).trim(), 'Look at this:');
  await desdemona.unroute('**/api/v1/tus/');
});

test('an upload continues after the server was killed', async () => {
  const cdp = await desdemona.context().newCDPSession(desdemona);
  await cdp.send('Network.enable');
  const slow = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 4 << 20 };
  await cdp.send('Network.emulateNetworkConditions', slow);
  await box(desdemona).fill('');
  // Passing a path is much faster than sending the content through the debugging protocol.
  const file = join(harness.server.dir, 'large.bin');
  writeFileSync(file, Buffer.alloc(12 << 20, 'x'));
  await desdemona.locator('input[type=file]').setInputFiles(file);
  await eventually(() => desdemona.locator('progress').evaluate((p) => p.value > 0.3));
  await harness.server.kill();
  await harness.server.start();
  await cdp.send('Network.emulateNetworkConditions', { ...slow, uploadThroughput: -1 });
  // The aborted request locks the upload for 15 seconds.
  const whole = async () => /^\[large.bin\]\(\/user_uploads\//.test(await box(desdemona).inputValue());
  await eventually(whole, 40_000);
  const [, path] = /\((\/user_uploads\/[^)]*)\)/.exec(await box(desdemona).inputValue());
  const size = await desdemona.evaluate(async (p) => (await (await fetch(p)).arrayBuffer()).byteLength, path);
  assert.equal(size, 12 << 20);
});

test('two tabs writing at once have separate drafts', async () => {
  const second = await harness.tab(desdemona.context());
  await go(desdemona, topic('tabs'));
  await second.goto(`${harness.server.url}/${topic('tabs')}`);
  await box(second).waitFor();
  await box(desdemona).fill('Written in the first tab');
  await box(second).fill('Written in the second one');
  await go(iago, '#drafts');
  await desdemona.reload();
  await go(desdemona, '#drafts');
  await desdemona.getByText('Written in the first tab').waitFor();
  await desdemona.getByText('Written in the second one').waitFor();
  await box(second).press('Control+Enter');
  await row(second, 'Written in the second one').waitFor();
  await desdemona.getByText('Written in the second one').waitFor({ state: 'detached' });
  await desdemona.getByText('Written in the first tab').waitFor();
  await second.close();
});

test('the client works without storage and with a wrong clock', async () => {
  const context = await harness.browser.newContext({ viewport: { width: 1300, height: 850 }, locale: 'en-GB' });
  await context.addInitScript(() => {
    for (const name of ['localStorage', 'sessionStorage']) {
      Object.defineProperty(globalThis, name, {
        get() {
          throw new DOMException('Blocked', 'SecurityError');
        },
      });
    }
    const now = Date.now.bind(Date);
    Date.now = () => now() + 9 * 3600_000;
  });
  const page = await harness.tab(context);
  await page.goto(`${harness.server.url}/login/`);
  await login(page, 'iago@zulip.com');
  await page.getByRole('heading', { name: 'Inbox' }).waitFor();
  await page
    .getByRole('complementary', { name: 'People' })
    .getByRole('link', { name: /Desdemona.*active/ })
    .waitFor();
  await go(page, topic('blocked'));
  await box(page).fill('Kept by the server');
  await page.getByRole('link', { name: /^Drafts\s*\d/ }).waitFor();
  await page.reload();
  await eventually(async () => (await box(page).inputValue()) === 'Kept by the server');
  await box(page).press('Control+Enter');
  await row(page, 'Kept by the server').waitFor();
  await context.close();
});

test('a full storage loses no visible text', async () => {
  await go(desdemona, topic('full'));
  await desdemona.evaluate(() => {
    Storage.prototype.setItem = () => {
      throw new DOMException('Full', 'QuotaExceededError');
    };
  });
  await box(desdemona).fill('There is no room');
  await go(desdemona, '#inbox');
  await go(desdemona, topic('full'));
  assert.equal(await box(desdemona).inputValue(), 'There is no room');
  await box(desdemona).press('Control+Enter');
  await row(desdemona, 'There is no room').waitFor();
  await desdemona.reload();
});

test('a control whose change is refused shows the stored value again', async () => {
  await desdemona.route('**/json/settings', (route) =>
    route.fulfill({ status: 400, json: { result: 'error', code: 'BAD_REQUEST', msg: 'Not today' } }),
  );
  await go(desdemona, '#settings/display');
  const day = desdemona.getByLabel('24-hour');
  const before = await day.isChecked();
  await day.click();
  await desdemona.getByText('Not today').first().waitFor();
  await eventually(async () => (await day.isChecked()) === before);
  const theme = desdemona.getByLabel('Theme');
  const former = await theme.inputValue();
  await theme.selectOption({ label: 'Dark' });
  await eventually(async () => (await theme.inputValue()) === former);
  await desdemona.unroute('**/json/settings');
});

test('a session ended elsewhere leads to the login page and back, with the typed text', async () => {
  await go(desdemona, topic('ended'));
  await box(desdemona).fill('To be continued');
  await eventually(async () => (await desdemona.getByRole('link', { name: /^Drafts\s*\d/ }).count()) > 0);
  const elsewhere = await harness.browser.newContext();
  const page = await harness.tab(elsewhere);
  await page.goto(`${harness.server.url}/login/`);
  await login(page, 'desdemona@zulip.com');
  await page.getByRole('heading', { name: 'Inbox' }).waitFor();
  await go(page, '#settings/sessions');
  await page.getByRole('button', { name: 'Log out everywhere else' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Log out everywhere else' }).click();
  await desdemona.waitForURL(/\/login\//);
  await login(desdemona, 'desdemona@zulip.com');
  await desdemona.getByRole('heading', { name: 'ended' }).waitFor();
  assert.equal(await box(desdemona).inputValue(), 'To be continued');
  await elsewhere.close();
});

test('what is missing since the server has a newer client is explained, with a button that reloads', async () => {
  const page = await harness.open('hamlet@zulip.com', { serviceWorkers: 'block' });
  await page.route('**/static/web/assets/Administration*', (route) => route.fulfill({ status: 404 }));
  await page.route(`${harness.server.url}/`, async (route) => {
    const html = await (await route.fetch()).text();
    return route.fulfill({ contentType: 'text/html', body: html.replace(/index-[\w-]+\.js/, 'index-newer.js') });
  });
  await go(page, '#organization');
  await page.getByText('This could not be loaded.').waitFor();
  await page.getByText('There is a newer version of Stoa.').waitFor();
  await page.unrouteAll({ behavior: 'wait' });
  await page.getByRole('button', { name: 'Reload the page' }).click();
  await page.getByRole('heading', { name: 'Organization', level: 1 }).waitFor();
  await page.context().close();
});
