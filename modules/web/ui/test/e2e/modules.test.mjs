// Extensions of the client by the modules of app/example.
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { after, before, test } from 'node:test';
import { box, call, eventually, go, row, sendMessage, Harness } from './harness.mjs';

const harness = new Harness();
let page;

before(async () => {
  await harness.start({
    binary: process.env.EXAMPLE_BINARY ?? fileURLToPath(new URL('../../../../../bin/party', import.meta.url)),
    modules: { birthdays: '{}', calendar: '{}', tickets: '{}' },
  });
  harness.ignore(/The module calendar has failed/);
  page = await harness.open('iago@zulip.com');
});

after(() => harness.stop());

test("a settings panel saves, and shows the server's errors", async () => {
  await go(page, '#settings/profile');
  await page.getByRole('link', { name: 'My birthday' }).click();
  await page.getByLabel('Day', { exact: true }).fill('1990-02-28');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Your birthday was saved.').waitFor();
  harness.ignoreFailedRequests();
  await page.getByLabel('Day', { exact: true }).fill('2090-02-28');
  await page.getByRole('button', { name: 'Save' }).press('Enter');
  await page.getByRole('alert').getByText('day must be a past date').waitFor();
});

test('a sidebar entry opens a page with its own styles', async () => {
  await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Birthdays' }).click();
  await page.getByRole('heading', { name: 'Birthdays' }).waitFor();
  const entry = page.getByText(/^Iago: /);
  assert.match(await entry.innerText(), /28 February|February 28/);
  // The module's style sheet styles every button, but does not affect the client.
  const own = await page
    .getByRole('button', { name: 'Menu' })
    .last()
    .evaluate((e) => getComputedStyle(e).backgroundColor);
  assert.equal(own, 'rgba(0, 0, 0, 0)');
});

test("keys typed into a module's field are no shortcuts", async () => {
  await go(page, '#module/calendar/all');
  const find = page.getByRole('searchbox', { name: 'Find', exact: true });
  await find.click();
  await page.keyboard.type('d? iago');
  assert.equal(await find.inputValue(), 'd? iago');
  await page.getByText(/^Iago: /).waitFor({ state: 'hidden' });
  await find.fill('IAG');
  await page.getByText(/^Iago: /).waitFor();
  assert.equal(await page.getByRole('dialog').count(), 0);
  await page.getByRole('heading', { name: 'Birthdays' }).waitFor();
});

test("a swipe in a module's field leaves the sidebar closed", async () => {
  const size = page.viewportSize();
  await page.setViewportSize({ width: 360, height: 700 });
  await go(page, '#module/calendar/all');
  const swipe = (where) =>
    where.evaluate((target) => {
      for (const [type, clientX] of [
        ['touchstart', 100],
        ['touchmove', 250],
      ]) {
        const touches = [new Touch({ identifier: 1, target, clientX, clientY: 300 })];
        target.dispatchEvent(new TouchEvent(type, { touches, bubbles: true, composed: true }));
      }
    });
  const open = () => page.getByRole('link', { name: 'Inbox' }).isVisible();
  await swipe(page.getByRole('searchbox', { name: 'Find', exact: true }));
  await page.waitForTimeout(500);
  assert.equal(await open(), false);
  await swipe(page.getByText(/^Iago: /));
  await eventually(open);
  await page.keyboard.press('Escape');
  await page.setViewportSize(size);
});

test('an action is offered only for matching messages', async () => {
  await go(page, '#feed');
  const other = page.locator('article[data-message]').filter({ hasNot: page.getByRole('button', { name: 'Iago' }) });
  await other.last().getByRole('button', { name: 'More actions' }).dispatchEvent('click');
  await page.getByRole('menuitem', { name: 'Congratulate' }).dispatchEvent('click');
  await page.getByText(/^You have congratulated /).waitFor();
  await go(page, '#narrow/channel/1-Denmark/topic/cake');
  await sendMessage(page, 'My own words');
  await row(page, 'My own words').hover();
  await row(page, 'My own words').getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Copy the link' }).waitFor();
  assert.equal(await page.getByRole('menuitem', { name: 'Congratulate' }).count(), 0);
  await page.keyboard.press('Escape');
});

test("an exception in a module's page affects nothing else", async () => {
  await go(page, '#module/calendar/all/broken');
  await page.getByRole('alert').getByText('This part of the module “calendar” has failed.').waitFor();
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('alert').getByText('has failed').waitFor();
  await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Birthdays' }).click();
  await page.getByText(/^Iago: /).waitFor();
  await go(page, '#module/calendar/none');
  await page.getByText('Nothing was found').or(page.getByText('Nothing found')).first().waitFor();
  await go(page, '#inbox');
  await page.getByRole('heading', { name: 'Inbox' }).waitFor();
});

test('a slash command is completed, and answers only the user', async () => {
  await go(page, '#narrow/channel/1-Denmark/topic/party');
  await box(page).fill('');
  await box(page).pressSequentially('/bir');
  const offered = page.getByRole('option', { name: '/birthday 1990-02-28 – Sets your birthday.' });
  await offered.waitFor();
  await box(page).press('Enter');
  assert.equal(await box(page).inputValue(), '/birthday ');
  await box(page).pressSequentially('1991-03-01');
  await box(page).press('Control+Enter');
  const answer = page.getByRole('status').filter({ hasText: 'Only you see this' });
  await answer.getByText('Your birthday is 1991-03-01.').waitFor();
  assert.equal(await box(page).inputValue(), '');
  await answer.getByRole('button', { name: 'Close' }).click();
  await answer.waitFor({ state: 'hidden' });
  harness.ignoreFailedRequests();
  await sendMessage(page, '/birthday soon');
  await page.getByText('day must be a past date').waitFor();
  assert.equal(await box(page).inputValue(), '/birthday soon');
  await box(page).fill('');
});

test('a module draws messages, and one that it cannot draw is shown as usual', async () => {
  await sendMessage(page, '/cake for Hamlet');
  await row(page, 'A cake from Iago').getByText('for Hamlet').waitFor();
  const warnings = [];
  page.on('console', (m) => m.text().includes('The module calendar has failed') && warnings.push(m.text()));
  await sendMessage(page, '/cake is burnt');
  await row(page, 'is burnt').waitFor();
  assert.equal(await row(page, 'is burnt').getByText('A cake from').count(), 0);
  await sendMessage(page, '/cake is burnt again');
  await row(page, 'is burnt again').waitFor();
  await row(page, 'for Hamlet').getByText('A cake from Iago').waitFor();
  assert.equal(warnings.length, 1);
});

test('modules add buttons to the compose box and to channels', async () => {
  const wish = page.getByRole('button', { name: 'Birthday wishes' });
  await wish.click();
  assert.equal(await box(page).inputValue(), 'Happy birthday! :cake: ');
  await box(page).fill('');
  const size = page.viewportSize();
  await page.setViewportSize({ width: 390, height: 800 });
  await page.getByRole('form', { name: 'Write a message' }).getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Birthday wishes' }).click();
  await eventually(async () => (await box(page).inputValue()) === 'Happy birthday! :cake: ');
  await box(page).fill('');
  await page.setViewportSize(size);
  await go(page, '#narrow/channel/1-Denmark');
  await page.getByRole('button', { name: 'Birthdays' }).click();
  await page.getByRole('heading', { name: 'Birthdays' }).waitFor();
});

test('modules add commands to the dialog that finds everything, and to the compose box', async () => {
  await go(page, '#inbox');
  await page.getByRole('heading', { name: 'Inbox' }).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Jump to a conversation' }).fill('show birth');
  await page.getByRole('option', { name: 'Show birthdays' }).click();
  await page.getByText(/^Iago: /).waitFor();
  await go(page, '#narrow/channel/1-Denmark/topic/party');
  await sendMessage(page, '/birthdays');
  await page.getByText(/^Iago: /).waitFor();
});

test('modules add to the profile of people, and sections to the settings of the organization', async () => {
  await go(page, '#narrow/channel/1-Denmark/topic/party');
  await row(page, 'for Hamlet').getByRole('button', { name: 'Iago' }).last().click();
  const card = page.getByRole('dialog').getByRole('region', { name: 'Birthday' });
  await card.getByText(/March/).waitFor();
  await page.keyboard.press('Escape');
  await go(page, '#organization/profile');
  await page.getByRole('main').getByRole('link', { name: 'Birthdays' }).click();
  await page.getByText('Birthdays entered: 1').waitFor();
});

test('modules receive the events of modules of the server', async () => {
  const hamlet = await harness.open('hamlet@zulip.com');
  await page.bringToFront();
  await call(hamlet, 'POST', '/birthdays', { day: '1992-05-05' });
  await page.getByText('King Hamlet has entered a birthday.').waitFor();
});

test('the search box completes operators of modules of the server', async () => {
  await go(page, '#narrow/channel/1-Denmark/topic/broken');
  await sendMessage(page, 'The printer is broken');
  const reported = row(page, 'The printer is broken').last();
  await reported.waitFor();
  await call(page, 'POST', '/tickets', { message_id: await reported.getAttribute('data-message') });
  const search = page.getByRole('combobox', { name: 'Search messages' });
  await search.fill('tic');
  await page.getByRole('option', { name: /^ticket:.*Selects messages with tickets\./ }).click();
  assert.equal(await search.inputValue(), 'ticket:');
  await search.pressSequentially('any');
  await page.getByRole('option', { name: /^ticket:any/ }).waitFor();
  await search.press('Enter');
  await eventually(async () => (await page.evaluate(() => location.hash)) === '#narrow/ticket/any');
  await row(page, 'The printer is broken').waitFor();
  assert.equal(await page.locator('article[data-message]').count(), 1);
  await page.reload();
  await row(page, 'The printer is broken').waitFor();
});

test("a module's texts follow the user's language", async () => {
  await go(page, '#settings/display');
  await page.getByLabel('Language').selectOption('de');
  await page.getByRole('link', { name: 'Geburtstage' }).waitFor();
  await page.getByLabel('Sprache').selectOption('en');
  await page.getByRole('link', { name: 'Birthdays' }).waitFor();
});
