// Login with an OpenID Connect provider: the login page, the app flow, and the accounts connected in the settings.
import assert from 'node:assert/strict';
import { createDecipheriv, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import Provider from 'oidc-provider';
import { eventually, go, Harness } from './harness.mjs';

const harness = new Harness();
const idp = createServer();

/** addresses of the accounts at the provider; those of others are the name at the provider's domain. */
const addresses = { hamlet: 'hamlet@zulip.com' };

before(async () => {
  harness.ignore(/fonts\.googleapis|favicon/, /net::ERR_NAME_NOT_RESOLVED/, /status of 40[04]/);
  idp.listen(0, '127.0.0.1');
  await once(idp, 'listening');
  const issuer = `http://127.0.0.1:${idp.address().port}`;
  const corp = `{id: corp, issuer: '${issuer}', client_id: stoa, client_secret: hidden, display_name: Corp}`;
  await harness.start({ modules: { oidc: `{providers: [${corp}]}` } });
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'stoa',
        client_secret: 'hidden',
        redirect_uris: [`${harness.server.url}/complete/oidc/corp/`],
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    findAccount: (_, id) => ({
      accountId: id,
      claims: () => ({
        sub: id,
        name: id,
        email: addresses[id] ?? `${id}@corp.example`,
        email_verified: id in addresses,
      }),
    }),
    cookies: { keys: ['test'] },
    ttl: { AccessToken: 60, Grant: 600, IdToken: 60, Interaction: 600, Session: 600 },
    pkce: { required: () => true },
  });
  idp.on('request', provider.callback());
});

after(async () => {
  await harness.stop();
  idp.closeAllConnections();
  idp.close();
});

/** atProvider logs in at the provider, and gives consent. */
async function atProvider(page, name) {
  await page.locator('input[name=login]').fill(name);
  await page.locator('input[name=password]').fill('any');
  await page.locator('button[type=submit]').click();
  await page.getByRole('button', { name: 'Continue' }).click();
}

const visitor = async () => harness.tab(await harness.browser.newContext({ locale: 'en-GB' }));

test('a person logs in with the button on the login page', async () => {
  const page = await visitor();
  await page.goto(`${harness.server.url}/#settings/password`);
  await page.getByRole('link', { name: 'Log in with Corp' }).click();
  await atProvider(page, 'hamlet');
  await go(page, '#settings/password');
  const own = page.getByRole('region', { name: 'Connected accounts' });
  await own.getByText('hamlet@zulip.com').waitFor();
});

test('an app receives its key by a redirect', async () => {
  const page = await visitor();
  const redirect = page.waitForResponse((r) => r.url().includes('/complete/oidc/corp/') && r.status() === 302);
  const start = `${harness.server.url}/accounts/login/social/oidc/corp?mobile_flow_otp=${'0'.repeat(64)}`;
  await page.goto(start);
  await atProvider(page, 'hamlet');
  const to = new URL(await (await redirect).headerValue('location'));
  assert.equal(`${to.protocol}//${to.host}`, 'zulip://login');
  assert.equal(to.searchParams.get('email'), 'hamlet@zulip.com');
  const key = Buffer.from(to.searchParams.get('otp_encrypted_api_key'), 'hex').toString();
  const authorization = `Basic ${Buffer.from(`hamlet@zulip.com:${key}`).toString('base64')}`;
  const me = await fetch(`${harness.server.url}/api/v1/users/me`, { headers: { authorization } });
  assert.equal((await me.json()).delivery_email, 'hamlet@zulip.com');
});

test('the desktop app waits for a code from the browser', async () => {
  const context = await harness.browser.newContext({
    locale: 'en-GB',
    userAgent: 'Mozilla/5.0 ZulipElectron/5.12.0',
  });
  const app = await harness.tab(context);
  const key = randomBytes(32);
  let paste;
  const pasted = new Promise((resolve) => (paste = resolve));
  await app.exposeFunction('pastedCode', () => pasted);
  await app.addInitScript((bytes) => {
    globalThis.electron_bridge = {
      decrypt_clipboard: (version) => ({ version, key: new Uint8Array(bytes), pasted: globalThis.pastedCode() }),
    };
  }, Array.from(key));
  await app.goto(`${harness.server.url}/accounts/login/social/oidc/corp?next=/%23recent`);
  const address = await app.getByRole('link', { name: 'Open the browser' }).getAttribute('href');

  const page = await visitor();
  await page.goto(new URL(address, harness.server.url).href);
  await atProvider(page, 'hamlet');
  const code = Buffer.from(await page.locator('code').textContent(), 'hex');
  const cipher = createDecipheriv('aes-256-gcm', key, code.subarray(0, 12)).setAuthTag(code.subarray(-16));
  paste(Buffer.concat([cipher.update(code.subarray(12, -16)), cipher.final()]).toString());
  await app.getByRole('heading', { name: 'Recent conversations' }).waitFor();
});

test('an account whose address is not verified is connected in the settings, and disconnected', async () => {
  const page = await harness.open('desdemona@zulip.com');
  await go(page, '#settings/password');
  const own = page.getByRole('region', { name: 'Connected accounts' });
  await own.getByRole('button', { name: 'Connect Corp' }).click();
  await atProvider(page, 'other');
  await own.getByText('other@corp.example').waitFor();
  await eventually(() => page.url().endsWith('#settings/password'));
  await own.getByRole('button', { name: 'Disconnect' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Disconnect' }).click();
  await own.getByRole('button', { name: 'Connect Corp' }).waitFor();
});

test('a login that was canceled says so, and a stranger is not let in', async () => {
  const page = await visitor();
  await page.goto(`${harness.server.url}/accounts/login/social/oidc/corp`);
  await page.getByRole('link', { name: 'Cancel' }).click();
  await page.getByText('The login at Corp was canceled.').waitFor();
  await page.goto(`${harness.server.url}/accounts/login/social/oidc/corp`);
  await atProvider(page, 'stranger');
  await page.getByText('Corp does not confirm your email address.').waitFor();
});
