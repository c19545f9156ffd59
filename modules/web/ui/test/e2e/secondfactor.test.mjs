// Second factors: setting up an authenticator app in the settings, and logging in with it, also without scripts.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, test } from 'node:test';
import { go, Harness, password } from './harness.mjs';

const harness = new Harness();

before(async () => {
  harness.ignore(/status of 40[013]/);
  await harness.start();
  for (const name of ['iago', 'hamlet', 'cordelia', 'othello', 'prospero'])
    harness.server.setPassword(`${name}@zulip.com`);
});

after(() => harness.stop());

/** code returns the code that an app shows for a key, some steps from now; see RFC 6238. */
function code(key, steps = 0) {
  const bits = [...key.replaceAll(' ', '')]
    .map((c) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(c).toString(2).padStart(5, '0'))
    .join('');
  const secret = Buffer.from(bits.match(/.{8}/g).map((b) => parseInt(b, 2)));
  const step = Buffer.alloc(8);
  step.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + steps));
  const sum = createHmac('sha1', secret).update(step).digest();
  const n = sum.readUInt32BE(sum.at(-1) & 0xf) & 0x7fffffff;
  return String(n % 1_000_000).padStart(6, '0');
}

/** shoot takes pictures of a page at each size and in each scheme, for people to look at, if SHOTS names a folder. */
async function shoot(page, name) {
  if (!process.env.SHOTS) return;
  for (const width of [1440, 390])
    for (const colorScheme of ['light', 'dark']) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: `${process.env.SHOTS}/${name}-${width}-${colorScheme}.png` });
    }
}

async function logIn(page, email) {
  await page.goto(`${harness.server.url}/login/`);
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Log in' }).click();
}

/** setUp sets up an app in the settings, and returns its key and the recovery codes. */
async function setUp(page) {
  await go(page, '#settings/password');
  const own = page.getByRole('region', { name: 'Second factor' });
  await own.getByRole('button', { name: 'Set up' }).click();
  await own.getByRole('img', { name: 'QR code' }).waitFor();
  const key = await own.locator('code').textContent();
  await own.getByLabel('Code from the app').fill('000000');
  await own.getByRole('button', { name: 'Confirm' }).click();
  await own.getByText('The code is wrong.').waitFor();
  await own.getByLabel('Code from the app').fill(code(key, -1));
  await own.getByRole('button', { name: 'Confirm' }).click();
  await own.getByText('Keep them in a safe place').waitFor();
  const codes = await own.locator('code').allTextContents();
  await own.getByRole('button', { name: 'I have saved them' }).click();
  await own.getByText('Codes left: 10').waitFor();
  return { key, codes };
}

test('a person sets up an app, and logs in with its code and with a recovery code', async () => {
  const page = await harness.tab(await harness.browser.newContext({ locale: 'en-GB' }));
  await logIn(page, 'iago@zulip.com');
  const { key, codes } = await setUp(page);
  assert.equal(codes.length, 10);

  const plain = await harness.browser.newContext({ locale: 'en-GB', javaScriptEnabled: false });
  for (const given of [code(key), codes[4]]) {
    const other = await plain.newPage();
    await plain.clearCookies();
    await logIn(other, 'iago@zulip.com');
    await other.getByRole('heading', { name: 'Second factor' }).waitFor();
    await other.getByLabel('Your code').fill('123123');
    await other.getByRole('button', { name: 'Continue' }).click();
    await other.getByText('The code is wrong, or was used before.').waitFor();
    await other.getByLabel('Your code').fill(given);
    await other.getByRole('button', { name: 'Continue' }).click();
    await other.waitForURL(`${harness.server.url}/`);
    const me = await (await plain.request.get(`${harness.server.url}/json/users/me`)).json();
    assert.equal(me.delivery_email, 'iago@zulip.com');
  }

  const own = page.getByRole('region', { name: 'Second factor' });
  await page.reload();
  await own.getByText('Codes left: 9').waitFor();
  await own.getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
  await own.getByText('Not set up').waitFor();
  const ended = await plain.request.get(`${harness.server.url}/json/users/me`);
  assert.equal(ended.status(), 401);
});

test('an owner removes the second factor of somebody who has lost their phone', async () => {
  const page = await harness.tab(await harness.browser.newContext({ locale: 'en-GB' }));
  await logIn(page, 'hamlet@zulip.com');
  await setUp(page);
  const owner = await harness.open('desdemona@zulip.com');
  const users = await owner.request.get(`${harness.server.url}/json/users`);
  const hamlet = (await users.json()).members.find((u) => u.full_name === 'King Hamlet');
  await go(owner, `#organization/people/${hamlet.user_id}`);
  await owner.getByRole('button', { name: 'Remove the second factor' }).click();
  await owner.getByRole('alertdialog').getByRole('button', { name: 'Remove the second factor' }).click();
  await owner.getByText('The person has no second factor any more.').waitFor();
  await logIn(page, 'hamlet@zulip.com');
  await page.waitForURL((to) => to.pathname === '/');
});

test('a passkey logs in without a password, and is the second factor with one', async () => {
  const context = await harness.browser.newContext({ locale: 'en-GB' });
  const page = await harness.tab(context);
  const device = await context.newCDPSession(page);
  await device.send('WebAuthn.enable');
  const options = {
    protocol: 'ctap2',
    transport: 'internal',
    hasResidentKey: true,
    hasUserVerification: true,
    isUserVerified: true,
    automaticPresenceSimulation: true,
    defaultBackupEligibility: true,
    defaultBackupState: true,
  };
  const { authenticatorId } = await device.send('WebAuthn.addVirtualAuthenticator', { options });
  /** present makes the person agree to every use of a passkey, or to none. */
  const present = (enabled) => device.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled });
  const url = harness.server.url.replace('127.0.0.1', 'localhost'); // passkeys need a name
  const enter = async () => {
    await page.goto(`${url}/login/`);
    await page.getByLabel('Email address').fill('cordelia@zulip.com');
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Log in' }).click();
  };
  const forget = () => context.clearCookies();
  const me = async () => (await (await page.request.get(`${url}/json/users/me`)).json()).delivery_email;

  await enter();
  await page.waitForURL((to) => to.pathname === '/');
  await page.goto(`${url}/#settings/password`);
  const own = page.getByRole('region', { name: 'Second factor' });
  await own.getByLabel('Name of the new passkey').fill('Laptop');
  await own.getByRole('button', { name: 'Add a passkey' }).click();
  await own.getByText('Keep them in a safe place').waitFor();
  await own.getByRole('button', { name: 'I have saved them' }).click();
  await own.getByText('Laptop').waitFor();

  await forget();
  await page.goto(`${url}/login/`); // where the browser offers the passkey for the address
  await page.waitForURL((to) => to.pathname === '/');
  assert.equal(await me(), 'cordelia@zulip.com');

  await forget();
  await present(false);
  await page.goto(`${url}/login/`);
  assert.equal(await page.getByLabel('Email address').getAttribute('autocomplete'), 'username webauthn');
  await page.getByRole('link', { name: 'Log in with Passkey' }).click();
  await present(true);
  await shoot(page, 'passkey');
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await page.waitForURL((to) => to.pathname === '/');
  assert.equal(await me(), 'cordelia@zulip.com');

  await forget();
  await present(false);
  await enter();
  await page.getByRole('heading', { name: 'Second factor' }).waitFor();
  await present(true);
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await page.waitForURL((to) => to.pathname === '/');
  assert.equal(await me(), 'cordelia@zulip.com');

  await page.goto(`${url}/#settings/password`);
  await own.getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
  await own.getByText('Laptop').waitFor({ state: 'detached' });
  await forget();
  await page.goto(`${url}/accounts/login/passkey/`);
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await page.getByRole('alert').getByText('The passkey was not accepted.').waitFor();
  await context.close();
});

test('a required second factor is set up during the login once the days of grace are over', async () => {
  const require = (whom, days) => {
    harness.server.run('setting', 'set', 'require_second_factor', whom);
    harness.server.run('setting', 'set', 'second_factor_grace_days', days);
  };
  require('members', '7');
  const context = await harness.browser.newContext({ locale: 'en-GB' });
  const page = await harness.tab(context);
  await logIn(page, 'prospero@zulip.com');
  await page.waitForURL((to) => to.pathname === '/');
  await page.getByText(/requires a second factor. From .* on, you cannot log in/).waitFor();
  await shoot(page, 'banner');
  await page.getByRole('status').getByRole('link', { name: 'Set up' }).click();
  await page.getByRole('region', { name: 'Second factor' }).waitFor();
  require('members', '0');
  await context.clearCookies();
  await logIn(page, 'prospero@zulip.com');
  await page.getByRole('heading', { name: 'Set up a second factor' }).waitFor();
  await shoot(page, 'enrolment');
  const key = await page.locator('main p > code').textContent();
  await page.getByLabel('Your code').fill(code(key));
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('heading', { name: 'Save your recovery codes' }).waitFor();
  assert.equal(await page.locator('.codes code').count(), 10);
  await shoot(page, 'enrolment-codes');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.waitForURL((to) => to.pathname === '/');
  await page.getByRole('heading', { name: 'Inbox' }).waitFor();
  require('nobody', '7');
  await context.close();
});

for (const [width, scheme] of [
  [390, 'light'],
  [390, 'dark'],
  [1440, 'light'],
  [1440, 'dark'],
])
  test(`the pages fit ${width} pixels in ${scheme} colours`, async () => {
    const context = await harness.browser.newContext({
      locale: 'en-GB',
      colorScheme: scheme,
      viewport: { width, height: 900 },
    });
    const page = await harness.tab(context);
    const fits = async (name) => {
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(wide <= 0, `${name} is ${wide} pixels too wide`);
      if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${name}-${width}-${scheme}.png` });
    };
    await logIn(page, 'othello@zulip.com');
    await go(page, '#settings/password');
    const own = page.getByRole('region', { name: 'Second factor' });
    await own.scrollIntoViewIfNeeded();
    await fits('settings');
    await own.getByRole('button', { name: 'Set up' }).click();
    await own.getByRole('img', { name: 'QR code' }).scrollIntoViewIfNeeded();
    await fits('set-up');
    const key = await own.locator('code').textContent();
    await own.getByLabel('Code from the app').fill(code(key));
    await own.getByRole('button', { name: 'Confirm' }).click();
    await own.getByText('Keep them in a safe place').waitFor();
    await fits('codes');
    await own.getByRole('button', { name: 'I have saved them' }).click();
    await own.getByText('Codes left: 10').waitFor();
    await fits('settings-done');
    await context.clearCookies();
    await logIn(page, 'othello@zulip.com');
    await page.getByRole('heading', { name: 'Second factor' }).waitFor();
    await fits('page');
    await page.getByLabel('Your code').fill(code(key, 1));
    await page.getByRole('button', { name: 'Continue' }).click();
    await go(page, '#settings/password');
    await own.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
    await own.getByText('Not set up').waitFor();
    await context.close();
  });
