// What belongs to a person: the status and its end, the profile card, pausing notifications, and settings that apply
// at once in every window.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { call, eventually, go, Harness } from './harness.mjs';

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
  await dialog.getByText(/\d\d:\d\d local time, \d hrs?,? 30 mins? ahead/).waitFor();
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
