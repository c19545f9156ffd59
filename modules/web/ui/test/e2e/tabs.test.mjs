// Tabs of one browser share one event queue: over plain HTTP, a browser opens six connections to a server at most.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { box, call, eventually, go, Harness, login, row, sendMessage } from './harness.mjs';

const TABS = 10;
const topic = '#narrow/channel/1-Denmark/topic/many.20tabs';

const harness = new Harness();
let context;
let tabs;
let other;

/** polls holds the polls of the context that have no response yet. */
const polls = new Set();
let most = 0;
const registrations = [];

before(async () => {
  await harness.start({ wholeBrowser: true });
  const first = await harness.open('iago@zulip.com');
  other = await harness.open('hamlet@zulip.com');
  context = first.context();
  await first.close();
  context.on('request', (r) => {
    const path = new URL(r.url()).pathname;
    if (path === '/json/register') registrations.push(r);
    if (path !== '/json/events' || r.method() !== 'GET') return;
    polls.add(r);
    most = Math.max(most, polls.size);
  });
  for (const end of ['requestfinished', 'requestfailed']) context.on(end, (r) => polls.delete(r));
});

after(() => harness.stop());

/** heldBy returns the tabs that hold a poll. */
const heldBy = () => [...polls].map((r) => tabs.indexOf(r.frame().page()));

async function open() {
  const page = await harness.tab(context);
  page.setDefaultTimeout(60_000); // so many pages keep a small machine busy
  await page.goto(`${harness.server.url}/${topic}`);
  return page;
}

test('ten tabs load one after the other, with one registration and one poll', async () => {
  tabs = [];
  for (let i = 0; i < TABS; i++) {
    tabs.push(await open());
    await box(tabs[i]).waitFor();
  }
  await eventually(() => polls.size === 1);
  assert.equal(registrations.length, 1);
  assert.ok(most <= 1, `${most} polls at once`);
});

test("others' messages arrive in all tabs", async () => {
  await go(other, topic);
  await sendMessage(other, 'For all tabs');
  await Promise.all(tabs.map((t) => row(t, 'For all tabs').waitFor()));
});

test('a message sent in each tab appears once in all', async () => {
  for (const [i, t] of tabs.entries()) await sendMessage(t, `Sent in tab ${i}.`);
  for (const t of [...tabs, other]) {
    for (const i of tabs.keys()) {
      await row(t, `Sent in tab ${i}.`).waitFor();
      assert.equal(await row(t, `Sent in tab ${i}.`).count(), 1);
    }
    await t.getByText('Sending…').waitFor({ state: 'detached' });
  }
  await eventually(() => polls.size === 1);
});

test('a notification is shown once, and not while a tab has the focus', async () => {
  const shown = async () =>
    (await Promise.all(tabs.map((t) => t.evaluate(() => globalThis.shown)))).reduce((sum, n) => sum + n, 0);
  const focus = (t, on) =>
    t.evaluate((has) => {
      document.hasFocus = () => has;
      dispatchEvent(new Event(has ? 'focus' : 'blur'));
    }, on);
  for (const t of tabs) {
    await t.evaluate(() => {
      globalThis.shown = 0;
      globalThis.Notification = class {
        static permission = 'granted';
        constructor() {
          globalThis.shown++;
        }
      };
    });
    await focus(t, false);
  }
  const notify = async (text) => {
    await sendMessage(other, `@**Iago** ${text}`);
    await Promise.all(tabs.map((t) => row(t, text).waitFor()));
  };
  await notify('look here');
  assert.equal(await shown(), 1);
  const follower = tabs.find((_, i) => i !== heldBy()[0]);
  await focus(follower, true);
  await notify('you see it');
  assert.equal(await shown(), 1);
  await focus(follower, false);
  await notify('look again');
  assert.equal(await shown(), 2);
});

test('when the leader is closed, the rest goes on with the same queue', async () => {
  for (let round = 0; round < 2; round++) {
    const [leader] = heldBy();
    const [closed] = tabs.splice(leader, 1);
    await closed.close();
    polls.forEach((r) => r.frame().page() === closed && polls.delete(r));
    await sendMessage(other, `After closing ${round}`);
    await Promise.all(tabs.map((t) => row(t, `After closing ${round}`).waitFor()));
    await sendMessage(tabs[0], `Own after closing ${round}`);
    await Promise.all(tabs.map((t) => row(t, `Own after closing ${round}`).waitFor()));
    await eventually(() => polls.size === 1);
  }
  assert.equal(registrations.length, 1);
});

test('when the leader hangs, another tab takes over, and both go on', async () => {
  const leader = tabs[heldBy()[0]];
  const hung = leader.evaluate(() => {
    const end = Date.now() + 12_000;
    while (Date.now() < end);
  });
  const rest = tabs.filter((t) => t !== leader);
  await sendMessage(other, 'While one hangs');
  await Promise.all(rest.map((t) => row(t, 'While one hangs').waitFor({ timeout: 20_000 })));
  await hung;
  await row(leader, 'While one hangs').waitFor();
  await sendMessage(other, 'After it hung');
  await Promise.all(tabs.map((t) => row(t, 'After it hung').waitFor()));
  for (const t of tabs) assert.equal(await row(t, 'After it hung').count(), 1);
  await eventually(() => polls.size === 1);
  assert.equal(registrations.length, 1);
});

test('tabs that load at the same time share as well', async () => {
  await Promise.all(tabs.splice(0).map((t) => t.close()));
  polls.clear();
  tabs = await Promise.all(Array.from({ length: TABS / 2 }, open));
  await Promise.all(tabs.map((t) => box(t).waitFor()));
  await sendMessage(other, 'For all that load');
  await Promise.all(tabs.map((t) => row(t, 'For all that load').waitFor()));
  await eventually(() => polls.size === 1);
});

test('an outage and a restart of the server end in all tabs', async () => {
  harness.ignoreFailedRequests();
  await harness.server.kill();
  for (const t of tabs) await t.getByText(/You are offline/).waitFor();
  await sendMessage(tabs[3], 'Written without a server');
  await harness.server.start();
  await tabs[4].evaluate(() => dispatchEvent(new Event('online')));
  await Promise.all(tabs.map((t) => row(t, 'Written without a server').waitFor()));
  for (const t of tabs) {
    await t.getByText(/You are offline/).waitFor({ state: 'detached' });
    assert.equal(await row(t, 'Written without a server').count(), 1);
  }
});

test('after a logout, all tabs are logged out, and the next person shares nothing', async () => {
  // What the server has not received before becomes drafts.
  harness.ignore(/net::ERR_FAILED/);
  await context.route('**/json/drafts', (route) => route.abort());
  for (const [at, words] of [
    [1, 'half a sentence'],
    [2, 'another half'],
  ]) {
    await go(tabs[at], `#narrow/channel/4-Venice/topic/unsent${at}`);
    await box(tabs[at]).fill(words);
  }
  await context.unroute('**/json/drafts');
  await tabs[2].getByRole('navigation').getByRole('button', { name: 'Menu' }).click();
  await tabs[2].getByRole('menuitem', { name: 'Log out' }).click();
  for (const t of tabs) await t.getByLabel('Password').waitFor();
  await login(tabs[0], 'hamlet@zulip.com');
  await tabs[0].getByRole('navigation').first().waitFor();
  await tabs[1].goto(`${harness.server.url}/${topic}`);
  await sendMessage(tabs[1], 'From the next person');
  const sent = row(tabs[1], 'From the next person');
  await sent.getByText('King Hamlet').waitFor();
  await eventually(() => polls.size === 1);
  const again = await harness.open('iago@zulip.com');
  const contents = (await call(again, 'GET', '/drafts')).drafts.map((d) => d.content);
  assert.deepEqual(contents.filter((c) => c.includes('half')).sort(), ['another half', 'half a sentence']);
});
