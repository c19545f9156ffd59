// Several users of one browser, one after the other: none sees anything of another, in any order of events.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { call, eventually, go, login, password, row, sendMessage, Harness } from './harness.mjs';

const SECRET = 'Between Iago and Hamlet only';
const iago = 'iago@zulip.com';
const desdemona = 'desdemona@zulip.com';

const harness = new Harness();
let context;

before(async () => {
  await harness.start({ wholeBrowser: true });
  harness.ignoreFailedRequests();
  harness.server.setPasswords();
  context = (await harness.open(iago)).context();
});

after(() => harness.stop());

/** databases returns the names of what a page's origin has saved. */
const saved = (page) =>
  page.evaluate(async () => {
    if (!(await indexedDB.databases()).some((d) => d.name === 'stoa')) return [];
    const r = indexedDB.open('stoa', 1);
    await new Promise((resolve) => (r.onsuccess = resolve));
    const all = r.result.transaction('values').objectStore('values').getAllKeys();
    await new Promise((resolve) => (all.onsuccess = resolve));
    r.result.close();
    return all.result;
  });

const shown = (page) => page.evaluate(() => document.body.innerText);

/**
 * logIn logs in as the login form does, without opening the client. The browser itself sends the request, so that it
 * has the new cookies when another page finds that the former session has ended.
 */
async function logIn(username) {
  const page = await harness.tab(context);
  await page.goto(`${harness.server.url}/health`);
  const type = await page.evaluate(
    async ([username, password]) => {
      const answer = await fetch('/login/', {
        method: 'POST',
        body: new URLSearchParams({ username, password }),
        redirect: 'manual',
      });
      return answer.type;
    },
    [username, password],
  );
  assert.equal(type, 'opaqueredirect');
  await page.close();
}

/** leave lets Iago read his secret, closes his page once it is saved, and ends his session from another browser. */
async function leave() {
  const page = await harness.tab(context);
  await page.goto(harness.server.url);
  await page.getByRole('heading', { name: 'Inbox' }).waitFor();
  const hamlet = (await call(page, 'GET', '/users/hamlet@zulip.com')).user.user_id;
  await go(page, `#narrow/dm/${hamlet}`);
  await sendMessage(page, SECRET);
  await row(page, SECRET).first().waitFor();
  await eventually(async () => (await saved(page)).some((n) => n.includes(' recent ')));
  await eventually(() => page.evaluate(async () => Boolean(await (await caches.open('stoa-shell')).match('/'))));
  await page.evaluate(() => {
    Object.defineProperty(document, 'hidden', { value: true, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  });
  await page.waitForTimeout(200);
  await page.close();
  const elsewhere = await harness.open(iago);
  assert.equal((await call(elsewhere, 'DELETE', '/sessions')).status, 200);
  await elsewhere.context().close();
}

test('a user who logs in and is offline at once sees nothing of the former user', async () => {
  for (const p of context.pages()) await p.close();
  await leave();
  const owner = (await context.cookies()).find((c) => c.name === 'stoa_owner').value;
  await logIn(desdemona);
  assert.notEqual((await context.cookies()).find((c) => c.name === 'stoa_owner').value, owner);
  await harness.server.kill();
  const page = await harness.tab(context);
  await page.goto(harness.server.url);
  await page.getByRole('button', { name: 'Try now' }).waitFor();
  assert.ok((await saved(page)).length > 0, 'there is nothing to protect');
  assert.ok(!(await shown(page)).includes(SECRET));

  await harness.server.start();
  await page.evaluate(() => dispatchEvent(new Event('online')));
  await page.getByRole('heading', { name: 'Inbox' }).waitFor();
  await eventually(async () => (await saved(page)).every((n) => !n.startsWith(owner)), 2000);
  await harness.server.kill();
  await page.reload();
  await page.getByRole('button', { name: 'Try now' }).waitFor();
  assert.ok(!(await shown(page)).includes(SECRET));
  await harness.server.start();
  await page.reload();
  await page.getByRole('heading', { name: 'Inbox' }).waitFor();
  await page.close();
});

test('everything saved is deleted when the server says that the session is over', async () => {
  await logIn(iago);
  await leave();
  const page = await harness.tab(context);
  await page.goto(harness.server.url);
  await page.getByLabel('Email address').waitFor();
  await eventually(() => page.evaluate(async () => (await indexedDB.databases()).length === 0));
  await eventually(() => page.evaluate(async () => !(await caches.has('stoa-shell'))));
  assert.ok(!(await context.cookies()).some((c) => c.name === 'stoa_owner'));
  await page.close();
});

test('an open page ends with its session, and takes what it has saved with it', async () => {
  const page = await harness.tab(context);
  await page.goto(`${harness.server.url}/login/`);
  await login(page, iago);
  await page.getByRole('heading', { name: 'Inbox' }).waitFor();
  await eventually(async () => (await saved(page)).length > 0);
  const elsewhere = await harness.open(iago);
  assert.equal((await call(elsewhere, 'DELETE', '/sessions')).status, 200);
  await elsewhere.context().close();
  await page.getByLabel('Email address').waitFor();
  assert.deepEqual(await saved(page), []);
  await page.close();
});

test('a page left open starts over when another user has logged in', async () => {
  await logIn(iago);
  const old = await harness.tab(context);
  await old.goto(harness.server.url);
  await old.getByRole('heading', { name: 'Inbox' }).waitFor();
  const hamlet = (await call(old, 'GET', '/users/hamlet@zulip.com')).user.user_id;
  await go(old, `#narrow/dm/${hamlet}`);
  await row(old, SECRET).first().waitFor();
  await logIn(desdemona);
  const page = await harness.tab(context);
  await page.goto(harness.server.url);
  await page.getByRole('heading', { name: 'Inbox' }).waitFor();
  // The old page hears of the new user, or asks before its next request.
  await eventually(async () => !(await shown(old).catch(() => SECRET)).includes(SECRET));
  await old.getByRole('navigation').getByText('Desdemona').first().waitFor();
  const me = (await call(old, 'GET', '/users/me')).user_id;
  assert.ok((await old.evaluate(() => document.cookie)).endsWith(`.${me}`));
  await eventually(async () => (await row(old, SECRET).count()) === 0);
});
