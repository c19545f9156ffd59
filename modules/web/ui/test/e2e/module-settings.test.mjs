// The settings that the module birthdays of app/example declares, in the three places where the client shows them.
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { after, before, test } from 'node:test';
import { eventually, go, row, sendMessage, Harness } from './harness.mjs';

const harness = new Harness();
let page;
let member;

before(async () => {
  await harness.start({
    binary: process.env.EXAMPLE_BINARY ?? fileURLToPath(new URL('../../../../../bin/party', import.meta.url)),
    modules: { birthdays: '{}', calendar: '{}' },
  });
  page = await harness.open('iago@zulip.com');
  member = await harness.open('hamlet@zulip.com');
});

after(() => harness.stop());

test('administrators change a permission, and others see it', async () => {
  await go(member, '#organization/extensions');
  const theirs = member.locator('#setting-can_set_birthday_group');
  await theirs.getByText('Everybody, including guests').waitFor();
  await theirs.getByText('Only administrators may change this').waitFor();
  await go(page, '#organization/profile');
  await page.getByRole('searchbox', { name: 'Search settings' }).fill('enter a birthday');
  await page.getByRole('link', { name: 'Who can enter a birthday' }).click();
  const setting = page.locator('#setting-can_set_birthday_group');
  await setting.getByRole('combobox').fill('Moderators');
  await setting.getByRole('combobox').press('Enter');
  await setting.getByRole('button', { name: 'Save' }).click();
  await setting.getByText('Saved').waitFor();
  await theirs.getByText('Moderators').waitFor();
});

test('everybody has personal settings', async () => {
  await go(member, '#settings/extensions');
  const box = member.getByLabel('Show my birthday');
  assert.equal(await box.isChecked(), true);
  await box.uncheck();
  await member.locator('#setting-show_birthday').getByText('Saved').waitFor();
  await go(member, '#settings/profile');
  await member.reload();
  await go(member, '#settings/extensions');
  await eventually(async () => !(await box.isChecked()));
  await go(page, '#settings/extensions');
  assert.equal(await page.getByLabel('Show my birthday').isChecked(), true);
});

test('those who administer a channel change its settings', async () => {
  await go(member, '#organization/channels/1');
  const theirs = member.getByLabel('Celebrate birthdays');
  assert.equal(await theirs.isDisabled(), true);
  await member.locator('#setting-celebrates_birthdays').getByText('Who may change this channel').waitFor();
  await go(page, '#organization/channels/1');
  await page.getByLabel('Celebrate birthdays').check();
  await page.locator('#setting-celebrates_birthdays').getByText('Saved').waitFor();
  await eventually(() => theirs.isChecked());
  await go(page, '#organization/channels/2');
  assert.equal(await page.getByLabel('Celebrate birthdays').isChecked(), false);
});

test('others see public settings in the profile of a person and in the details of a channel', async () => {
  await go(member, '#settings/extensions');
  const cake = member.locator('#setting-favourite_cake');
  await cake.getByRole('textbox').fill('Lemon');
  await cake.getByRole('button', { name: 'Save' }).click();
  await cake.getByText('Saved').waitFor();
  await go(member, '#narrow/channel/1-Denmark/topic/cake');
  await sendMessage(member, 'Who bakes one?');
  await go(page, '#narrow/channel/1-Denmark/topic/cake');
  await row(page, 'Who bakes one?').getByRole('button', { name: 'King Hamlet' }).last().click();
  const profile = page.getByRole('dialog', { name: 'King Hamlet' });
  await profile.getByText('Favourite cake').waitFor();
  await profile.getByText('Lemon').waitFor();
  await page.keyboard.press('Escape');
  await go(page, '#narrow/channel/1-Denmark');
  await page.getByRole('button', { name: 'Actions for Denmark' }).last().click();
  await page.getByRole('menuitem', { name: 'Channel settings' }).click();
  await page.getByRole('dialog').getByRole('term').getByText('Celebrate birthdays').waitFor();
  await page.keyboard.press('Escape');
});

test('modules translate their settings', async () => {
  await go(page, '#settings/display');
  await page.getByLabel('Language').selectOption('de');
  await page.getByLabel('Sprache').waitFor();
  await go(page, '#settings/extensions');
  await page.getByLabel('Meinen Geburtstag zeigen').waitFor();
  await page.getByText('Sonst siehst nur du ihn.').waitFor();
});
