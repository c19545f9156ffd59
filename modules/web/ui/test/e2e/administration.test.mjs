// The settings of the organization: each control changes what the API answers, and is refused to those who may not.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { picture } from './picture.mjs';
import { eventually, go, World } from './world.mjs';

const world = new World();
const sections = ['profile', 'joining', 'permissions', 'messages', 'defaults'];
/** owners are the settings that administrators may not change. */
const owners = [
  'authentication_methods',
  'can_create_groups',
  'can_invite_users_group',
  'can_manage_all_groups',
  'can_manage_billing_group',
  'create_multiuse_invite_group',
  'disallow_disposable_email_addresses',
  'emails_restricted_to_domains',
  'invite_required',
  'message_retention_days',
  'waiting_period_threshold',
];
/** texts are what is typed into the settings that are neither chosen nor switched. */
const texts = {
  name: 'Wonderland',
  description: 'Down the **rabbit** hole',
  waiting_period_threshold: 3,
  default_code_block_language: 'python',
  jitsi_server_url: 'https://meet.example.com',
  welcome_message_custom_text: 'Curiouser and curiouser',
  web_font_size_px: 18,
  web_line_height_percent: 150,
  email_notifications_batching_period_seconds: 300,
};
let desdemona;
let iago;
let hamlet;

before(async () => {
  await world.start({ spectators: true });
  desdemona = await world.open('desdemona@zulip.com');
  iago = await world.open('iago@zulip.com');
  hamlet = await world.open('hamlet@zulip.com');
});

after(() => world.stop());

/** call asks the API as the person whose page it is. */
const call = (page, method, path, params = {}) =>
  page.evaluate(
    async ([method, path, params]) => {
      const body = new URLSearchParams();
      for (const [k, v] of Object.entries(params)) body.append(k, typeof v === 'string' ? v : JSON.stringify(v));
      const token = document.querySelector('meta[name="csrf-token"]').content;
      const url = `/json${path}${method === 'GET' ? `?${body}` : ''}`;
      const init = method === 'GET' ? { method } : { method, body, headers: { 'X-CSRFToken': token } };
      const answer = await fetch(url, init);
      return { status: answer.status, ...(await answer.json()) };
    },
    [method, path, params],
  );

const register = (page) =>
  call(page, 'POST', '/register', {
    fetch_event_types: ['realm', 'realm_user_settings_defaults', 'realm_user_groups'],
    client_capabilities: { include_deactivated_groups: true },
  });

const setting = (page, key) => page.locator(`#setting-${key}`);

async function keys(page) {
  await page.locator('.setting').first().waitFor();
  return page.locator('.setting').evaluateAll((all) => all.map((e) => e.id.slice('setting-'.length)));
}

/** change gives a setting another value by its control. */
async function change(page, key) {
  const control = setting(page, key);
  const box = control.getByRole('checkbox');
  const select = control.getByRole('combobox').and(control.locator('select'));
  const combo = control.getByRole('combobox').and(control.locator('input'));
  if (key in texts) {
    await control.getByRole('textbox').fill(String(texts[key]));
    await control.getByRole('button', { name: 'Save' }).click();
  } else if (await box.count()) await box.click();
  else if (await select.count()) {
    const other = await select.evaluate(
      (e) => [...e.options].find((o) => o.value !== e.value && o.value !== 'none').value,
    );
    await select.selectOption(other);
  } else {
    await combo.click();
    await control.getByRole('option').first().click();
    const save = control.getByRole('button', { name: 'Save' });
    if (await save.count()) await save.click();
  }
}

for (const section of sections) {
  test(`${section}: each control changes its setting`, async () => {
    await go(desdemona, `#organization/${section}`);
    const all = await keys(desdemona);
    const old = await register(desdemona);
    for (const key of all) {
      if (key === 'authentication_methods') continue; // there is one method, which stays on
      await change(desdemona, key);
      const saved = setting(desdemona, key).getByText('Saved.');
      await saved.waitFor().catch(async (e) => {
        assert.fail(`${key}: ${await setting(desdemona, key).innerText()}: ${e}`);
      });
    }
    const now = await register(desdemona);
    for (const key of all) {
      if (key === 'authentication_methods') continue;
      const of = (r) => (section === 'defaults' ? r.realm_user_settings_defaults[key] : r[`realm_${key}`]);
      assert.notDeepEqual(of(now), of(old), key);
      if (key in texts) assert.equal(of(now), texts[key]);
    }
  });
}
