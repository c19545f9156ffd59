// Entering times and days by keyboard, also in a right-to-left language: scheduling, reminders, times in messages,
// expiry of invitations, and jumping to a date.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { box, call, eventually, go, row, sendMessage, Harness } from './harness.mjs';

const harness = new Harness();
const topic = (name) => `#narrow/channel/4-Venice/topic/${name}`;
let page;

before(async () => {
  await harness.start();
  page = await harness.open('desdemona@zulip.com');
});

after(() => harness.stop());

/** type types a time in the order of the locale's date parts. */
const type = (text) => page.keyboard.type(text, { delay: 5 });
const form = () => page.getByRole('form', { name: 'Write a message' });

async function more(action) {
  await form().getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: action }).click();
}

const scheduled = async () => (await call(page, 'GET', '/scheduled_messages')).scheduled_messages;
const noon = Date.UTC(new Date().getUTCFullYear() + 1, 4, 6, 12, 30) / 1000;

test('a message is scheduled and rescheduled by keyboard', async () => {
  const year = new Date(noon * 1000).getUTCFullYear();
  await go(page, topic('later'));
  await box(page).fill('Good morning');
  await more('Send later');
  const input = page.getByRole('dialog').getByLabel('Choose a time');
  await input.focus();
  await type(`05/06/${year}`);
  await page.keyboard.press('Tab');
  await type('1230p');
  await page.getByRole('dialog').getByText(`${year} at 12:30`).waitFor();
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/time.png` });
  await page.keyboard.press('Enter');
  await eventually(async () => (await scheduled())[0]?.scheduled_delivery_timestamp === noon);
  await go(page, '#scheduled');
  await page.getByRole('button', { name: `${year} at 12:30` }).click();
  assert.equal(await input.inputValue(), `${year}-05-06T12:30`);
  await input.focus();
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await eventually(async () => (await scheduled())[0]?.scheduled_delivery_timestamp === noon + 31 * 86_400);
});

test('an error is shown in the dialog, which stays open', async () => {
  harness.ignoreFailedRequests();
  await page.route('**/json/scheduled_messages/*', (route) =>
    route.fulfill({ status: 400, json: { result: 'error', code: 'BAD_REQUEST', msg: 'Not then.' } }),
  );
  await page.getByRole('button', { name: /at 12:30/ }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Schedule' }).click();
  await dialog.getByRole('alert').getByText('Not then.').waitFor();
  assert.equal(await page.locator('.toasts').getByText('Not then.').count(), 0);
  await page.unroute('**/json/scheduled_messages/*');
  await dialog.getByRole('button', { name: 'Schedule' }).click();
  await dialog.waitFor({ state: 'detached' });
});

test('a time is inserted into a message', async () => {
  await go(page, topic('later'));
  await box(page).fill('Until ');
  await more('Time, shown in everybody’s time zone');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Choose a time').fill('2020-02-29T23:15');
  await dialog.getByRole('button', { name: 'Insert' }).click();
  await eventually(async () => (await box(page).inputValue()) === 'Until <time:2020-02-29T23:15:00+00:00> ');
  await box(page).press('Control+Enter');
  await row(page, 'Until')
    .locator('time', { hasText: /23:15|11:15/ })
    .waitFor();
});

test('jumping to a date shows its first message', async () => {
  await go(page, topic('days'));
  for (const text of ['First', 'Second', 'Third']) {
    await sendMessage(page, text);
    await row(page, text).waitFor();
  }
  const first = Number(await row(page, 'First').getAttribute('data-message'));
  await page.getByRole('button', { name: 'Go to a date' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Date').fill('2020-02-29');
  await dialog.getByText('29 February 2020').waitFor();
  await dialog.getByRole('button', { name: 'Go to a date' }).click();
  await page.waitForURL(new RegExp(`/near/${first}$`));
  await go(page, topic('nothing'));
  await page.getByRole('button', { name: 'Go to a date' }).click();
  await dialog.getByRole('button', { name: 'Go to a date' }).click();
  await dialog.getByRole('alert').getByText('No messages here yet.').waitFor();
  await page.keyboard.press('Escape');
});

test('an invitation expires at the chosen time', async () => {
  await go(page, '#organization/invitations');
  const main = page.getByRole('main');
  await main.getByLabel('Expires').selectOption('Choose a time…');
  await main.getByLabel('Choose a time', { exact: true }).fill(new Date(noon * 1000).toISOString().slice(0, 16));
  await main.getByRole('button', { name: 'Create an invitation link' }).click();
  await main.getByRole('button', { name: 'Revoke: Invitation link' }).waitFor();
  const [{ expiry_date: ends }] = (await call(page, 'GET', '/invites')).invites;
  assert.ok(Math.abs(ends - noon) < 120, String(ends - noon));
});

test('the chosen time is shown in the user’s language, from right to left', async () => {
  await call(page, 'PATCH', '/settings', { default_language: 'ar' });
  await eventually(() => page.evaluate(() => document.documentElement.dir === 'rtl'));
  await go(page, topic('days'));
  await page.getByRole('button', { name: 'الانتقال إلى تاريخ' }).click();
  await page.getByRole('dialog').getByLabel('التاريخ').fill('2020-02-29');
  await page.getByRole('dialog').getByText('29 فبراير 2020').waitFor();
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/rtl.png` });
  await page.keyboard.press('Escape');
});
