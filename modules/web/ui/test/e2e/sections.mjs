// Shared by the tests of the administration's sections: an owner's page and helpers for its controls.
import assert from 'node:assert/strict';
import { call, eventually, go, Harness } from './harness.mjs';

export const harness = new Harness();
export let page;

/** api calls an operation as the user of a page, by default the owner. */
export const api = (method, path, params = {}, by = page) => call(by, method, path, params);

/** refusing makes the server refuse matching requests, for errors that the page cannot provoke. */
export async function refusing(path, run) {
  const refuse = (route) =>
    route.request().method() === 'GET'
      ? route.fallback()
      : route.fulfill({ status: 400, json: { result: 'error', code: 'BAD_REQUEST', msg: 'Refused by the test.' } });
  await page.route(path, refuse);
  await run();
  await refused('Refused by the test.');
  await page.unroute(path, refuse);
}

export const refused = (text) =>
  page.locator('[role=alert], [role=status]').filter({ hasText: text }).first().waitFor();
export const button = (name, within = page) => within.getByRole('button', { name, exact: typeof name === 'string' });
export const form = (name) => page.getByRole('form', { name });
export const confirm = (name) => page.getByRole('alertdialog').getByRole('button', { name, exact: true }).click();
export const eventuallyEqual = (read, want) =>
  eventually(async () => {
    const got = await read();
    try {
      assert.deepEqual(got, want);
      return true;
    } catch {
      return false;
    }
  }).catch(async () => assert.deepEqual(await read(), want));

export async function section(id) {
  await go(page, '#inbox');
  await go(page, `#organization/${id}`);
}

/** save fills in a field that has a button of its own, and saves it. */
export async function save(label, value) {
  await page.getByLabel(label, { exact: true }).fill(value);
  await button(`Save: ${label}`).click();
}

/** setUp starts the server and opens the client for the organization's owner. */
export async function setUp() {
  await harness.start({ mail: true });
  harness.ignoreFailedRequests();
  page = await harness.open('desdemona@zulip.com');
}

/** pickRole selects a role for a permission. */
export async function pickRole(label, role) {
  const box = page.getByRole('combobox', { name: label, exact: true });
  await box.fill(role);
  await page.getByRole('listbox').getByRole('option', { name: role }).first().waitFor();
  await box.press('Enter');
}

export const roleIDs = async () =>
  Object.fromEntries((await api('GET', '/user_groups')).user_groups.map((g) => [g.name, g.id]));
export const groupNamed = async (name) =>
  (await api('GET', '/user_groups', {})).user_groups.find((g) => g.name === name);
export const person = async (name) => (await api('GET', '/users')).members.find((u) => u.full_name === name)?.user_id;

export const channelNamed = async (name) =>
  (await api('GET', '/streams?include_all=true&exclude_archived=false&include_default=true')).streams.find(
    (s) => s.name === name,
  );
