// The frame and the controls that the user's settings share with the administration, rules of new passwords, and
// what lists of invitations and pages of bots explain.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { call, eventually, go, Harness, password } from './harness.mjs';

const harness = new Harness();
let desdemona;

before(async () => {
  await harness.start();
  desdemona = await harness.open('desdemona@zulip.com');
});

after(() => harness.stop());

const main = () => desdemona.getByRole('main');

test('settings and administration look alike', async () => {
  /** look returns the measures of the list of sections, of a section and of its controls. */
  const look = async (hash) => {
    await go(desdemona, hash);
    await main().locator('.setting input[type=checkbox]').first().waitFor();
    return desdemona.evaluate(() => {
      const style = (selector, ...names) => {
        const all = getComputedStyle(document.querySelector(selector));
        return names.map((n) => `${selector} ${n}: ${all[n]}`);
      };
      const left = (selector) => `${selector} ${document.querySelector(selector).getBoundingClientRect().left}`;
      return [
        ...style('main nav', 'width', 'padding', 'borderInlineEnd'),
        ...style('main nav h2', 'fontSize', 'color'),
        ...style('main nav a', 'padding', 'minHeight', 'gap'),
        ...style('.content', 'width', 'padding', 'gap'),
        ...style('.content > h2', 'fontSize', 'fontWeight'),
        ...style('.content h3', 'fontSize'),
        ...style('.setting', 'width'),
        ...style('.setting .check', 'fontWeight', 'gap'),
        ...style('.setting .label', 'fontWeight', 'fontSize'),
        ...style('.setting select', 'width'),
        left('.content > h2'),
        left('.setting input'),
      ].filter((line) => !/select width/.test(line));
    });
  };
  for (const size of [
    { width: 1440, height: 900 },
    { width: 820, height: 1100 },
    { width: 390, height: 844 },
  ]) {
    await desdemona.setViewportSize(size);
    assert.deepEqual(await look('#settings/display'), await look('#organization/defaults'));
  }
  await desdemona.setViewportSize({ width: 1300, height: 850 });
});

test('on a phone, a list leads to each section and back', async () => {
  await desdemona.setViewportSize({ width: 390, height: 844 });
  for (const [hash, list, section] of [
    ['#settings', 'Settings', 'Display'],
    ['#organization', 'Organization', 'Permissions'],
  ]) {
    await go(desdemona, hash);
    const nav = desdemona.getByRole('navigation', { name: list, exact: true });
    const region = desdemona.getByRole('region', { name: section });
    await nav.getByRole('link', { name: section, exact: true }).click();
    await region.getByRole('heading', { name: section, exact: true }).waitFor();
    assert.ok(await nav.isHidden());
    await region.getByRole('link', { name: 'All sections' }).click();
    await nav.waitFor();
    assert.ok(await region.isHidden());
  }
  await desdemona.setViewportSize({ width: 1300, height: 850 });
});

test('the search finds a setting of one’s own and focuses it', async () => {
  await go(desdemona, '#settings');
  await desdemona.getByRole('searchbox', { name: 'Search settings' }).fill('24-hour');
  await main()
    .getByRole('link', { name: /24-hour/ })
    .click();
  const box = main().getByRole('checkbox', { name: /24-hour/ });
  await eventually(() => box.evaluate((e) => e === document.activeElement));
  const before = await box.isChecked();
  await box.click();
  await main().getByText('Saved.').waitFor();
  await desdemona.reload();
  await eventually(async () => (await box.isChecked()) === !before);
});

test('rules of a new password are shown while it is typed, and announced', async () => {
  await go(desdemona, '#settings/password');
  const field = main().getByLabel('New password');
  const described = await field.getAttribute('aria-describedby');
  const rules = desdemona.locator(`[id="${described}"]`);
  await rules.getByText('From 8 to 100 characters.').waitFor();
  await rules.getByText('Not a common password').waitFor();
  const announced = (words) => main().getByRole('status').filter({ hasText: words }).waitFor({ state: 'attached' });
  await field.fill('short');
  await announced('From 8 to 100 characters.');
  assert.equal(await field.getAttribute('aria-invalid'), 'true');
  await field.fill('password1234');
  await announced('The length is right.');
  await announced('Very easy to guess');
  await rules.locator('.fails').getByText('Not a common password').waitFor();
  await field.fill('long enough');
  await announced('Hard to guess');
  await rules.locator('.fits').getByText('Not a common password').waitFor();
  await field.fill('a horse, four staples and the moon');
  await announced('Very hard to guess');
  await field.fill('ö'.repeat(101));
  await announced('From 8 to 100 characters.');
  harness.ignoreFailedRequests();
  await main().getByLabel('Current password').fill(password);
  await field.fill('password1');
  await main().getByRole('button', { name: 'Change the password' }).click();
  await main()
    .getByRole('alert')
    .getByText('The password is too easy to guess. Make it longer, or combine several unusual words.')
    .waitFor();
});

test('pages of the server show the rules without scripts', async () => {
  const { invite_link: link } = await call(desdemona, 'POST', '/invites/multiuse');
  const { members } = await call(desdemona, 'GET', '/users');
  const { user_id: hamlet } = members.find((u) => u.full_name === 'King Hamlet');
  const { reset_link: reset } = await call(desdemona, 'POST', `/users/${hamlet}/password_reset_link`);
  const context = await harness.browser.newContext({ javaScriptEnabled: false, locale: 'en-GB' });
  for (const path of [link, reset].map((url) => new URL(url).pathname)) {
    const page = await harness.tab(context);
    await page.goto(harness.server.url + path);
    const field = page.getByLabel(/password/i);
    const rules = page.locator(`[id="${await field.getAttribute('aria-describedby')}"]`);
    await rules.getByText('Not a common password').waitFor();
    const rule = rules.getByText('From 8 to 100 characters.');
    const mark = () => rule.evaluate((e) => getComputedStyle(e, '::before').content);
    assert.equal(await mark(), '"•"', path);
    await field.pressSequentially('short');
    assert.equal(await mark(), '"✗"', path);
    await field.pressSequentially(' enough');
    assert.equal(await mark(), '"✓"', path);
    await page.close();
  }
  await context.close();
});

test('the list of invitations shows what they grant and who has joined, as it happens', async () => {
  const { group_id: crew } = await call(desdemona, 'POST', '/user_groups/create', {
    name: 'crew',
    description: '',
    members: [],
  });
  await go(desdemona, '#inbox');
  await go(desdemona, '#organization/invitations');
  const invite = desdemona.getByRole('form', { name: 'Invite people' });
  await invite.getByLabel('They join as').selectOption('Guest');
  await invite.getByRole('combobox', { name: 'Add them to groups' }).fill('crew');
  await invite.getByRole('option', { name: 'crew' }).click();
  await invite.getByRole('combobox', { name: 'Further channels' }).fill('rom');
  await invite.getByRole('option', { name: 'Rome' }).click();
  await invite.getByLabel('Expires').selectOption('in 30 days');
  await invite.getByRole('button', { name: 'Create an invitation link' }).click();
  await invite.getByText('The link has been created.').waitFor();
  const row = main().getByRole('listitem').filter({ hasText: 'Guest, invited by Desdemona' });
  for (const shown of [/the default channels and \u2068#Rome/, 'Groups: crew', 'Not used yet'])
    await row.getByText(shown).waitFor();
  const made = (await call(desdemona, 'GET', '/invites')).invites.find((i) => i.group_ids.includes(crew));
  assert.ok(Math.abs(made.expiry_date - made.invited - 30 * 86_400) < 60);
  const body = new URLSearchParams({ email: 'yorick@example.com', full_name: 'Yorick', password });
  const init = { method: 'POST', body, headers: { Origin: harness.server.url }, redirect: 'manual' };
  assert.ok((await fetch(made.link_url, init)).status < 400);
  await row.getByText('1 person has joined').waitFor();
  await row.getByRole('button', { name: 'Copy the link' }).waitFor();
});

test('each action of a bot stands below its explanation', async () => {
  await call(desdemona, 'POST', '/bots', { full_name: 'Herald', short_name: 'herald', bot_type: 2 });
  await go(desdemona, '#organization/bots');
  await main()
    .getByRole('link', { name: /Herald/ })
    .click();
  await main().getByRole('heading', { name: 'Herald' }).waitFor();
  for (const name of [
    ...['Show the API key', 'Download a configuration file', 'Generate a new key', 'Create a webhook URL'],
    'Deactivate the bot',
  ]) {
    const action = main().getByRole('button', { name, exact: true });
    const apart = await action.evaluate((e) => {
      const [first] = e.getAttribute('aria-describedby').split(' ');
      const hint = document.getElementById(first);
      return hint.textContent.trim() && e.getBoundingClientRect().top - hint.getBoundingClientRect().bottom;
    });
    assert.ok(apart >= 0 && apart < 12, `${name}: ${apart}`);
  }
  await main().getByRole('button', { name: 'Show the API key' }).click();
  const key = main().getByRole('textbox', { name: 'API key' });
  await eventually(() => key.evaluate((e) => e === document.activeElement));
});
