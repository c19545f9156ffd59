// Everyday tasks apart from writing: pinned views, folders, channel settings, groups and profiles.
import { after, before, test } from 'node:test';
import { box, eventually, go, row, sendMessage, Harness } from './harness.mjs';

const harness = new Harness();
let desdemona;
let iago;

before(async () => {
  await harness.start();
  desdemona = await harness.open('desdemona@zulip.com');
  iago = await harness.open('iago@zulip.com');
});

after(() => harness.stop());

const sidebar = (page) => page.getByRole('navigation', { name: 'Views' });

test('a search is pinned to the sidebar, renamed and removed', async () => {
  await desdemona.keyboard.press('/');
  await desdemona.keyboard.type('sender:iago has:link');
  await desdemona.keyboard.press('Enter');
  await desdemona.getByRole('button', { name: 'Pin to the sidebar' }).click();
  await desdemona.getByRole('textbox', { name: 'Name', exact: true }).fill('Iago’s links');
  await desdemona.getByRole('dialog').getByRole('button', { name: 'Pin to the sidebar' }).click();
  await sidebar(desdemona).getByRole('link', { name: 'Iago’s links' }).waitFor();
  await sidebar(desdemona)
    .getByRole('link', { name: /^Inbox/ })
    .click();
  await sidebar(desdemona).getByRole('link', { name: 'Iago’s links' }).click();
  await desdemona.getByRole('heading', { name: /sender:/ }).waitFor();
  await desdemona.reload();
  await sidebar(desdemona).getByRole('link', { name: 'Iago’s links' }).hover();
  await sidebar(desdemona).getByRole('button', { name: 'Actions for Iago’s links' }).click();
  await desdemona.getByRole('menuitem', { name: 'Rename' }).click();
  await desdemona.getByRole('textbox', { name: 'Name', exact: true }).fill('Links');
  await desdemona.getByRole('dialog').getByRole('button', { name: 'Rename' }).click();
  await sidebar(desdemona).getByRole('link', { name: 'Links', exact: true }).hover();
  await sidebar(desdemona).getByRole('button', { name: 'Actions for Links' }).click();
  await desdemona.getByRole('menuitem', { name: 'Remove from the sidebar' }).click();
  await sidebar(desdemona).getByRole('link', { name: 'Links', exact: true }).waitFor({ state: 'detached' });
});

test('a channel gets a description and a folder; people are added and removed', async () => {
  await sidebar(desdemona)
    .getByRole('link', { name: /^Venice/ })
    .hover();
  await sidebar(desdemona).getByRole('button', { name: 'Actions for Venice' }).click();
  await desdemona.getByRole('menuitem', { name: 'Channel settings' }).click();
  const dialog = desdemona.getByRole('dialog');
  await dialog.getByLabel('Description').fill('A city of canals');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await go(iago, '#channels/all');
  await iago.getByText('A city of canals').waitFor();
  await dialog.getByLabel('Folder').selectOption('New folder…');
  await dialog.getByRole('textbox', { name: 'Name of the folder' }).fill('Cities');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await sidebar(iago).getByRole('heading', { name: 'Cities' }).waitFor();
  await desdemona.keyboard.press('Escape');
  await desdemona.getByRole('dialog').waitFor({ state: 'detached' });
  await sidebar(desdemona).getByRole('heading', { name: 'Cities' }).waitFor();
  await sidebar(desdemona)
    .getByRole('link', { name: /^Venice/ })
    .hover();
  await sidebar(desdemona).getByRole('button', { name: 'Actions for Venice' }).click();
  await desdemona.getByRole('menuitem', { name: 'Channel settings' }).click();
  await dialog.getByRole('button', { name: 'Remove Iago' }).click();
  await sidebar(iago)
    .getByRole('link', { name: /^Venice/ })
    .waitFor({ state: 'detached' });
  await dialog.getByRole('combobox', { name: 'Add a person' }).fill('iag');
  await desdemona.keyboard.press('Enter');
  await dialog.getByRole('button', { name: 'Add people' }).click();
  await sidebar(iago)
    .getByRole('link', { name: /^Venice/ })
    .waitFor();
  await dialog.getByLabel('Colour').fill('#cc2244');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await desdemona.keyboard.press('Escape');
});

test('the field for people keeps its label', async () => {
  await go(desdemona, '#channels/all');
  await desdemona.getByRole('main').getByRole('button', { name: 'Create a channel' }).click();
  const dialog = desdemona.getByRole('dialog', { name: 'Create a channel' });
  await dialog.getByRole('combobox', { name: 'Add a person' }).fill('Zoe');
  await desdemona.keyboard.press('Enter');
  await dialog.getByRole('button', { name: 'Remove Zoe' }).waitFor();
  await dialog.getByText('People', { exact: true }).waitFor();
  await desdemona.keyboard.press('Escape');
});

test('a group is created, mentioned, left and joined', async () => {
  await go(desdemona, '#groups');
  await desdemona.getByRole('button', { name: 'Create a group' }).click();
  await desdemona.getByRole('textbox', { name: 'Name', exact: true }).fill('plotters');
  const people = desdemona.getByRole('combobox', { name: 'Add a person' });
  await people.fill('iag');
  await people.press('Enter');
  await desdemona.getByRole('button', { name: 'Create', exact: true }).click();
  await desdemona.getByText('@plotters').waitFor();
  await go(iago, '#groups');
  await iago.locator('li').filter({ hasText: '@plotters' }).getByText('2 members').waitFor();
  await go(desdemona, '#narrow/channel/4-Venice/topic/plans');
  await box(desdemona).fill('');
  await box(desdemona).pressSequentially('Now @plot');
  await desdemona.getByRole('option', { name: /plotters/ }).waitFor();
  await desdemona.keyboard.press('Enter');
  await desdemona.keyboard.press('Control+Enter');
  await go(iago, '#narrow/is/mentioned');
  await row(iago, 'Now @plotters').waitFor();
  await go(iago, '#groups');
  await iago.locator('li').filter({ hasText: '@plotters' }).getByRole('button', { name: 'Leave' }).click();
  await iago.getByRole('alertdialog').getByRole('button', { name: 'Leave', exact: true }).click();
  await iago.locator('li').filter({ hasText: '@plotters' }).getByText('1 member').waitFor();
});

test('a profile shows details and opens a conversation', async () => {
  await go(iago, '#narrow/channel/4-Venice/topic/plans');
  await row(iago, 'Now @plotters').getByRole('button', { name: 'Desdemona', exact: true }).click();
  const dialog = iago.getByRole('dialog', { name: 'Desdemona' });
  await dialog.getByText(/Owner · active/).waitFor();
  await dialog.getByRole('button', { name: 'Show messages' }).click();
  await row(iago, 'Now @plotters').first().waitFor();
  await go(iago, '#narrow/channel/4-Venice/topic/plans');
  await row(iago, 'Now @plotters').locator('.gutter button').click();
  await dialog.getByRole('button', { name: 'Send a direct message' }).click();
  await iago.getByRole('heading', { name: 'Desdemona' }).waitFor();
});

test('a time is completed and shown in the user’s time zone', async () => {
  await box(iago).fill('');
  await box(iago).pressSequentially('We meet <time:9:30');
  await iago
    .getByRole('option', { name: /at 9:30/ })
    .first()
    .waitFor();
  await iago.keyboard.press('Enter');
  await iago.keyboard.press('Control+Enter');
  await row(iago, 'We meet').locator('time[datetime]', { hasText: /9:30/ }).waitFor();
});

test('alert words, sessions and display settings are saved', async () => {
  await go(desdemona, '#settings/alerts');
  await desdemona.getByRole('textbox', { name: 'Add a word' }).fill('handkerchief');
  await desdemona.getByRole('button', { name: 'Add a word' }).click();
  await desdemona.getByText('handkerchief', { exact: true }).waitFor();
  await go(iago, '#narrow/channel/4-Venice/topic/plans');
  await sendMessage(iago, 'Have you seen my handkerchief?');
  await row(iago, 'my handkerchief').waitFor();
  await go(desdemona, '#narrow/is/alerted');
  await row(desdemona, 'my handkerchief').waitFor();
  await go(desdemona, '#settings/sessions');
  await desdemona.getByText('this browser').waitFor();
  await go(desdemona, '#settings/display');
  await desdemona.getByLabel('Group channels by folder').click();
  await sidebar(desdemona).getByRole('heading', { name: 'Cities' }).waitFor({ state: 'detached' });
  await desdemona.getByLabel('Theme').selectOption('Dark');
  await eventually(() => desdemona.evaluate(() => document.documentElement.dataset.theme === 'dark'));
});
