// What belongs to a person: the status and its end, the profile card, pausing notifications, and settings that apply
// at once in every window.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { call, eventually, go, login, password, Harness } from './harness.mjs';

const harness = new Harness();
let iago, hamlet;

before(async () => {
  await harness.start();
  iago = await harness.open('iago@zulip.com', { timezoneId: 'Europe/Berlin' });
  hamlet = await harness.open('hamlet@zulip.com', { timezoneId: 'Europe/Berlin' });
});

after(() => harness.stop());

const shot = async (page, name) => {
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${name}.png` });
};

/** again opens another browser of somebody who has one already, whose password stays. */
async function again(email) {
  const page = await harness.tab(await harness.browser.newContext({ locale: 'en-GB', timezoneId: 'Europe/Berlin' }));
  await page.goto(`${harness.server.url}/login/`);
  await login(page, email);
  await page.getByRole('heading', { name: 'Inbox' }).waitFor();
  return page;
}

async function menu(page, entry) {
  await page.getByRole('button', { name: 'Menu', exact: true }).first().click();
  await page.getByRole('menuitem', { name: entry }).click();
  return page.getByRole('dialog');
}

async function card(page, name) {
  const { members } = await call(page, 'GET', '/users');
  await go(page, `#narrow/sender/${members.find((u) => u.full_name === name).user_id}`);
  await page.getByRole('article').getByRole('button', { name, exact: true }).last().click();
  return page.getByRole('dialog', { name });
}

test('a suggested status has an end, which others see', async () => {
  const dialog = await menu(iago, 'Set a status');
  await dialog.getByRole('button', { name: 'In a meeting' }).click();
  assert.equal(await dialog.getByLabel('Set a status').inputValue(), 'In a meeting');
  await dialog.getByLabel('Duration').selectOption({ label: '4 hours' });
  await shot(iago, 'status');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });

  const all = async () =>
    (
      await call(hamlet, 'POST', '/register', {
        fetch_event_types: ['user_status'],
        event_types: ['heartbeat'],
        client_capabilities: { status_end_times: true },
      })
    ).user_status;
  const [status] = Object.values(await all()).filter((s) => s.status_text === 'In a meeting');
  assert.equal(status.emoji_name, 'calendar');
  assert.ok(Math.abs(status.scheduled_end_time - Date.now() / 1000 - 4 * 3600) < 60);

  await card(hamlet, 'Iago').then((d) => d.getByText(/In a meeting\s+Until \d/).waitFor());
  await shot(hamlet, 'card');
  await hamlet.keyboard.press('Escape');

  // The end is kept while only the text changes, and can be removed.
  await menu(iago, 'Set a status');
  await dialog
    .getByLabel('Duration')
    .getByRole('option', { name: /^Until .*\d/, selected: true })
    .waitFor({
      state: 'attached',
    });
  await dialog.getByLabel('Set a status').fill('In a long meeting');
  await dialog.getByRole('button', { name: 'Save' }).click();
  const find = async (text) => Object.values(await all()).find((s) => s.status_text === text);
  await eventually(async () => (await find('In a long meeting'))?.scheduled_end_time === status.scheduled_end_time);
  await menu(iago, 'Set a status');
  await dialog.getByLabel('Duration').selectOption({ label: 'Until I remove it' });
  await dialog.getByRole('button', { name: 'Save' }).click();
  await eventually(async () => {
    const s = await find('In a long meeting');
    return s && s.scheduled_end_time === undefined;
  });
});

test('a profile card shows the local time, and how far it is ahead', async () => {
  await call(iago, 'PATCH', '/settings', { timezone: 'Asia/Kolkata' });
  const dialog = await card(hamlet, 'Iago');
  await dialog.getByText(/\d:\d\d local time, \d hrs?,? 30 mins? ahead/).waitFor();
  assert.equal(await dialog.getByRole('button', { name: 'Manage' }).count(), 0, 'members manage nobody');
  await hamlet.keyboard.press('Escape');
});

test('administrators get from a profile card to what they may change', async () => {
  const dialog = await card(iago, 'King Hamlet');
  await dialog.getByRole('button', { name: 'Manage' }).click();
  await iago.getByRole('heading', { name: 'King Hamlet' }).waitFor();
  assert.match(new URL(iago.url()).hash, /^#organization\/people\/\d+$/);
});

test('the button beside the channels offers to create and to browse', async () => {
  await go(iago, '#inbox');
  await iago.getByRole('button', { name: 'Add channels' }).click();
  await shot(iago, 'plus');
  await iago.getByRole('menuitem', { name: 'Create a channel' }).click();
  await iago.getByRole('dialog', { name: 'Create a channel' }).waitFor();
  await iago.keyboard.press('Escape');
  await iago.getByRole('button', { name: 'Add channels' }).click();
  await iago.getByRole('menuitem', { name: 'Browse channels' }).click();
  await iago.getByRole('heading', { name: 'Channels', level: 1 }).waitFor();
});

test('notifications are paused in all windows of a person, and resumed', async () => {
  const other = await again('hamlet@zulip.com');
  await other.evaluate(() => {
    globalThis.shown = [];
    globalThis.Notification = class {
      static permission = 'granted';
      constructor(title) {
        globalThis.shown.push(title);
      }
    };
    document.hasFocus = () => false;
  });
  const { user_id: me } = await call(hamlet, 'GET', '/users/me');
  const tell = (content) => call(iago, 'POST', '/messages', { type: 'direct', to: [me], content });
  const shown = () => other.evaluate(() => globalThis.shown.length);
  await tell('one');
  await eventually(async () => (await shown()) === 1);

  const dialog = await menu(hamlet, 'Pause notifications');
  await dialog.getByLabel('Pause').selectOption({ label: '1 hour' });
  await shot(hamlet, 'pause');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  await other.getByRole('button', { name: 'Notifications are silenced' }).waitFor();
  await tell('two');
  await other.getByRole('link', { name: /Iago/ }).first().waitFor();

  await other.getByRole('button', { name: 'Notifications are silenced' }).click();
  await other.getByRole('dialog').getByLabel('Pause').selectOption({ label: 'Not paused' });
  await other.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await hamlet.getByRole('button', { name: 'Notifications are silenced' }).waitFor({ state: 'detached' });
  await tell('three');
  await eventually(async () => (await shown()) === 2);
  await other.context().close();
});

test('hours for notifications are set, and belong to the time zone of the person', async () => {
  await go(hamlet, '#settings/notifications');
  await hamlet.getByLabel('Allow notifications only at certain times').check();
  await hamlet.getByRole('button', { name: 'Every day, not at night' }).click();
  await hamlet.getByRole('checkbox', { name: 'Sun' }).uncheck();
  await hamlet.getByLabel('To', { exact: true }).fill('21:30');
  await hamlet.getByLabel('To', { exact: true }).blur();
  await shot(hamlet, 'schedule');
  await hamlet.getByRole('button', { name: 'Save' }).last().click();
  await eventually(async () => {
    const { do_not_disturb: hours } = await call(hamlet, 'GET', '/users/me/do_not_disturb');
    return JSON.stringify(hours.schedule) === '{"days":[1,2,3,4,5,6],"from":"07:00","to":"21:30"}';
  });
  assert.equal((await call(iago, 'GET', `/users/hamlet@zulip.com`)).user.timezone, 'Europe/Berlin');
});

test('font size, line spacing and time zone apply at once, also in another window', async () => {
  await go(iago, '#settings/display');
  const other = await again('iago@zulip.com');
  const size = () => other.evaluate(() => parseFloat(getComputedStyle(document.documentElement).fontSize));
  assert.equal(await size(), 16);
  await iago.getByLabel('Font size').selectOption({ label: '125%' });
  await eventually(async () => (await size()) === 20);
  await shot(iago, 'display');
  await iago.getByLabel('Line spacing').selectOption({ label: '175%' });
  await eventually(() =>
    other.evaluate(() => document.documentElement.style.getPropertyValue('--leading') === '1.75'),
  );
  await iago.getByLabel('Font size').selectOption({ label: '100%' });
  await iago.getByLabel('Line spacing').selectOption({ label: '140%' });
  await iago.getByRole('button', { name: 'Use this browser’s: Europe/Berlin' }).click();
  await eventually(async () => (await call(iago, 'GET', '/users/me')).timezone === 'Europe/Berlin');
  await eventually(async () => (await size()) === 16);
  await other.context().close();
});

test('the API key is shown with the password, and renewed', async () => {
  harness.ignoreFailedRequests();
  await go(hamlet, '#settings/password');
  const field = hamlet.getByLabel('Your password');
  await field.fill('wrong');
  await hamlet.getByRole('button', { name: 'Show the API key' }).click();
  await hamlet.getByText('Your username or password is incorrect.').waitFor();
  await field.fill(password);
  await hamlet.getByRole('button', { name: 'Show the API key' }).click();
  const key = hamlet.getByRole('textbox', { name: 'API key' });
  const first = await key.inputValue();
  await shot(hamlet, 'key');
  await hamlet.evaluate(() => (globalThis.stays = true));
  await hamlet.getByRole('button', { name: 'Generate a new key' }).click();
  await hamlet.getByRole('alertdialog').getByRole('button', { name: 'Generate a new key' }).click();
  await eventually(async () => (await key.inputValue()) !== first);
  // The browser is still logged in and receives events.
  await call(hamlet, 'POST', '/users/me/status', { status_text: 'Locked the door' });
  await hamlet.getByText('Locked the door').first().waitFor();
  assert.ok(await hamlet.evaluate(() => globalThis.stays), 'the page was loaded again');
  await key.waitFor();
});
