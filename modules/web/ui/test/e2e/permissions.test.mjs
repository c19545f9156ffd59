// What a user may do follows every change by others, in open windows and without a reload.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { call, go, Harness, row } from './harness.mjs';

const harness = new Harness();
let owner;
let member;
let me;
let channel;

/** System groups have the same IDs in every organization. */
const owners = 2;
const members = 6;

before(async () => {
  await harness.start();
  owner = await harness.open('desdemona@zulip.com');
  member = await harness.open('hamlet@zulip.com');
  me = (await call(member, 'GET', '/users/me')).user_id;
  const made = await call(owner, 'POST', '/channels/create', { name: 'rights', subscribers: [me] });
  channel = made.id;
});

after(() => harness.stop());

async function ok(method, path, params) {
  const answer = await call(owner, method, path, params);
  assert.equal(answer.result, 'success', answer.msg);
}

/** allow makes a group the value of permissions of the organization. */
const allow = (group, ...names) =>
  ok('PATCH', '/realm', Object.fromEntries(names.map((name) => [name, { new: group }])));

const promote = (role) => ok('PATCH', `/users/${me}`, { role });
const shown = (locator) => locator.waitFor();
const gone = (locator) => locator.waitFor({ state: 'detached' });
const button = (name) => member.getByRole('main').getByRole('button', { name });
const item = (name) => member.getByRole('menuitem', { name, exact: true });

/** openMenu opens the menu behind the user's name, and keeps it open. */
async function openMenu() {
  await member.getByRole('navigation').getByRole('button', { name: 'Menu', exact: true }).click();
  await shown(item('Settings'));
}

test('the right to invite is taken and given', async () => {
  const rights = ['can_invite_users_group', 'create_multiuse_invite_group'];
  await allow(members, ...rights);
  await openMenu();
  await shown(item('Invite people'));
  await allow(owners, ...rights);
  await gone(item('Invite people'));
  await allow(members, 'create_multiuse_invite_group');
  await item('Invite people').click();
  const dialog = member.getByRole('dialog', { name: 'Invite people' });
  const link = (disabled) => dialog.getByRole('button', { name: 'Create an invitation link', disabled });
  const refusal = dialog.getByText(/^\s*Who may invite by email: .*You are not allowed to\.\s*$/s);
  await shown(link(false));
  await shown(refusal);
  await allow(members, 'can_invite_users_group');
  await gone(refusal);
  await allow(owners, 'create_multiuse_invite_group');
  await shown(link(true));
  await member.keyboard.press('Escape');
});

test('the rights to create channels and groups are taken and given', async () => {
  const rights = ['can_create_public_channel_group', 'can_create_private_channel_group'];
  await go(member, '#channels/all');
  await shown(button('Create a channel'));
  await allow(owners, ...rights);
  await gone(button('Create a channel'));
  await allow(members, 'can_create_private_channel_group');
  await button('Create a channel').click();
  const hidden = member.getByRole('dialog').getByRole('checkbox', { name: /^Private/ });
  assert.equal(await hidden.isChecked(), true);
  assert.equal(await hidden.isDisabled(), true);
  await allow(members, 'can_create_public_channel_group');
  await member
    .getByRole('dialog')
    .getByRole('checkbox', { name: /^Private/, disabled: false })
    .waitFor();
  assert.equal(await hidden.isChecked(), true, 'what was private stays private');
  await hidden.uncheck();
  await member.keyboard.press('Escape');

  await go(member, '#groups');
  await shown(button('Create a group'));
  await allow(owners, 'can_create_groups');
  await gone(button('Create a group'));
  await allow(members, 'can_create_groups');
  await shown(button('Create a group'));
});

test('a channel is entrusted to a member, and taken back, while its settings are open', async () => {
  const entrust = (who) => ok('PATCH', `/streams/${channel}`, { can_administer_channel_group: { new: who } });
  await go(member, `#narrow/channel/${channel}-rights`);
  await button('Actions for rights').click();
  await item('Channel settings').click();
  const dialog = member.getByRole('dialog', { name: '#rights' });
  await shown(dialog.getByRole('region', { name: 'People' }));
  const name = dialog.getByRole('textbox', { name: 'Name', exact: true });
  const archive = dialog.getByRole('button', { name: 'Archive' });
  const add = dialog.getByRole('combobox', { name: 'Add a person' });
  await gone(name);
  await entrust({ direct_members: [me], direct_subgroups: [] });
  await shown(name);
  await shown(archive);
  await allow(owners, 'can_add_subscribers_group');
  await entrust(owners);
  await gone(name);
  await gone(archive);
  await gone(add);
  await allow(members, 'can_add_subscribers_group');
  await shown(add);
  await member.keyboard.press('Escape');
});

test('what may be done with a message follows the settings', async () => {
  await call(member, 'POST', '/messages', { type: 'channel', to: channel, topic: 'rights', content: 'My own words' });
  await go(member, `#narrow/channel/${channel}-rights/topic/rights`);
  await row(member, 'My own words').hover();
  await row(member, 'My own words').getByRole('button', { name: 'More actions' }).click();
  for (const name of ['Edit', 'Delete', 'Move messages']) await shown(item(name));
  await ok('PATCH', '/realm', { allow_message_editing: false });
  await gone(item('Edit'));
  await allow(owners, 'can_delete_own_message_group');
  await gone(item('Delete'));
  await allow(owners, 'can_move_messages_between_topics_group', 'can_move_messages_between_channels_group');
  await gone(item('Move messages'));
  await ok('PATCH', '/realm', { allow_message_editing: true });
  await allow(
    members,
    'can_delete_own_message_group',
    'can_move_messages_between_topics_group',
    'can_move_messages_between_channels_group',
  );
  for (const name of ['Edit', 'Delete', 'Move messages']) await shown(item(name));
  await member.keyboard.press('Escape');
});

test('a promotion and a demotion show in the administration and in the menu', async () => {
  await go(member, '#organization/groups');
  const people = member.getByRole('link', { name: 'People', exact: true });
  await shown(member.getByRole('link', { name: 'Custom emoji' }));
  await gone(people);
  await promote(200);
  await shown(people);
  await promote(400);
  await gone(people);
  await go(member, '#inbox');
  await openMenu();
  await shown(item('Organization'));
  await promote(600);
  await gone(item('Organization'));
  await gone(item('Invite people'));
  await promote(400);
  await shown(item('Organization'));
});
