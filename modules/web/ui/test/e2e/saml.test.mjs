// Login with a SAML provider, on another site than the server: the login page, and the flow of mobile apps.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash, randomUUID, sign } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { inflateRawSync } from 'node:zlib';
import { go, Harness } from './harness.mjs';

const harness = new Harness();
const dir = mkdtempSync(join(tmpdir(), 'stoa-saml-'));
const idp = createServer(answer);
let entity;

before(async () => {
  harness.ignore(/net::ERR_ABORTED/, /favicon/, /status of 40[04]/, /Failed to launch/);
  const key = ['-newkey', 'rsa:2048', '-nodes', '-keyout', join(dir, 'key')];
  execFileSync('openssl', ['req', '-x509', ...key, '-days', '1', '-subj', '/CN=idp', '-out', join(dir, 'crt')], {
    stdio: 'ignore',
  });
  idp.listen(0, '127.0.0.1');
  await once(idp, 'listening');
  entity = `http://localhost:${idp.address().port}`; // browsers send no Lax cookies with its forms to 127.0.0.1
  const corp =
    `{id: corp, entity_id: '${entity}', sso_url: '${entity}/sso', certificates: ['${join(dir, 'crt')}'], ` +
    `trust_email: true, display_name: Corp}`;
  await harness.start({ mail: true, modules: { saml: `{providers: [${corp}]}` } });
});

after(async () => {
  await harness.stop();
  idp.closeAllConnections();
  idp.close();
  rmSync(dir, { recursive: true });
});

/** page returns a page with a form. */
const page = (action, fields, rest) =>
  `<!DOCTYPE html><form method="post" action="${action}">` +
  Object.entries(fields)
    .map(([name, value]) => `<input type="hidden" name="${name}" value="${value}">`)
    .join('') +
  `${rest}</form>`;

/** answer is the provider: it asks for a name, and sends the browser back with an assertion. */
async function answer(request, response) {
  response.setHeader('content-type', 'text/html');
  const url = new URL(request.url, entity);
  if (url.pathname === '/sso') {
    const fields = { request: url.searchParams.get('SAMLRequest'), state: url.searchParams.get('RelayState') };
    response.end(page('/answer', fields, '<input name="login"><button>Log in</button>'));
    return;
  }
  if (url.pathname !== '/answer') {
    response.writeHead(404).end();
    return;
  }
  let body = '';
  for await (const chunk of request) body += chunk;
  const form = new URLSearchParams(body);
  const doc = inflateRawSync(Buffer.from(form.get('request'), 'base64')).toString();
  const attribute = (name) => doc.match(new RegExp(` ${name}="([^"]*)"`))[1];
  const to = attribute('AssertionConsumerServiceURL');
  const text = respond(to, attribute('ID'), doc.match(/Issuer[^>]*>([^<]*)</)[1], form.get('login'));
  const fields = { SAMLResponse: Buffer.from(text).toString('base64'), RelayState: form.get('state') };
  response.end(page(to, fields, '<script>document.forms[0].submit()</script>'));
}

/** respond returns a response with a signed assertion, in the canonical form. */
function respond(to, id, audience, name) {
  const now = new Date().toISOString();
  const end = new Date(Date.now() + 60_000).toISOString();
  const own = `_${randomUUID()}`;
  const head =
    `<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="${own}" IssueInstant="${now}" ` +
    `Version="2.0"><saml:Issuer>${entity}</saml:Issuer>`;
  const tail =
    `<saml:Subject><saml:NameID Format="urn:oasis:names:tc:SAML:2.0:nameid-format:persistent">${name}</saml:NameID>` +
    `<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData ` +
    `InResponseTo="${id}" NotOnOrAfter="${end}" Recipient="${to}"></saml:SubjectConfirmationData>` +
    `</saml:SubjectConfirmation></saml:Subject><saml:Conditions NotBefore="${now}" NotOnOrAfter="${end}">` +
    `<saml:AudienceRestriction><saml:Audience>${audience}</saml:Audience></saml:AudienceRestriction>` +
    `</saml:Conditions><saml:AuthnStatement AuthnInstant="${now}" SessionIndex="1"><saml:AuthnContext>` +
    `<saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef>` +
    `</saml:AuthnContext></saml:AuthnStatement><saml:AttributeStatement><saml:Attribute Name="email">` +
    `<saml:AttributeValue>${name}@zulip.com</saml:AttributeValue></saml:Attribute></saml:AttributeStatement>` +
    `</saml:Assertion>`;
  const method = (tag, algorithm) => `<ds:${tag} Algorithm="${algorithm}"></ds:${tag}>`;
  const c14n = 'http://www.w3.org/2001/10/xml-exc-c14n#';
  const info =
    `<ds:SignedInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#">${method('CanonicalizationMethod', c14n)}` +
    method('SignatureMethod', 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256') +
    `<ds:Reference URI="#${own}"><ds:Transforms>` +
    method('Transform', 'http://www.w3.org/2000/09/xmldsig#enveloped-signature') +
    `${method('Transform', c14n)}</ds:Transforms>` +
    method('DigestMethod', 'http://www.w3.org/2001/04/xmlenc#sha256') +
    `<ds:DigestValue>${createHash('sha256')
      .update(head + tail)
      .digest('base64')}</ds:DigestValue></ds:Reference></ds:SignedInfo>`;
  const value = sign('sha256', Buffer.from(info), readFileSync(join(dir, 'key'))).toString('base64');
  const signature =
    `<ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig#">${info}` +
    `<ds:SignatureValue>${value}</ds:SignatureValue></ds:Signature>`;
  return (
    `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" Destination="${to}" ID="_${randomUUID()}" ` +
    `InResponseTo="${id}" IssueInstant="${now}" Version="2.0"><samlp:Status><samlp:StatusCode ` +
    `Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status>${head}${signature}${tail}</samlp:Response>`
  );
}

/** atProvider logs in at the provider. */
async function atProvider(page, name) {
  await page.locator('input[name=login]').fill(name);
  await page.getByRole('button', { name: 'Log in' }).click();
}

const visitor = async () => harness.tab(await harness.browser.newContext({ locale: 'en-GB' }));

test('a person logs in with the button on the login page', async () => {
  const page = await visitor();
  await page.goto(`${harness.server.url}/login/`);
  await page.getByRole('link', { name: 'Log in with Corp' }).click();
  await atProvider(page, 'hamlet');
  await page.waitForURL(`${harness.server.url}/`);
  await go(page, '#recent');
  await page.getByRole('heading', { name: 'Recent conversations' }).waitFor();
});

test('an app receives its key by a redirect', async () => {
  const page = await visitor();
  const redirect = page.waitForResponse((r) => r.url().includes('/complete/saml/corp/') && r.status() === 302);
  await page.goto(`${harness.server.url}/accounts/login/social/saml/corp?mobile_flow_otp=${'0'.repeat(64)}`);
  await atProvider(page, 'hamlet');
  const to = new URL(await (await redirect).headerValue('location'));
  assert.equal(`${to.protocol}//${to.host}`, 'zulip://login');
  const key = Buffer.from(to.searchParams.get('otp_encrypted_api_key'), 'hex').toString();
  const authorization = `Basic ${Buffer.from(`hamlet@zulip.com:${key}`).toString('base64')}`;
  const me = await fetch(`${harness.server.url}/api/v1/users/me`, { headers: { authorization } });
  assert.equal((await me.json()).delivery_email, 'hamlet@zulip.com');
});

test('a stranger is not let in', async () => {
  const page = await visitor();
  await page.goto(`${harness.server.url}/accounts/login/social/saml/corp`);
  await atProvider(page, 'stranger');
  await page.getByText("You don't have an account").waitFor();
});
