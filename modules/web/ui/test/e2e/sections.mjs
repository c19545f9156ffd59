// What the tests of the sections of the administration share: the page of an owner, and ways to its controls.
import assert from 'node:assert/strict';
import { eventually, go, World } from './world.mjs';

export const world = new World();
export let page;

/** api asks the server as the person of a page does. */
export function api(method, path, params = {}, by = page) {
  return by.evaluate(
    async ([m, p, values]) => {
      const body = new URLSearchParams();
      for (const [k, v] of Object.entries(values)) body.set(k, typeof v === 'string' ? v : JSON.stringify(v));
      const token = document.querySelector('meta[name="csrf-token"]').content;
      const init = m === 'GET' ? {} : { method: m, body, headers: { 'X-CSRFToken': token } };
      return (await fetch(`/json${p}`, init)).json();
    },
    [method, path, params],
  );
}

/** refusing makes the server refuse what matches, for refusals that nothing on the page can provoke. */
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
export const confirm = (name) => page.getByRole('dialog').getByRole('button', { name, exact: true }).click();
export const is = (read, want) =>
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

/** save types a text into a field that is saved by itself. */
export async function save(label, value) {
  await page.getByLabel(label, { exact: true }).fill(value);
  await button(`Save: ${label}`).click();
}

/** begin starts the server, and opens the client for the owner of the organization. */
export async function begin() {
  await world.start();
  world.forgiveFailures();
  page = await world.open('desdemona@zulip.com');
}

/** pick gives a permission to a role. */
export async function pick(label, role) {
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
