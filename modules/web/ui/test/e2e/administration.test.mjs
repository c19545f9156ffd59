// Organization settings: each control changes what the API returns, and is disabled for users without the right.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { picture } from './picture.mjs';
import { call, eventually, go, Harness } from './harness.mjs';

const harness = new Harness();
const sections = ['profile', 'joining', 'permissions', 'messages', 'reports', 'defaults'];
/** owners lists the settings that administrators cannot change. */
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
/** texts holds the input for text settings. */
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
  await harness.start({ mail: true, modules: { channels: '{web_public_streams: true}' } });
  desdemona = await harness.open('desdemona@zulip.com');
  iago = await harness.open('iago@zulip.com');
  harness.ignoreFailedRequests();
  hamlet = await harness.open('hamlet@zulip.com');
});

after(() => harness.stop());

/** register returns the settings from the API. */
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

/** change changes a setting with its control. */
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

/** refuse responds with an error to every change. */
const refuse = (route) =>
  route.fulfill({ status: 400, json: { result: 'error', code: 'BAD_REQUEST', msg: 'Refused by the test.' } });

/** consented waits for an outcome, after agreeing to the consequences of a change if it has any. */
async function consented(page, outcome) {
  const question = page.getByRole('alertdialog');
  await question.or(outcome).first().waitFor();
  if (await question.count()) await question.getByRole('button', { name: 'Change', exact: true }).click();
  await outcome.waitFor();
  await question.waitFor({ state: 'detached' }); // it returns the focus
}

for (const section of sections) {
  test(`${section}: each control shows errors, resets, and changes its setting`, async () => {
    await go(desdemona, `#organization/${section}`);
    // The only authentication method cannot be turned off.
    const all = (await keys(desdemona)).filter((key) => key !== 'authentication_methods');
    const old = await register(desdemona);
    const patched = /\/json\/realm(\/user_settings_defaults)?$/;
    await desdemona.route(patched, refuse);
    for (const key of all) {
      await change(desdemona, key);
      const control = setting(desdemona, key);
      await consented(desdemona, control.getByRole('alert').filter({ hasText: 'Refused by the test.' }));
      // Typed input stays for correction; selections have been reset.
      const discard = control.getByRole('button', { name: 'Discard' });
      if (await discard.count()) await discard.click();
    }
    await desdemona.unroute(patched, refuse);
    const same = await register(desdemona);
    for (const key of all) {
      const of = (r) => (section === 'defaults' ? r.realm_user_settings_defaults[key] : r[`realm_${key}`]);
      assert.deepEqual(of(same), of(old), key);
    }
    for (const key of all) {
      await change(desdemona, key);
      const saved = setting(desdemona, key).getByText('Saved.');
      await consented(desdemona, saved).catch(async (e) => {
        assert.fail(`${key}: ${await setting(desdemona, key).innerText()}: ${e}`);
      });
    }
    const now = await register(desdemona);
    for (const key of all) {
      const of = (r) => (section === 'defaults' ? r.realm_user_settings_defaults[key] : r[`realm_${key}`]);
      assert.notDeepEqual(of(now), of(old), key);
      if (key in texts) assert.equal(of(now), texts[key]);
    }
  });
}

test('all permissions and all defaults of new users have a control', async () => {
  const shown = [];
  for (const section of sections) {
    await go(desdemona, `#organization/${section}`);
    shown.push(...(await keys(desdemona)));
  }
  const r = await register(desdemona);
  const known = [
    ...Object.keys(r.server_supported_permission_settings.realm),
    ...Object.keys(r.realm_user_settings_defaults),
  ];
  // The default language belongs to the organization; the others list choices and are not settings.
  const apart = ['default_language', 'available_notification_sounds', 'emojiset_choices'];
  assert.deepEqual(
    known.filter((key) => !shown.includes(key) && !apart.includes(key)),
    [],
  );
});

/** reasons returns why each control on the page is disabled, or '' if it is enabled. */
const reasons = (page) =>
  page.locator('.setting').evaluateAll((all) =>
    Object.fromEntries(
      all.map((e) => {
        const input = e.querySelector('input, select, textarea');
        const off = !input || input.disabled || input.readOnly;
        return [e.id.slice('setting-'.length), off ? e.innerText.split('\n').at(-1) : ''];
      }),
    ),
  );

test('members see the settings but cannot change them', async () => {
  const all = [];
  for (const section of ['profile', 'joining', 'permissions', 'messages']) {
    await go(hamlet, `#organization/${section}`);
    await keys(hamlet);
    for (const [key, reason] of Object.entries(await reasons(hamlet))) {
      assert.match(reason, owners.includes(key) ? /^Only owners/ : /^Only administrators/, key);
      all.push(key);
    }
  }
  const nav = hamlet.getByRole('navigation', { name: 'Organization' });
  for (const name of ['Default settings', 'People', 'Allowed domains', 'Data exports', 'Reports']) {
    assert.equal(await nav.getByRole('link', { name, exact: true }).count(), 0, name);
  }
  for (const section of ['defaults', 'people', 'domains', 'exports', 'reports']) {
    await go(hamlet, `#organization/${section}`);
    await hamlet.getByText('You do not have access to this section').waitFor();
  }
  const asIs = await register(desdemona);
  for (const key of [...all, 'moderation_request_channel_id']) {
    const now = asIs[`realm_${key}`];
    const value = key.includes('group') ? { new: now } : now;
    const answer = await call(hamlet, 'PATCH', '/realm', { [key]: value ?? 'unlimited' });
    assert.equal(answer.code, 'UNAUTHORIZED_PRINCIPAL', key);
  }
  for (const [key, value] of Object.entries(asIs.realm_user_settings_defaults)) {
    const answer = await call(hamlet, 'PATCH', '/realm/user_settings_defaults', { [key]: value });
    assert.equal(answer.code, 'UNAUTHORIZED_PRINCIPAL', key);
  }
});

test('administrators see which settings only owners can change', async () => {
  for (const section of ['profile', 'joining', 'permissions', 'messages']) {
    await go(iago, `#organization/${section}`);
    await keys(iago);
    for (const [key, reason] of Object.entries(await reasons(iago))) {
      if (owners.includes(key)) assert.match(reason, /^Only owners/, key);
      else assert.equal(reason, '', key);
    }
  }
});

const refusals = [
  ['profile', 'name', '  ', /cannot be empty/],
  ['profile', 'description', 'x'.repeat(1001), /too long/i],
  ['joining', 'waiting_period_threshold', '-3', /waiting_period_threshold/],
  ['messages', 'jitsi_server_url', 'nowhere', /jitsi_server_url/],
  ['messages', 'default_code_block_language', 'x'.repeat(60), /too long/i],
  ['messages', 'welcome_message_custom_text', 'x'.repeat(8001), /too long/i],
  ['defaults', 'web_font_size_px', '3', /web_font_size_px/],
  ['defaults', 'web_line_height_percent', 'tall', /web_line_height_percent/],
  ['defaults', 'email_notifications_batching_period_seconds', '0', /email_notifications_batching_period_seconds/],
];

for (const [section, key, value, sentence] of refusals) {
  test(`${section}: ${key} shows the server’s error message`, async () => {
    await go(desdemona, `#organization/${section}`);
    const control = setting(desdemona, key);
    const old = await control.getByRole('textbox').inputValue();
    await control.getByRole('textbox').fill(value);
    await control.getByRole('button', { name: 'Save' }).click();
    assert.match(await control.getByRole('alert').innerText(), sentence);
    await control.getByRole('button', { name: 'Discard' }).click();
    assert.equal(await control.getByRole('textbox').inputValue(), old);
  });
}

test('a custom duration is saved, or refused', async () => {
  await go(desdemona, '#organization/messages/message_content_edit_limit_seconds');
  const control = setting(desdemona, 'message_content_edit_limit_seconds');
  await control.getByRole('combobox').selectOption('Other…');
  await control.getByRole('textbox').fill('0');
  await control.getByRole('button', { name: 'Save' }).click();
  await control.getByRole('alert').waitFor();
  await control.getByRole('textbox').fill('25');
  await control.getByRole('button', { name: 'Save' }).click();
  await control.getByText('Saved.').waitFor();
  assert.equal((await register(desdemona)).realm_message_content_edit_limit_seconds, 25 * 60);
  await control.getByRole('combobox').selectOption('No limit');
  await control.getByText('Saved.').waitFor();
  assert.equal((await register(desdemona)).realm_message_content_edit_limit_seconds, null);
});

test('a permission accepts roles, groups and people, but not an empty set', async () => {
  await go(desdemona, '#organization/permissions/can_manage_all_groups');
  const control = setting(desdemona, 'can_manage_all_groups');
  const input = control.getByRole('combobox');
  await input.fill('iag');
  await input.press('Enter');
  await input.fill('administra');
  await input.press('Enter');
  await control.getByRole('button', { name: 'Save' }).click();
  await control.getByText('Saved.').waitFor();
  const value = (await register(desdemona)).realm_can_manage_all_groups;
  assert.equal(value.direct_members.length, 1);
  assert.equal(value.direct_subgroups.length, 1);
  while (await control.getByRole('button', { name: /^Remove/ }).count()) {
    await control
      .getByRole('button', { name: /^Remove/ })
      .first()
      .click();
  }
  // The focus moves to the field when the focused button disappears.
  await eventually(() => input.evaluate((e) => e === document.activeElement));
  await control.getByRole('button', { name: 'Save' }).click();
  await control.getByRole('alert').waitFor();
  await control.getByRole('button', { name: 'Discard' }).click();
  await control.getByRole('button', { name: 'Remove Iago' }).waitFor();
});

test('login by password, the only method, cannot be turned off', async () => {
  await go(desdemona, '#organization/joining');
  const control = setting(desdemona, 'authentication_methods');
  await control.getByRole('checkbox').click();
  await control.getByRole('alert').waitFor();
  await eventually(() => control.getByRole('checkbox').isChecked());
});

test('icon and logos are uploaded and removed, and other files refused', async () => {
  await go(desdemona, '#organization/profile');
  for (const [label, key] of [
    ['Icon', 'icon'],
    ['Logo', 'logo'],
    ['Logo for dark pages', 'night_logo'],
  ]) {
    const section = setting(desdemona, key);
    const file = section.locator('input[type=file]');
    await file.setInputFiles({ name: 'x.png', mimeType: 'image/png', buffer: Buffer.from('no picture') });
    await section.getByRole('alert').waitFor();
    await file.setInputFiles(picture);
    await section.getByRole('button', { name: `Remove: ${label}` }).waitFor();
    assert.equal((await register(desdemona))[`realm_${key}_source`], 'U');
    await section.getByRole('button', { name: `Remove: ${label}` }).click();
    await desdemona.getByRole('alertdialog').getByRole('button', { name: 'Remove', exact: true }).click();
    await section.getByRole('button', { name: `Remove: ${label}` }).waitFor({ state: 'detached' });
    assert.notEqual((await register(desdemona))[`realm_${key}_source`], 'U');
  }
});

test('two administrators editing a text are warned, and the later one wins', async () => {
  await go(desdemona, '#organization/profile');
  await go(iago, '#organization/profile');
  const [hers, his] = [setting(desdemona, 'name'), setting(iago, 'name')];
  await hers.getByRole('textbox').fill('Hers');
  await his.getByRole('textbox').fill('His');
  await his.getByRole('button', { name: 'Save' }).click();
  await hers.getByText('Somebody else has changed this').waitFor();
  assert.equal(await hers.getByRole('textbox').inputValue(), 'Hers');
  await hers.getByRole('button', { name: 'Save' }).click();
  await eventually(async () => (await his.getByRole('textbox').inputValue()) === 'Hers');
  await hers.getByRole('textbox').fill('Hers again');
  await his.getByRole('textbox').fill('His again');
  await his.getByRole('button', { name: 'Save' }).click();
  await hers.getByRole('button', { name: 'Show the new value' }).click();
  assert.equal(await hers.getByRole('textbox').inputValue(), 'His again');
});

test('a concurrent change of a permission is not overwritten', async () => {
  await go(desdemona, '#organization/permissions');
  const control = setting(desdemona, 'can_add_custom_emoji_group');
  const before = (await register(desdemona)).realm_can_add_custom_emoji_group;
  await desdemona.route(
    '**/json/realm',
    async (route) => {
      const { realm_user_groups: groups } = await register(iago);
      const owners = groups.find((g) => g.name === 'role:owners').id;
      const answer = await call(iago, 'PATCH', '/realm', { can_add_custom_emoji_group: { new: owners } });
      assert.equal(answer.result, 'success');
      await route.continue();
    },
    { times: 1 },
  );
  await control.getByRole('combobox').fill('iag');
  await control.getByRole('combobox').press('Enter');
  await control.getByRole('button', { name: 'Save' }).click();
  await control.getByRole('alert').waitFor();
  await control.getByText('Somebody else has changed this').waitFor();
  await control.getByRole('button', { name: 'Show the new value' }).click();
  await control.getByText('Owners').waitFor();
  assert.notDeepEqual((await register(desdemona)).realm_can_add_custom_emoji_group, before);
});

test('an administrator sends the welcome message as a test', async () => {
  await go(desdemona, '#organization/messages');
  await desdemona.getByRole('button', { name: 'Send it to me' }).click();
  await desdemona.getByRole('main').getByText('The welcome message has been sent to you.').waitFor();
});

test('settings are found by name', async () => {
  await go(desdemona, '#organization/profile');
  await desdemona.getByRole('searchbox', { name: 'Search settings' }).fill('resolve topics');
  await desdemona.getByRole('link', { name: /Who may resolve topics/ }).click();
  await eventually(() =>
    desdemona.evaluate(() => !!document.activeElement.closest('#setting-can_resolve_topics_group')),
  );
  await desdemona.getByRole('searchbox', { name: 'Search settings' }).fill('xyzzy');
  await desdemona.getByText('No setting matches.').waitFor();
});
