// Who can read a channel changes only after a question that says who is affected.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { call, eventually, go, Harness } from './harness.mjs';

const harness = new Harness();
let desdemona;
let ids;

before(async () => {
  await harness.start({ modules: { channels: '{web_public_streams: true}' } });
  desdemona = await harness.open('desdemona@zulip.com');
  ids = Object.fromEntries((await call(desdemona, 'GET', '/users')).members.map((u) => [u.full_name, u.user_id]));
});

after(() => harness.stop());

const channel = async (name) =>
  (await call(desdemona, 'GET', '/streams', { include_all: true })).streams.find((s) => s.name === name);
const dialog = () => desdemona.getByRole('dialog');
const question = () => desdemona.getByRole('alertdialog');

async function answer(name) {
  await question().getByRole('button', { name, exact: true }).click();
  await question().waitFor({ state: 'detached' });
}

async function open(name) {
  await go(desdemona, `#narrow/channel/${(await channel(name)).stream_id}`);
  await desdemona
    .getByRole('button', { name: `Actions for ${name}` })
    .first()
    .click();
  await desdemona.getByRole('menuitem', { name: 'Channel settings' }).click();
  await dialog().waitFor();
}

test('settings of a channel are saved together, and opening it says to whom', async () => {
  await call(desdemona, 'POST', '/users/me/subscriptions', {
    subscriptions: [{ name: 'cellar', description: 'Wine' }],
    principals: [ids.Desdemona, ids.Iago],
    invite_only: true,
  });
  await open('cellar');
  await dialog()
    .getByLabel(/^Private/)
    .uncheck();
  await dialog().getByLabel('Description').fill('Wine and *cheese*');
  await dialog().getByLabel('Mute').check();
  const before = await channel('cellar');
  assert.deepEqual([before.invite_only, before.description], [true, 'Wine'], 'nothing is saved at once');

  await dialog().getByRole('button', { name: 'Save' }).click();
  const people = (await call(desdemona, 'GET', '/users')).members.filter(
    (u) => u.is_active && !u.is_bot && !u.is_guest,
  );
  await question().getByText(`Who can read it: 2 people now, ${people.length} people afterwards.`).waitFor();
  await question()
    .getByText(new RegExp(`^Will be able to read it \\(${people.length - 2} people\\): .*Hamlet`))
    .waitFor();
  await question().getByText('This includes all earlier messages.').waitFor();
  await answer('Cancel');
  assert.equal((await channel('cellar')).invite_only, true);

  await dialog().getByRole('button', { name: 'Save' }).click();
  await answer('Change');
  await eventually(async () => (await channel('cellar')).invite_only === false);
  assert.equal((await channel('cellar')).description, 'Wine and *cheese*');
  await eventually(async () => {
    const all = (await call(desdemona, 'GET', '/users/me/subscriptions')).subscriptions;
    return all.find((s) => s.name === 'cellar').is_muted;
  });

  // Unsaved changes are not lost by accident.
  await dialog()
    .getByLabel(/^Private/)
    .check();
  await desdemona.keyboard.press('Escape');
  await answer('Cancel');
  await dialog().getByRole('button', { name: 'Save' }).click();
  await question()
    .getByText(new RegExp(`^Will no longer be able to read it \\(${people.length - 2} people\\)`))
    .waitFor();
  await answer('Change');
  await eventually(async () => (await channel('cellar')).invite_only);
  await desdemona.keyboard.press('Escape');
  await dialog().waitFor({ state: 'detached' });
});

test('a permission that lets others read asks, in the dialog and in the administration', async () => {
  await open('cellar');
  await dialog().getByText('Permissions').click();
  const box = dialog().getByRole('combobox', { name: 'Who may subscribe themselves' });
  await box.fill('Moderators');
  await dialog().getByRole('option', { name: 'Moderators' }).first().waitFor();
  await box.press('Enter');
  await dialog().getByRole('button', { name: 'Save' }).click();
  await question()
    .getByText(/^Will be able to read it/)
    .waitFor();
  await answer('Cancel');
  await desdemona.keyboard.press('Escape');
  await answer('Discard');

  await go(desdemona, `#organization/channels/${(await channel('cellar')).stream_id}`);
  const privacy = desdemona.getByRole('combobox', { name: 'Privacy' });
  await privacy.selectOption('public');
  await question()
    .getByText(/^Will be able to read it/)
    .waitFor();
  await answer('Cancel');
  await eventually(async () => (await privacy.inputValue()) === 'shared');
  assert.equal((await channel('cellar')).invite_only, true);
});

test('adding members to a group that grants access to a private channel asks', async () => {
  const { group_id: group } = await call(desdemona, 'POST', '/user_groups/create', {
    name: 'tasters',
    description: '',
    members: [ids.Iago],
  });
  await call(desdemona, 'PATCH', `/streams/${(await channel('cellar')).stream_id}`, {
    can_subscribe_group: { new: group },
  });
  await go(desdemona, `#organization/groups/${group}`);
  const box = desdemona.getByRole('combobox', { name: 'Add a person' });
  await box.fill('Zoe');
  await box.press('Enter');
  await desdemona.getByRole('button', { name: 'Add people' }).click();
  await question().getByText('#cellar: Will be able to read it (1 person): Zoe').waitFor();
  await answer('Change');
  await desdemona.getByRole('button', { name: 'Remove Zoe' }).last().click();
  await question().getByText('#cellar: Will no longer be able to read it (1 person): Zoe').waitFor();
  await answer('Cancel');
});

test('opening web-public channels to the internet asks, and says how many', async () => {
  await call(desdemona, 'PATCH', '/realm', { enable_spectator_access: true });
  await call(desdemona, 'POST', '/users/me/subscriptions', {
    subscriptions: [{ name: 'piazza' }],
    is_web_public: true,
  });
  await go(desdemona, '#organization/permissions/enable_spectator_access');
  const box = desdemona.getByLabel('Let everybody on the internet read web-public channels');
  await box.uncheck();
  await question().getByText('People without an account will no longer be able to read 1 channel: #piazza').waitFor();
  await answer('Cancel');
  assert.equal(await box.isChecked(), true);
});

test('no page reported an error', () => assert.deepEqual(harness.problems, []));
