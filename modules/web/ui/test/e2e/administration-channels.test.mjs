// Groups, channels, folders and default channels: the effect of each control on the API, and its error messages.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  api,
  setUp,
  button,
  channelNamed,
  confirm,
  form,
  groupNamed,
  eventuallyEqual,
  page,
  person,
  pickRole,
  refused,
  refusing,
  roleIDs,
  save,
  section,
  harness,
} from './sections.mjs';
import { eventually, go } from './harness.mjs';

before(() => setUp());

after(() => harness.stop());

test('groups are created, changed, nested and deactivated', async () => {
  const roles = await roleIDs();
  await section('groups');
  await page.getByText('Create a group').first().click();
  const create = form('Create a group');
  await create.getByLabel('Name').fill('backend');
  await create.getByLabel('Description').fill('Servers');
  await button('Create a group', create).click();
  await page.getByRole('heading', { name: 'backend' }).waitFor();
  await eventuallyEqual(async () => (await groupNamed('backend'))?.description, 'Servers');
  await api('POST', '/user_groups/create', { name: 'everything', description: '', members: [] });

  await save('Name', 'server people');
  await eventuallyEqual(async () => (await groupNamed('server people'))?.name, 'server people');
  await save('Name', 'everything');
  await refused(/already exists/);
  await button('Cancel: Name').click();
  await save('Description', 'All servers');
  await eventuallyEqual(async () => (await groupNamed('server people')).description, 'All servers');
  await refusing('**/json/user_groups/*', () => save('Description', 'Nothing'));
  await button('Cancel: Description').click();

  const members = async () => (await groupNamed('server people')).members;
  const [iago, me] = [await person('Iago'), await person('Desdemona')];
  const add = async () => {
    const box = page.getByRole('combobox', { name: 'Add a person' });
    await box.fill('Iago');
    await box.press('Enter');
    await button('Add people').click();
  };
  await refusing('**/json/user_groups/*/members', add);
  await button('Add people').click();
  const both = [me, iago].sort((a, b) => a - b);
  await eventuallyEqual(members, both);
  await refusing('**/json/user_groups/*/members', () => button('Remove Iago').click());
  await button('Remove Iago').click();
  await eventuallyEqual(members, [me]);

  // What is undone while another group is open belongs to the first one.
  const everything = (await groupNamed('everything')).id;
  const own = (await groupNamed('server people')).id;
  const open = async (id, name) => {
    await go(page, `#organization/groups/${id}`);
    await page.getByRole('heading', { name }).waitFor();
  };
  await open(everything, 'everything');
  await button('Undo').click();
  await eventuallyEqual(members, both);
  assert.deepEqual((await groupNamed('everything')).members, []);
  await open(own, 'server people');
  await button('Remove Iago').click();
  await eventuallyEqual(members, [me]);

  const subgroups = async (name) => (await groupNamed(name)).direct_subgroup_ids;
  const nest = async (name) => {
    await page.getByLabel('Add subgroup').first().selectOption(name);
    await button('Add subgroup').click();
  };
  await nest('everything');
  await eventuallyEqual(() => subgroups('server people'), [everything]);
  await open(everything, 'everything');
  await nest('server people');
  await refused(/already a subgroup of one/);
  assert.deepEqual(await subgroups('everything'), []);
  await button('Deactivate the group').click();
  await refused('Cannot deactivate user group in use.');
  await page.getByText('Subgroup of server people', { exact: true }).waitFor();
  await open(own, 'server people');
  await refusing('**/json/user_groups/*/members', () => button('Remove everything').click());
  await button('Remove everything').click();
  await eventuallyEqual(() => subgroups('server people'), []);

  for (const [label, setting] of [
    ['Who may manage this group', 'can_manage_group'],
    ['Who may add members', 'can_add_members_group'],
    ['Who may remove members', 'can_remove_members_group'],
    ['Who may join', 'can_join_group'],
    ['Who may leave', 'can_leave_group'],
    ['Who may mention this group', 'can_mention_group'],
  ]) {
    const before = (await groupNamed('server people'))[setting];
    await refusing('**/json/user_groups/*', () => pickRole(label, 'Moderators'));
    assert.deepEqual((await groupNamed('server people'))[setting], before);
    await pickRole(label, 'Moderators');
    const value = async () => (await groupNamed('server people'))[setting];
    await eventuallyEqual(async () => JSON.stringify(await value()).includes(String(roles['role:moderators'])), true);
  }

  await button('Deactivate the group').click();
  await eventuallyEqual(async () => await groupNamed('server people'), undefined);
  await refusing('**/json/user_groups/*', () => button('Reactivate the group').click());
  await button('Reactivate the group').click();
  await eventuallyEqual(async () => (await groupNamed('server people'))?.name, 'server people');
});

test('a channel is created, and all its properties are changed', async () => {
  const roles = await roleIDs();
  const folder = (await api('POST', '/channel_folders/create', { name: 'Cities', description: '' }))
    .channel_folder_id;
  await section('channels');
  await page.getByText('Create a channel').first().click();
  const create = form('Create a channel');
  await create.getByLabel('Name').fill('Padua');
  await create.getByLabel('Description').fill('A town');
  await create.getByLabel('Privacy').selectOption('shared');
  await create.getByRole('combobox', { name: 'Subscribe people' }).fill('Iago');
  await create.getByRole('combobox', { name: 'Subscribe people' }).press('Enter');
  await button('Create a channel', create).click();
  await page.getByRole('heading', { name: '#Padua' }).waitFor();
  const channel = (name = 'Padua') => channelNamed(name);
  await eventuallyEqual(async () => {
    const c = await channel();
    return [c?.invite_only, c?.history_public_to_subscribers, c?.description, c?.subscriber_count];
  }, [true, true, 'A town', 2]);
  const { stream_id: id } = await channel();

  await save('Description', 'A university town');
  await eventuallyEqual(async () => (await channel()).description, 'A university town');
  await refusing('**/json/streams/*', () => save('Description', 'Nothing'));
  await button('Cancel: Description').click();
  await save('Name', 'Venice');
  await refused(/already/);
  await save('Name', 'Padova');
  await eventuallyEqual(async () => (await channel('Padova'))?.stream_id, id);

  // Selects: the value to choose, how to read it from the API, and the expected result.
  const flags = (c) => [c.invite_only, c.history_public_to_subscribers, c.is_web_public];
  for (const [label, value, read, want] of [
    ['Privacy', 'protected', flags, [true, false, false]],
    ['Privacy', 'public', flags, [false, true, false]],
    ['Topics', 'disable_empty_topic', (c) => c.topics_policy, 'disable_empty_topic'],
    ['Folder', String(folder), (c) => c.folder_id, folder],
    ['Folder', '0', (c) => c.folder_id, null],
    ['Delete old messages', 'unlimited', (c) => c.message_retention_days, -1],
    ['Delete old messages', 'realm_default', (c) => c.message_retention_days, null],
  ]) {
    const select = page.getByRole('combobox', { name: label, exact: true });
    const before = await select.inputValue();
    const choose = async () => {
      await select.selectOption(value);
      if (label === 'Privacy') await confirm('Change');
    };
    await refusing('**/json/streams/*', choose);
    await eventuallyEqual(() => select.inputValue(), before);
    await choose();
    await eventuallyEqual(async () => read(await channel('Padova')), want);
  }
  await page.getByRole('combobox', { name: 'Delete old messages' }).selectOption('days');
  await page.getByRole('spinbutton', { name: 'Days' }).fill('30');
  const keep = async () => {
    await button('Save').click();
    await page.getByRole('alertdialog').getByText('Messages older than 30 days will be deleted for good.').waitFor();
    await confirm('Change');
  };
  await refusing('**/json/streams/*', keep);
  await keep();
  await eventuallyEqual(async () => (await channel('Padova')).message_retention_days, 30);

  const standard = page.getByLabel('Default channel for new people');
  await refusing('**/json/streams/*', () => standard.click());
  assert.equal(await standard.isChecked(), false);
  await standard.check();
  await eventuallyEqual(async () => (await channel('Padova')).is_default, true);
  await page.getByRole('combobox', { name: 'Privacy' }).selectOption('shared');
  await confirm('Change');
  await refused(/default/i);
  await standard.uncheck();
  await eventuallyEqual(async () => (await channel('Padova')).is_default, false);

  for (const [label, setting] of [
    ['Who may post', 'can_send_message_group'],
    ['Who may start new topics', 'can_create_topic_group'],
    ['Who may subscribe themselves', 'can_subscribe_group'],
    ['Who may add subscribers', 'can_add_subscribers_group'],
    ['Who may remove subscribers', 'can_remove_subscribers_group'],
    ['Who may administer this channel', 'can_administer_channel_group'],
    ['Who may resolve topics', 'can_resolve_topics_group'],
    ['Who may move messages within this channel', 'can_move_messages_within_channel_group'],
    ['Who may move messages to other channels', 'can_move_messages_out_of_channel_group'],
    ['Who may delete their own messages', 'can_delete_own_message_group'],
    ['Who may delete any message', 'can_delete_any_message_group'],
  ]) {
    const value = async () => (await channel('Padova'))[setting];
    const before = await value();
    await refusing('**/json/streams/*', () => pickRole(label, 'Moderators'));
    assert.deepEqual(await value(), before);
    await pickRole(label, 'Moderators');
    await eventuallyEqual(async () => JSON.stringify(await value()).includes(String(roles['role:moderators'])), true);
  }

  const subscribers = async () => (await api('GET', `/streams/${id}/members`)).subscribers.length;
  const add = page.getByRole('combobox', { name: 'Add a person' });
  await add.fill('Othello');
  await add.press('Enter');
  await refusing('**/json/users/me/subscriptions', () => button('Add people').click());
  await button('Add people').click();
  await eventuallyEqual(subscribers, 3);
  await refusing('**/json/users/me/subscriptions', () => button('Remove Iago').click());
  await button('Remove Iago').click();
  await eventuallyEqual(subscribers, 2);
  // Another user adds a subscriber.
  await api('POST', '/users/me/subscriptions', {
    subscriptions: [{ name: 'Padova' }],
    principals: [await person('Zoe')],
  });
  await page.locator('.content').getByText('Zoe').waitFor();

  const archive = async () => {
    await button('Archive the channel').click();
    await confirm('Archive the channel');
  };
  await refusing('**/json/streams/*', archive);
  await archive();
  await eventuallyEqual(async () => (await channel('Padova')).is_archived, true);
  await refusing('**/json/streams/*', () => button('Unarchive the channel').click());
  await button('Unarchive the channel').click();
  await eventuallyEqual(async () => (await channel('Padova')).is_archived, false);
});

test('folders are created, renamed, moved and archived', async () => {
  const folders = async (archived) =>
    (await api('GET', `/channel_folders?include_archived=${archived}`)).channel_folders.map((f) => f.name);
  await section('channel-folders');
  const create = form('Create folder');
  const add = async (name) => {
    await create.getByLabel('Name').fill(name);
    await create.getByLabel('Description').fill(`All **${name}**`);
    await button('Create folder', create).click();
  };
  await add('Plays');
  await eventuallyEqual(() => folders(false), ['Cities', 'Plays']);
  await page
    .getByRole('list', { name: 'Channel folders' })
    .locator('strong', { hasText: /^Plays$/ })
    .nth(1)
    .waitFor();
  await add('Plays');
  await refused(/already/);
  await button('Change Plays').click();
  const rows = page.getByRole('list', { name: 'Channel folders' });
  await rows.getByLabel('Name', { exact: true }).fill('Cities');
  await button('Save: Name').click();
  await refused(/already/);
  await rows.getByLabel('Name', { exact: true }).fill('Dramas');
  await button('Save: Name').click();
  await eventuallyEqual(() => folders(false), ['Cities', 'Dramas']);
  await rows.getByLabel('Description', { exact: true }).fill('With an end');
  await refusing('**/json/channel_folders/*', () => button('Save: Description').click());
  await button('Save: Description').click();
  const described = async () => (await api('GET', '/channel_folders')).channel_folders[1].description;
  await eventuallyEqual(described, 'With an end');
  await refusing('**/json/channel_folders', () => button('Move Dramas').press('ArrowUp'));
  await button('Move Dramas').press('ArrowUp');
  await eventuallyEqual(() => folders(false), ['Dramas', 'Cities']);
  await api('PATCH', `/streams/${(await channelNamed('Verona')).stream_id}`, {
    folder_id: (await api('GET', '/channel_folders')).channel_folders[1].id,
  });
  await button('Archive Cities').click();
  await refused(/channel/);
  await button('Archive Dramas').click();
  await eventuallyEqual(() => folders(false), ['Cities']);
  await refusing('**/json/channel_folders/*', () => button('Unarchive Dramas').click());
  await button('Unarchive Dramas').click();
  await eventuallyEqual(() => folders(false), ['Dramas', 'Cities']);
});

test('default channels are added and removed', async () => {
  const standard = async (name) => (await channelNamed(name)).is_default;
  await section('default-channels');
  await page.getByLabel('Add default channel').first().selectOption('Rome');
  await refusing('**/json/default_streams', () => button('Add default channel').click());
  assert.equal(await standard('Rome'), false);
  await button('Add default channel').click();
  await eventuallyEqual(() => standard('Rome'), true);
  await refusing('**/json/default_streams', () => button('Remove default channel Rome').click());
  await button('Remove default channel Rome').click();
  await eventuallyEqual(() => standard('Rome'), false);
});

test('the channel dialog shows the permissions', async () => {
  await go(page, '#narrow/channel/4-Venice');
  await page.getByRole('heading', { name: 'Venice' }).waitFor();
  await button('Actions for Venice').first().click();
  await page.getByRole('menuitem', { name: 'Channel settings' }).click();
  await page.getByRole('dialog').getByText('Permissions').click();
  await pickRole('Who may post', 'Members');
  const { 'role:members': members } = await roleIDs();
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await eventuallyEqual(async () => (await channelNamed('Venice')).can_send_message_group, members);
  await page.getByRole('link', { name: 'All settings of the channel' }).click();
  await page.getByRole('heading', { name: '#Venice' }).waitFor();
});

test('concurrent changes and lost rights are shown while editing, without losing input', async () => {
  const iago = await harness.open('iago@zulip.com');
  const { stream_id: rome } = await channelNamed('Rome');
  await go(iago, `#organization/channels/${rome}`);
  const description = iago.getByLabel('Description', { exact: true });
  await description.fill('Eternal');
  await api('PATCH', `/streams/${rome}`, { description: 'Seven hills' });
  await iago.getByText('Somebody else has changed this to “Seven hills” meanwhile.').waitFor();
  assert.equal(await description.inputValue(), 'Eternal');
  await api('PATCH', `/users/${await person('Iago')}`, { role: 400 });
  await eventually(() => description.isDisabled());
  assert.equal(await description.inputValue(), 'Eternal');
  await iago.getByText('You are not allowed to.').first().waitFor();
  await api('PATCH', `/users/${await person('Iago')}`, { role: 200 });
  await iago.getByRole('button', { name: 'Save: Description' }).click();
  await eventuallyEqual(async () => (await channelNamed('Rome')).description, 'Eternal');

  await go(iago, '#organization/profile-fields');
  await iago.getByRole('heading', { name: 'Add field' }).waitFor();
  await api('PATCH', `/users/${await person('Iago')}`, { role: 400 });
  await iago.getByText('You do not have access to this section.').waitFor();
  await api('PATCH', `/users/${await person('Iago')}`, { role: 200 });
  await iago.context().close();
});

test('a response that arrives after its form was left changes nothing', async () => {
  const { stream_id: rome } = await channelNamed('Rome');
  await go(page, `#organization/channels/${rome}`);
  let leave;
  const left = new Promise((resolve) => (leave = resolve));
  const hold = (route) => left.then(() => route.continue());
  await page.route('**/json/streams/*', hold);
  await save('Description', 'Late');
  await go(page, '#organization/profile-fields');
  await page.getByRole('heading', { name: 'Add field' }).waitFor();
  const response = page.waitForResponse('**/json/streams/*');
  leave();
  await (await response).finished();
  await page.unroute('**/json/streams/*', hold);
  await go(page, `#organization/channels/${rome}`);
  await eventuallyEqual(() => page.getByLabel('Description', { exact: true }).inputValue(), 'Late');
});
