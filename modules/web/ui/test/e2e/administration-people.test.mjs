// People, invitations, allowed domains, data exports and the deactivation of the organization.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { call, eventually, go, Harness } from './harness.mjs';

const harness = new Harness();
let desdemona;
let iago;

before(async () => {
  await harness.start({ mail: true, modules: { accounts: '{change_emails: true}' } });
  desdemona = await harness.open('desdemona@zulip.com');
  iago = await harness.open('iago@zulip.com');
  harness.ignoreFailedRequests();
});

after(() => harness.stop());

const setting = (page, key) => page.locator(`#setting-${key}`);
const people = async (page) => (await call(page, 'GET', '/users')).members;
const named = async (name) => (await people(desdemona)).find((u) => u.full_name === name);

/** open opens a person's page in the administration. */
async function open(page, name) {
  await go(page, '#organization/people');
  await page.getByLabel('Accounts').selectOption('Active people');
  await page.getByRole('searchbox', { name: 'Search people' }).fill(name);
  await page.getByRole('main').getByRole('link', { name }).click();
  await page.getByRole('heading', { name }).waitFor();
}

test('people are found by name, email address, role and state', async () => {
  await go(desdemona, '#organization/people');
  const main = desdemona.getByRole('main');
  const search = desdemona.getByRole('searchbox', { name: 'Search people' });
  const count = (n) => main.getByText(new RegExp(`^${n} accounts?$`)).waitFor();
  const all = (await people(desdemona)).filter((u) => !u.is_bot && u.is_active);
  await count(all.length);
  await search.fill('hamlet@zulip.com');
  await count(1);
  await main.getByRole('link', { name: /King Hamlet.*hamlet@zulip.com.*Member/s }).waitFor();
  await search.fill('');
  await main.getByLabel('Role').selectOption('Guest');
  await count(all.filter((u) => u.role === 600).length);
  await main.getByLabel('Role').selectOption('Any role');
  await main.getByLabel('Accounts').selectOption('Bots');
  await main.getByRole('link', { name: /bot/i }).first().waitFor();
  await main.getByLabel('Accounts').selectOption('Active people');
  await search.fill('nobody at all');
  await main.getByText('Nothing found.').waitFor();
});

test('a name is changed, and an invalid one refused', async () => {
  await open(desdemona, 'Cordelia, Lear');
  const control = setting(desdemona, 'full_name');
  await control.getByRole('textbox').fill('Cordelia*');
  await control.getByRole('button', { name: 'Save' }).click();
  await control.getByRole('alert').waitFor();
  await control.getByRole('textbox').fill('Cordelia of France');
  await control.getByRole('button', { name: 'Save' }).click();
  await desdemona.getByRole('heading', { name: 'Cordelia of France' }).waitFor();
  assert.ok(await named('Cordelia of France'));
});

test('an owner changes an email address; one already in use is refused', async () => {
  await open(desdemona, 'Cordelia of France');
  const control = setting(desdemona, 'new_email');
  await control.getByRole('textbox').fill('hamlet@zulip.com');
  await control.getByRole('button', { name: 'Save' }).click();
  await control.getByRole('alert').waitFor();
  await control.getByRole('textbox').fill('queen@example.com');
  await control.getByRole('button', { name: 'Save' }).click();
  await control.getByText('Saved.').waitFor();
  assert.equal((await named('Cordelia of France')).delivery_email, 'queen@example.com');
  await open(iago, 'Cordelia of France');
  await setting(iago, 'new_email').getByText('Only owners').waitFor();
});

test('a role is changed, except that of the last owner', async () => {
  await open(desdemona, 'King Hamlet');
  const role = setting(desdemona, 'role').getByRole('combobox');
  await role.selectOption('Moderator');
  await setting(desdemona, 'role').getByText('Saved.').waitFor();
  assert.equal((await named('King Hamlet')).role, 300);
  await open(desdemona, 'Desdemona');
  await role.selectOption('Member');
  await setting(desdemona, 'role').getByRole('alert').waitFor();
  await eventually(async () => (await role.inputValue()) === '100');
  await open(iago, 'Desdemona');
  await setting(iago, 'role').getByText('Only owners may change an owner.').waitFor();
  assert.ok(await iago.getByRole('button', { name: 'Deactivate the account' }).isDisabled());
});

test('an account is deactivated with a comment, and reactivated', async () => {
  await open(desdemona, 'Prospero');
  const { user_id: id } = (await people(desdemona)).find((u) => u.full_name.startsWith('Prospero'));
  const active = async () => (await people(desdemona)).find((u) => u.user_id === id).is_active;
  await desdemona.getByRole('button', { name: 'Deactivate the account' }).click();
  const dialog = desdemona.getByRole('dialog');
  await dialog.getByLabel('Tell them by email').check();
  await dialog.getByLabel('Comment in the email').fill('x'.repeat(2001));
  await dialog.getByRole('button', { name: 'Deactivate', exact: true }).click();
  await dialog.getByRole('alert').waitFor();
  assert.ok(await active());
  await dialog.getByLabel('Comment in the email').fill('Farewell.');
  await dialog.getByLabel('Messages in public channels').check();
  await dialog.getByRole('button', { name: 'Deactivate', exact: true }).click();
  await desdemona.getByRole('button', { name: 'Reactivate the account' }).waitFor();
  assert.ok(!(await active()));
  await go(desdemona, '#organization/people');
  await desdemona.getByLabel('Accounts').selectOption('Deactivated accounts');
  await desdemona
    .getByRole('main')
    .getByRole('link', { name: /Prospero.*deactivated/s })
    .click();
  await desdemona.getByRole('button', { name: 'Reactivate the account' }).click();
  await desdemona.getByRole('button', { name: 'Deactivate the account' }).waitFor();
  assert.ok(await active());
});

test('lost rights take effect at once, and typed text stays', async () => {
  await go(iago, '#organization/profile');
  const his = setting(iago, 'name');
  await his.getByRole('textbox').fill('Iago’s');
  await open(desdemona, 'Iago');
  const role = setting(desdemona, 'role').getByRole('combobox');
  await role.selectOption('Member');
  await his.getByText('Only administrators').waitFor();
  assert.equal(await his.getByRole('textbox').inputValue(), 'Iago’s');
  assert.ok(await his.getByRole('button', { name: 'Save' }).isDisabled());
  await his.getByText('Your input is kept').waitFor();
  await go(iago, '#organization/people');
  await iago.getByText('You do not have access to this section').waitFor();
  assert.equal((await call(iago, 'DELETE', `/users/${(await named('King Hamlet')).user_id}`)).status, 400);
  await role.selectOption('Administrator');
  await iago.getByRole('searchbox', { name: 'Search people' }).waitFor();
});

const invitations = async () => (await call(desdemona, 'GET', '/invites')).invites;

test('a link is created with a role, channels and an expiry, copied and revoked', async () => {
  await go(desdemona, '#organization/invitations');
  const main = desdemona.getByRole('main');
  await main.getByLabel('They join as').selectOption('Guest');
  await main.getByLabel('Expires').selectOption('never');
  await main.getByRole('combobox', { name: 'Further channels' }).fill('rom');
  await main.getByRole('option', { name: 'Rome' }).click();
  await main.getByRole('button', { name: 'Create an invitation link' }).click();
  await eventually(async () =>
    (await main.getByLabel('Invitation link', { exact: true }).inputValue()).includes('/join/'),
  );
  const [made] = await invitations();
  assert.deepEqual([made.invited_as, made.expiry_date, made.is_multiuse], [600, null, true]);
  await main.getByRole('button', { name: 'Revoke: Invitation link' }).click();
  await desdemona.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click();
  await main.getByText('No open invitations.').waitFor();
  assert.deepEqual(await invitations(), []);
});

test('people are invited by email; refused addresses are listed with the reason', async () => {
  const main = desdemona.getByRole('main');
  const send = main.getByRole('button', { name: 'Send invitations' });
  await main.getByLabel('Email addresses').fill('no address, hamlet@zulip.com');
  await send.click();
  await main.getByRole('listitem').filter({ hasText: 'hamlet@zulip.com' }).waitFor();
  assert.deepEqual(await invitations(), []);
  await main.getByLabel('Email addresses').fill('horatio@example.com');
  await send.click();
  await main.getByRole('listitem').filter({ hasText: 'Guest, invited by Desdemona' }).waitFor();
  assert.deepEqual(
    (await invitations()).map((i) => i.email),
    ['horatio@example.com'],
  );
  const resend = main.getByRole('button', { name: 'Send again: horatio@example.com' });
  await resend.click();
  await desdemona.getByText('The invitation has been sent again.').waitFor();
  // Another user revokes it while the list is shown: the row disappears, and late requests fail.
  await desdemona.route(
    '**/resend',
    async (route) => {
      const [{ id }] = await invitations();
      assert.equal((await call(iago, 'DELETE', `/invites/${id}`)).result, 'success');
      await route.continue();
    },
    { times: 1 },
  );
  await resend.click();
  await main
    .getByRole('alert')
    .filter({ hasText: /invitation/i })
    .waitFor();
  await main.getByText('No open invitations.').waitFor();
});

test('a moderator is told who can create links', async () => {
  await go(iago, '#organization/invitations');
  await iago.getByText('Who may create invitation links: Administrators.').waitFor();
  const cordelia = await harness.open('queen@example.com');
  await go(cordelia, '#organization/invitations');
  await cordelia.getByText('Who may create invitation links: Administrators. You are not allowed to.').waitFor();
  assert.ok(await cordelia.getByRole('button', { name: 'Create an invitation link' }).isDisabled());
  assert.equal((await call(cordelia, 'POST', '/invites/multiuse')).status, 400);
  await cordelia.context().close();
});

test('owners add, change and remove domains, and invalid ones are refused', async () => {
  const domains = async () => (await call(desdemona, 'GET', '/realm/domains')).domains;
  const old = (await domains()).length;
  await go(desdemona, '#organization/domains');
  const main = desdemona.getByRole('main');
  await main.getByLabel('Domain', { exact: true }).fill('nowhere');
  await main.getByRole('button', { name: 'Add domain' }).click();
  await main.getByRole('alert').filter({ hasText: /\w/ }).waitFor();
  await main.getByLabel('Domain', { exact: true }).fill('elsinore.example.com');
  await main.getByRole('button', { name: 'Add domain' }).click();
  await main.getByLabel('Allow subdomains of elsinore.example.com').click();
  await main.getByText('Saved.').waitFor();
  assert.deepEqual(
    (await domains()).find((d) => d.domain === 'elsinore.example.com'),
    { domain: 'elsinore.example.com', allow_subdomains: true },
  );
  await go(iago, '#organization/domains');
  await iago.getByText('Only owners may change this. You are not allowed to.').waitFor();
  assert.ok(await iago.getByRole('button', { name: 'Remove: elsinore.example.com' }).isDisabled());
  assert.equal((await call(iago, 'DELETE', '/realm/domains/elsinore.example.com')).code, 'UNAUTHORIZED_PRINCIPAL');
  await main.getByRole('button', { name: 'Remove: elsinore.example.com' }).click();
  await eventually(async () => (await domains()).length === old);
});

test('data is exported, downloaded and deleted, at most five times a week', async () => {
  await go(desdemona, '#organization/exports');
  const main = desdemona.getByRole('main');
  await main.getByText(/^0 people agree/).waitFor();
  await call(desdemona, 'PATCH', '/settings', { allow_private_data_export: true });
  await main.getByText(/^1 person agrees/).waitFor();
  await main
    .getByRole('combobox', { name: 'Data' })
    .selectOption('Public data, and private data of those who consent');
  await main.getByRole('button', { name: 'Start an export' }).click();
  await main.getByRole('link', { name: 'Download' }).waitFor({ timeout: 20_000 });
  const address = await main.getByRole('link', { name: 'Download' }).getAttribute('href');
  assert.equal(await desdemona.evaluate(async (url) => (await fetch(url)).status, address), 200);
  await main.getByRole('button', { name: /^Delete the export/ }).click();
  await desdemona.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await main.getByText('Deleted', { exact: true }).waitFor();
  for (let i = 0; i < 4; i++) await call(desdemona, 'POST', '/export/realm');
  await main.getByRole('button', { name: 'Start an export' }).click();
  await main.getByRole('alert').filter({ hasText: /\w/ }).waitFor();
  assert.equal((await call(desdemona, 'GET', '/export/realm')).exports.length, 5);
});

test('the organization is deactivated after its owner has typed its name', async () => {
  await go(iago, '#organization/profile');
  await iago.getByText('Only owners may change this.').last().waitFor();
  assert.equal(await iago.getByRole('button', { name: 'Deactivate the organization' }).count(), 0);
  await go(desdemona, '#organization/profile');
  await desdemona.getByRole('button', { name: 'Deactivate the organization' }).click();
  const dialog = desdemona.getByRole('dialog');
  const button = dialog.getByRole('button', { name: 'Deactivate the organization' });
  assert.ok(await button.isDisabled());
  assert.equal((await call(desdemona, 'POST', '/realm/deactivate', { deletion_delay_days: 1 })).status, 400);
  const name = (await call(desdemona, 'POST', '/register', { fetch_event_types: ['realm'] })).realm_name;
  await dialog.getByLabel(/^Type/).fill(name);
  await button.click();
  await desdemona.waitForURL('**/login/**');
  await eventually(async () => (await desdemona.request.get(`${harness.server.url}/json/users`)).status() === 401);
});
