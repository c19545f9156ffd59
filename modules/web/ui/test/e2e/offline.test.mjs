// Offline use: the client opens with the last known state, saves what is written, and deletes everything on logout.
import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { box, eventually, go, login, row, sendMessage, Harness } from './harness.mjs';

const harness = new Harness();
let page;
let context;

before(async () => {
  await harness.start({ wholeBrowser: true });
  harness.ignoreFailedRequests();
  page = await harness.open('iago@zulip.com');
  context = page.context();
  await page.setViewportSize({ width: 360, height: 740 });
});

after(() => harness.stop());

const stored = () =>
  page.evaluate(async () => {
    const shell = await (await caches.open('stoa-shell')).match('/');
    const there = (await indexedDB.databases()).some((d) => d.name === 'stoa');
    const names = await new Promise((resolve) => {
      if (!there) return resolve([]);
      const r = indexedDB.open('stoa', 1);
      r.onsuccess = () => {
        const all = r.result.transaction('values').objectStore('values').getAllKeys();
        all.onsuccess = () => {
          r.result.close();
          resolve(all.result);
        };
      };
    });
    return { page: (await shell?.text()) ?? '', policy: shell?.headers.get('content-security-policy'), names };
  });

test('the page and the last known state are saved without credentials', async () => {
  await go(page, '#narrow/channel/1-Denmark/topic/without.20a.20net');
  await sendMessage(page, 'Said before');
  await row(page, 'Said before').waitFor();
  await eventually(async () => (await stored()).page !== '');
  const { page: html, policy } = await stored();
  assert.match(html, /<meta name="csrf-token" content="offline"/);
  assert.match(policy, /require-trusted-types-for 'script'/);
  await eventually(async () => (await stored()).names.some((n) => n.includes(' recent ')));
  const drafts = () =>
    page.evaluate(async () => {
      const files = await (await caches.open('stoa-shell')).keys();
      return files.some((f) => /DraftsView-.*\.js$/.test(f.url)) && files.some((f) => /Cards-.*\.js$/.test(f.url));
    });
  await eventually(drafts);
});

test('the client opens offline with that state, and sends messages later', async () => {
  await page.evaluate(() => {
    Object.defineProperty(document, 'hidden', { value: true, configurable: true });
    document.dispatchEvent(new Event('visibilitychange')); // like a phone before it discards the page
  });
  await page.waitForTimeout(200);
  await harness.server.kill();
  await page.reload();
  await row(page, 'Said before').waitFor();
  await page.getByText(/You are offline and see the state/).waitFor();
  await sendMessage(page, 'Said without a network');
  await page.getByText(/Sending…|Waiting to be sent/).waitFor();
  await page.reload();
  await row(page, 'Said before').waitFor();
  await page.getByText('Said without a network').waitFor();
  const place = await page.evaluate(() => location.hash);
  await go(page, '#drafts');
  const waiting = page.getByRole('region', { name: 'Waiting to be sent' });
  await waiting.getByText('Said without a network').waitFor();
  await waiting.getByRole('button', { name: 'Edit' }).waitFor();
  await go(page, place);
  await page.getByText('Said without a network').waitFor();
  await harness.server.start();
  await page.evaluate(() => dispatchEvent(new Event('online')));
  await row(page, 'Said without a network').waitFor();
  await page.getByText(/You are offline/).waitFor({ state: 'detached' });
  assert.equal(await row(page, 'Said without a network').count(), 1);
  await eventually(() =>
    page.evaluate(() => document.querySelector('meta[name="csrf-token"]').content !== 'offline'),
  );
});

test("a cached page is replaced by the server's newer version", async () => {
  // Make the cached page look like an older version. Other scripts import the original one, which must not run twice.
  await page.evaluate(async () => {
    const cache = await caches.open('stoa-shell');
    const shell = await cache.match('/');
    const html = await shell.text();
    const script = /\/static\/web\/assets\/index-[\w-]+\.js/.exec(html)[0];
    const [older, headers] = [await cache.match(script), new Headers(shell.headers)];
    await cache.put('/static/web/assets/index-older.js', new Response(`import '${script}';`, older));
    await cache.put('/', new Response(html.replace(script, '/static/web/assets/index-older.js'), { headers }));
  });
  await harness.server.kill();
  await page.reload();
  await page.getByText(/You are offline/).waitFor();
  assert.equal(await page.locator('script[src$="index-older.js"]').count(), 1);
  await harness.server.start();
  await page.evaluate(() => dispatchEvent(new Event('online')));
  await eventually(async () => (await page.locator('script[src$="index-older.js"]').count()) === 0);
  await row(page, 'Said without a network').waitFor();
});

test('text shared by another app is inserted into the chosen conversation, not sent', async () => {
  await page.goto(
    `${harness.server.url}/?share_title=News&share_text=Look%20here&share_url=https%3A%2F%2Fexample.com%2F`,
  );
  await page.getByRole('dialog').getByRole('combobox').fill('Denmark');
  await page.keyboard.press('Enter');
  await eventually(async () => (await box(page).inputValue()) === 'News\nLook here\nhttps://example.com/');
  assert.equal(new URL(page.url()).search, '');
  await box(page).fill('');
});

test('files shared by another app wait until a conversation is chosen', async () => {
  await page.evaluate(() => {
    const form = Object.assign(document.createElement('form'), { method: 'post', action: '/share' });
    form.enctype = 'multipart/form-data';
    const text = Object.assign(document.createElement('input'), { name: 'share_text', value: 'Two notes' });
    const input = Object.assign(document.createElement('input'), {
      type: 'file',
      name: 'share_files',
      multiple: true,
    });
    const files = new DataTransfer();
    for (const name of ['first.txt', 'zweite ü.txt']) files.items.add(new File([name], name, { type: 'text/plain' }));
    input.files = files.files;
    form.append(text, input);
    document.body.append(form);
    form.submit();
  });
  await page.getByRole('dialog').getByRole('combobox').fill('Denmark');
  await page.keyboard.press('Enter');
  await eventually(async () => (await box(page).inputValue()).match(/\/user_uploads\//g)?.length === 2);
  assert.match(await box(page).inputValue(), /^Two notes\n\[first\.txt\]\(.*\)\n\[zweite ü\.txt\]\(.*\)\n$/);
  assert.equal(await page.evaluate(() => caches.has('stoa-shared')), false);
  await box(page).fill('');
});

test('an upload resumes after a page reload', async () => {
  await go(page, '#narrow/channel/1-Denmark/topic/without.20a.20net');
  await box(page).waitFor();
  const big = { name: 'big.bin', mimeType: 'application/octet-stream', buffer: Buffer.alloc(6 << 20, 7) };
  const file = join(mkdtempSync(join(tmpdir(), 'stoa-upload-')), big.name);
  writeFileSync(file, big.buffer);
  // Reload the first page before the whole file is uploaded.
  const client = await context.newCDPSession(page);
  await client.send('Network.enable');
  await client.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 5,
    downloadThroughput: -1,
    uploadThroughput: 1 << 20,
  });
  const before = [];
  page.on('request', (r) => {
    if (r.url().includes('/api/v1/tus/')) before.push(`${r.method()} ${r.headers()['upload-offset'] ?? ''}`);
  });
  await page.locator('input[type=file]').setInputFiles(file);
  await eventually(() => page.evaluate(() => Object.keys(localStorage).some((k) => k.startsWith('tus::'))));
  await page.reload();
  await box(page).waitFor();
  await client.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 0,
    downloadThroughput: -1,
    uploadThroughput: -1,
  });
  before.length = 0;
  await box(page).fill('');
  await page.locator('input[type=file]').setInputFiles(file);
  await eventually(async () => /\[big.bin\]\(\/user_uploads\//.test(await box(page).inputValue()));
  assert.ok(
    before.some((r) => r.startsWith('HEAD')),
    `the server was not asked how much it has: ${before}`,
  );
  assert.ok(!before.some((r) => r.startsWith('POST')), `the upload restarted: ${before}`);
  await box(page).fill('');
});

test('logging out deletes all stored data', async () => {
  await page.getByRole('button', { name: 'Menu' }).first().click();
  await page.getByRole('navigation').getByRole('button', { name: 'Menu' }).click();
  await page.getByRole('menuitem', { name: 'Log out' }).click();
  await page.getByLabel('Email address').waitFor();
  const left = await stored();
  assert.deepEqual([left.page, left.names], ['', []]);
  await login(page, 'iago@zulip.com');
  await page.getByRole('heading', { name: 'Inbox' }).waitFor();
});
