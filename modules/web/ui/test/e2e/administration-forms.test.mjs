// Forms of the administration: unsaved input, error messages, and the data given to new people and bots.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { picture } from './picture.mjs';
import { call, eventually, go } from './harness.mjs';
import { confirm, harness, page, refused, refusing, section, setUp } from './sections.mjs';

before(setUp);

after(() => harness.stop());

const main = () => page.getByRole('main');
const setting = (key) => page.locator(`#setting-${key}`);
const people = async () => (await call(page, 'GET', '/users')).members;
const named = async (name) => (await people()).find((u) => u.full_name === name);
const button = (name) => main().getByRole('button', { name, exact: true });

// Each form: its section, its input, and how to open it if it is closed.
const label = (name) => () => main().getByLabel(name, { exact: true });
const forms = [
  ['profile', () => setting('name').getByRole('textbox')],
  ['messages', () => setting('jitsi_server_url').getByRole('textbox')],
  ['groups', label('Name'), 'Create a group'],
  ['channels', label('Description'), 'Create a channel'],
  ['channel-folders', label('Name')],
  ['emoji', label('Name')],
  ['linkifiers', label('Pattern (regular expression)')],
  ['playgrounds', label('URL template')],
  ['profile-fields', label('Hint')],
  ['bots', label('Name'), 'Add bot'],
  ['domains', label('Domain')],
  ['invitations', () => main().getByLabel('Email addresses')],
  ['people', label('Full name'), 'Create an account'],
];

test('unsaved input of a form survives navigation', async () => {
  for (const [id, input, opens] of forms) {
    await section(id);
    if (opens) await main().locator('summary', { hasText: opens }).click();
    await input().fill(`typed in ${id}`);
  }
  for (const [id, input] of forms) {
    await section(id);
    assert.equal(await input().inputValue(), `typed in ${id}`, id);
    assert.ok(await input().isVisible(), id);
  }
});

test('unsaved input belongs to a single item', async () => {
  const { streams } = await call(page, 'GET', '/streams');
  const [rome, verona] = ['Rome', 'Verona'].map((name) => streams.find((s) => s.name === name).stream_id);
  const description = () => main().getByLabel('Description', { exact: true });
  await go(page, `#organization/channels/${rome}`);
  await page.getByRole('heading', { name: '#Rome' }).waitFor();
  await description().fill('Eternal');
  await go(page, `#organization/channels/${verona}`);
  await page.getByRole('heading', { name: '#Verona' }).waitFor();
  assert.notEqual(await description().inputValue(), 'Eternal');
  await section('groups');
  // Meanwhile another user changes it.
  await call(page, 'PATCH', `/streams/${rome}`, { description: 'Seven hills' });
  await go(page, `#organization/channels/${rome}`);
  await page.getByRole('heading', { name: '#Rome' }).waitFor();
  assert.equal(await description().inputValue(), 'Eternal');
  await page.getByText('Somebody else has changed this to “Seven hills” meanwhile.').waitFor();
  await button('Cancel: Description').click();
  await section('groups');
  await go(page, `#organization/channels/${rome}`);
  await page.getByRole('heading', { name: '#Rome' }).waitFor();
  assert.equal(await description().inputValue(), 'Seven hills');
});

test('an edited list item reopens with its unsaved input until it is closed', async () => {
  await call(page, 'POST', '/realm/filters', {
    pattern: 'K-(?P<id>[0-9]+)',
    url_template: 'https://k.example.com/{id}',
  });
  await section('linkifiers');
  await button('Change K-(?P<id>[0-9]+)').click();
  const template = () => main().getByLabel('URL template', { exact: true }).first();
  await template().fill('https://other.example.com/{id}');
  await section('emoji');
  await section('linkifiers');
  assert.equal(await template().inputValue(), 'https://other.example.com/{id}');
  await button('Cancel').click();
  await section('emoji');
  await section('linkifiers');
  assert.equal(await button('Cancel').count(), 0);
  await button('Change K-(?P<id>[0-9]+)').click();
  assert.equal(await template().inputValue(), 'https://k.example.com/{id}');
});

test('leaving the page with unsaved input asks for confirmation', async () => {
  const asked = [];
  const answer = (dialog) => {
    asked.push(dialog.type());
    return dialog.accept();
  };
  page.on('dialog', answer);
  await page.reload();
  await page.getByRole('navigation', { name: 'Organization' }).waitFor();
  assert.deepEqual(asked, ['beforeunload']);
  await main().getByLabel('Pattern (regular expression)').last().click();
  await page.reload();
  await page.getByRole('navigation', { name: 'Organization' }).waitFor();
  assert.deepEqual(asked, ['beforeunload']);
  page.off('dialog', answer);
});

test('an account is created, and its user logs in with the generated password', async () => {
  await section('people');
  await main().locator('summary', { hasText: 'Create an account' }).click();
  const fill = async (email) => {
    await main().getByLabel('Full name').fill('Horatio');
    await main().getByLabel('Email address').fill(email);
    await button('Create an account').click();
  };
  await fill('hamlet@zulip.com');
  await refused(/already/);
  await fill('horatio@example.com');
  await main().getByText('The account of horatio@example.com was created.').waitFor();
  const password = await main().locator('.create code').innerText();
  assert.equal((await named('Horatio')).role, 400);
  const context = await harness.browser.newContext();
  const tab = await harness.tab(context);
  await tab.goto(`${harness.server.url}/login/`);
  await tab.getByLabel('Email address').fill('horatio@example.com');
  await tab.getByLabel('Password').fill(password);
  await tab.getByRole('button', { name: 'Log in' }).click();
  await tab.getByRole('heading', { name: 'Inbox' }).waitFor();
  await context.close();
});

test('profile fields of other users are changed, cleared and refused', async () => {
  const { custom_fields: old } = await call(page, 'GET', '/realm/profile_fields');
  for (const f of old) await call(page, 'DELETE', `/realm/profile_fields/${f.id}`);
  const ids = {};
  for (const [name, type, own] of [
    ['Team', 1, true],
    ['Born', 4, false],
    ['Mentor', 6, true],
  ]) {
    const made = await call(page, 'POST', '/realm/profile_fields', { name, field_type: type, editable_by_user: own });
    ids[name] = made.id;
  }
  const { user_id: hamlet } = await named('King Hamlet');
  const value = async (name) =>
    (await call(page, 'GET', `/users/${hamlet}`, { include_custom_profile_fields: true })).user.profile_data[
      ids[name]
    ]?.value;
  await go(page, `#organization/people/${hamlet}`);
  const team = main().getByLabel('Team');
  const type = async (text) => {
    await team.fill(text);
    await team.blur();
  };
  await refusing('**/json/users/*', () => type('Ghosts'));
  await eventually(async () => (await team.inputValue()) === '');
  await type('Denmark');
  await main().getByText('Saved.').waitFor();
  await eventually(async () => (await value('Team')) === 'Denmark');
  await main().getByLabel('Born').fill('1980-02-29');
  await main().getByLabel('Born').blur();
  await eventually(async () => (await value('Born')) === '1980-02-29');
  const mentor = main().getByRole('group', { name: 'Mentor' });
  await mentor.getByRole('combobox').fill('iago');
  await mentor.getByRole('combobox').press('Enter');
  await eventually(async () => (await value('Mentor')) === `[${(await named('Iago')).user_id}]`);
  await type('');
  await eventually(async () => (await value('Team')) === undefined);
  // Another user changes it while it is shown.
  await call(page, 'PATCH', `/users/${hamlet}`, { profile_data: [{ id: ids.Team, value: 'Norway' }] });
  await eventually(async () => (await team.inputValue()) === 'Norway');
});

test('bots have a role, default channels and a configuration file', async () => {
  const made = await call(page, 'POST', '/bots', { full_name: 'Robot', short_name: 'robot', bot_type: 1 });
  const own = async () =>
    (
      await call(page, 'POST', '/register', { fetch_event_types: ['realm_bot'], event_types: ['typing'] })
    ).realm_bots.find((b) => b.user_id === made.user_id);
  await go(page, `#organization/bots/${made.user_id}`);
  const role = setting('bot-role').getByRole('combobox');
  await refusing('**/json/bots/*', () => role.selectOption('Moderator'));
  await eventually(async () => (await role.inputValue()) === '400');
  await role.selectOption('Moderator');
  await eventually(async () => (await named('Robot')).role === 300);
  for (const key of ['default_sending_stream', 'default_events_register_stream']) {
    const choose = async () => {
      await setting(key).getByRole('combobox').fill('Veron');
      await setting(key).getByRole('option', { name: 'Verona' }).click();
    };
    await refusing('**/json/bots/*', choose);
    await choose();
    await eventually(async () => (await own())[key] === 'Verona');
    await setting(key)
      .getByRole('button', { name: /^Remove/ })
      .click();
    await eventually(async () => (await own())[key] === null);
  }
  const all = setting('default_all_public_streams').getByRole('checkbox');
  await refusing('**/json/bots/*', () => all.click());
  await eventually(async () => !(await all.isChecked()));
  await all.click();
  await eventually(async () => (await own()).default_all_public_streams);

  const download = page.waitForEvent('download');
  await button('Download a configuration file').click();
  const file = await download;
  assert.equal(file.suggestedFilename(), 'zuliprc');
  const { email } = await named('Robot');
  assert.equal(
    readFileSync(await file.path(), 'utf8'),
    `[api]\nemail=${email}\nkey=${made.api_key}\nsite=${harness.server.url}\n`,
  );
  await call(page, 'POST', '/bots', {
    full_name: 'Oracle',
    short_name: 'oracle',
    bot_type: 3,
    payload_url: '"https://oracle.example.com/"',
  });
  await go(page, `#organization/bots/${(await named('Oracle')).user_id}`);
  await page.getByRole('heading', { name: 'Oracle' }).waitFor();
  const second = page.waitForEvent('download');
  await button('Download a configuration file').click();
  assert.equal((await second).suggestedFilename(), 'botserverrc');
  assert.match(
    readFileSync(await (await second).path(), 'utf8'),
    /^\[oracle-bot\]\nemail=.*\nkey=.*\nsite=.*\ntoken=\w+\n$/,
  );
});

const text = (name, value) => main().getByLabel(name, { exact: true }).fill(value);

/** asked returns an action that is confirmed first. */
const asked = (control, answer) => async () => {
  await control().click();
  await confirm(answer);
};

// Requests of the other sections, each refused once: the section, the operation and the action that sends it.
// Accepted requests are tested in administration-people.test.mjs.
const refusals = [
  ['invitations', 'invites/multiuse', () => button('Create an invitation link').click()],
  ['invitations', 'invites/multiuse/*', asked(() => button('Revoke: Invitation link').first(), 'Revoke')],
  [
    'invitations',
    'invites',
    async () => {
      await main().getByLabel('Email addresses').fill('yorick@example.com');
      await button('Send invitations').click();
    },
  ],
  [
    'domains',
    'realm/domains',
    async () => {
      await text('Domain', 'example.org');
      await button('Add domain').click();
    },
  ],
  ['domains', 'realm/domains/*', () => main().getByLabel('Allow subdomains of example.net').click()],
  ['domains', 'realm/domains/*', () => button('Remove: example.net').click()],
  ['exports', 'export/realm', () => button('Start an export').click()],
  ['exports', 'export/realm/*', asked(() => main().getByRole('button', { name: /^Delete the export/ }), 'Delete')],
  ['profile', 'realm/icon', () => setting('icon').locator('input[type=file]').setInputFiles(picture)],
  ['profile', 'realm/icon', asked(() => button('Remove: Icon'), 'Remove')],
  ['profile', 'realm/logo*', () => setting('logo').locator('input[type=file]').setInputFiles(picture)],
  ['profile', 'realm/logo*', asked(() => button('Remove: Logo'), 'Remove')],
  ['profile', 'realm/logo*', asked(() => button('Remove: Logo for dark pages'), 'Remove')],
  [
    'profile',
    'realm/deactivate',
    async () => {
      await button('Deactivate the organization').click();
      await page.getByRole('dialog').getByLabel(/^Type/).fill('Zulip Dev');
      await page.getByRole('dialog').getByRole('button', { name: 'Deactivate the organization' }).click();
    },
  ],
  ['messages', 'realm/test_welcome_bot_custom_message', () => button('Send it to me').click()],
];

test("other sections show the server's errors", async () => {
  await call(page, 'POST', '/invites/multiuse');
  await call(page, 'POST', '/realm/domains', { domain: 'example.net', allow_subdomains: false });
  await call(page, 'POST', '/export/realm');
  await call(page, 'PATCH', '/realm', { welcome_message_custom_text: 'Welcome' });
  await section('profile');
  await setting('icon').locator('input[type=file]').setInputFiles(picture);
  for (const of of ['logo', 'night_logo']) await setting(of).locator('input[type=file]').setInputFiles(picture);
  for (const of of ['Icon', 'Logo', 'Logo for dark pages']) await button(`Remove: ${of}`).waitFor();
  for (const [id, path, ask] of refusals) {
    await section(id);
    await refusing(`**/json/${path}`, ask);
    if (await page.getByRole('dialog').count()) await page.keyboard.press('Escape');
  }
  const { user_id: prospero } = (await people()).find((u) => u.full_name.startsWith('Prospero'));
  await go(page, `#organization/people/${prospero}`);
  await button('Deactivate the account').click();
  await refusing(`**/json/users/${prospero}`, () =>
    page.getByRole('dialog').getByRole('button', { name: 'Deactivate', exact: true }).click(),
  );
  await page.keyboard.press('Escape');
  await call(page, 'DELETE', `/users/${prospero}`);
  await refusing(`**/json/users/${prospero}/reactivate`, () => button('Reactivate the account').click());
});
