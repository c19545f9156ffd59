// Identity providers that manage accounts: an owner makes a token for one, sees whom it manages, and revokes the token.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { call, go, Harness } from './harness.mjs';

const harness = new Harness();
let owner;

before(async () => {
  await harness.start({ modules: { scim: '{}' } });
  owner = await harness.open('desdemona@zulip.com');
});

after(() => harness.stop());

const main = () => owner.getByRole('main');

test('what an identity provider manages cannot be changed until its token is revoked', async () => {
  await go(owner, '#organization/scim');
  await main().getByText('Create a token').first().click();
  await main().getByLabel('Name').fill('Okta');
  await main().getByRole('button', { name: 'Create a token', exact: true }).click();
  const token = await main().getByLabel('Token', { exact: true }).inputValue();
  const { members } = await call(owner, 'GET', '/users');
  const { user_id: hamlet, delivery_email: email } = members.find((u) => u.full_name === 'King Hamlet');
  const answer = await fetch(`${harness.server.url}/scim/v2/Users/${hamlet}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' },
    body: JSON.stringify({ userName: email, displayName: 'King Hamlet' }),
  });
  assert.equal(answer.status, 200, await answer.text());

  await go(owner, `#organization/people/${hamlet}`);
  await main().getByText('Managed by Okta.').first().waitFor();
  assert.ok(!(await main().getByLabel('Full name').isEditable()));

  await go(owner, '#organization/scim');
  await main().getByRole('button', { name: 'Revoke', exact: true }).click();
  await owner.getByRole('alertdialog').getByRole('button', { name: 'Revoke', exact: true }).click();
  await main().getByRole('listitem').filter({ hasText: 'Okta' }).waitFor({ state: 'detached' });
  await go(owner, `#organization/people/${hamlet}`);
  await main().getByLabel('Full name').and(owner.locator(':enabled:read-write')).waitFor();
});
