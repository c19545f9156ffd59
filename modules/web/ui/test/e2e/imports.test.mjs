// Moving in: an owner uploads an archive of Slack, whose upload survives a reload, reads the report, imports it, and
// lets somebody in by a link, who reads their history.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { call, eventually, go, Harness, login, password, row } from './harness.mjs';
import { slackArchive } from './slack.mjs';

const harness = new Harness();
const folder = mkdtempSync(join(tmpdir(), 'stoa-import-'));
const archive = join(folder, 'team.zip');
let owner;
let iago;

before(async () => {
  harness.ignore(/Cross-Origin-Opener-Policy/); // browsers ignore it on hosts without HTTPS
  writeFileSync(archive, slackArchive(3 << 20));
  await harness.start({
    domain: 'chat.test',
    args: ['--host-resolver-rules=MAP chat.test 127.0.0.1, MAP *.chat.test 127.0.0.1'],
  });
  harness.server.url = harness.server.url.replace('127.0.0.1', 'chat.test');
  owner = await harness.open('desdemona@zulip.com');
  iago = await harness.open('iago@zulip.com');
});

after(async () => {
  await harness.stop();
  rmSync(folder, { recursive: true, force: true });
});

const main = () => owner.getByRole('main');
const button = (name) => main().getByRole('button', { name, exact: true });
const choose = (file) => main().getByLabel('Archive', { exact: true }).setInputFiles(file);
const heading = (name) => main().getByRole('heading', { name, exact: true });

test('the upload continues after a reload in its middle', async () => {
  let parts = 0;
  const isPart = (url) => /\/imports\/\d+\/archive/.test(url.pathname);
  await owner.route(isPart, (r) => (++parts > 1 ? void 0 : r.fallback())); // the second part never arrives
  await go(owner, '#organization/import');
  await choose(archive);
  await button('Upload').click();
  await main().getByRole('progressbar', { name: 'Uploading' }).waitFor();
  await eventually(() => parts === 2);
  const before = (await call(owner, 'GET', '/imports')).imports[0];
  assert.ok(before.received > 0 && before.received < before.size, `${before.received} of ${before.size}`);

  owner.on('dialog', (d) => d.accept()); // the browser asks whether to leave the page
  await owner.reload();
  await owner.unroute(isPart);
  await main().getByText('Choose “team.zip” again').waitFor();
  writeFileSync(join(folder, 'other.zip'), 'x');
  await choose(join(folder, 'other.zip'));
  await button('Continue').click();
  await main().getByText('This is another file').waitFor();
  const offsets = [];
  owner.on(
    'request',
    (r) => isPart(new URL(r.url())) && offsets.push(Number(new URL(r.url()).searchParams.get('offset'))),
  );
  await choose(archive);
  await button('Continue').click();
  await heading('The archive has arrived').waitFor();
  assert.equal(offsets[0], before.received);
});

test('the check reports what would be imported and what has no place', async () => {
  await main().getByLabel('Subdomain of the new organization').fill('moved');
  await button('Check the archive').click();
  await heading('The archive has been checked').waitFor();
  const people = main().locator('section ul.rows > li').filter({ hasText: 'People' }).first();
  assert.match(await people.innerText(), /^People\s+3\b/); // with Slackbot
  await main().getByText('Messages, unreadable: 1').waitFor();
  await main().getByText('Examples').first().click();
  await main().getByText('garden/2024-05-22.json').first().waitFor();
});

test('names that are in use are decided before the import', async () => {
  await heading('Names to decide').waitFor();
  const field = main().getByRole('textbox', { name: /^Garden/ });
  assert.equal(await field.inputValue(), 'Garden (2)');
  await field.fill('Greenhouse');
  await button('Check again with these names').click();
  let job;
  await eventually(async () => {
    [job] = (await call(owner, 'GET', '/imports')).imports;
    return job.state === 'checked' && job.choices.names?.length === 1;
  });
  assert.deepEqual(job.choices.names, [{ key: 'C2', name: 'Greenhouse' }]);
  assert.equal(job.report.collisions[0].name_here, 'Greenhouse');
  await heading('The archive has been checked').waitFor();
  await eventually(async () => (await field.count()) === 1 && (await field.inputValue()) === 'Greenhouse');
});

test('the import runs, and its result is shown', async () => {
  await button('Import now').click();
  await heading('Complete imports').waitFor();
  await main().getByRole('link', { name: 'Open the organization' }).waitFor();
});

test('a link lets somebody in, who reads their history', async () => {
  await button('Create links').click();
  const ben = main().getByRole('listitem').filter({ hasText: 'ben@example.com' }).last();
  const link = await ben.locator('code').innerText();
  assert.match(link, /^http:\/\/moved\.chat\.test:/);

  const page = await harness.tab(await harness.browser.newContext({ locale: 'en-GB' }));
  await page.goto(link);
  await page
    .getByLabel(/password/i)
    .first()
    .fill(password);
  await page.getByRole('button').first().click();
  await page.goto(`${new URL(link).origin}/login/`);
  if (await page.getByLabel('Email address').isVisible()) await login(page, 'ben@example.com');
  await page.getByRole('heading', { name: 'Inbox' }).waitFor();
  await go(page, '#feed');
  await row(page, 'hello').waitFor();
  await row(page, 'in private').waitFor();

  await go(page, '#inbox');
  await page.getByText('This organization was imported from Slack.').waitFor();
  await page.getByRole('link', { name: 'Where is everything?' }).click();
  await page.getByRole('heading', { name: 'After the import' }).waitFor();
  await page.getByText('Threads have become topics').waitFor();
  assert.equal(await page.getByText('What you had not read is still unread').count(), 0); // Slack does not say
  await go(page, '#inbox');
  await page.getByRole('main').getByRole('button', { name: 'Close' }).click();
  await page.reload();
  await page.getByRole('heading', { name: 'Inbox' }).waitFor();
  assert.equal(await page.getByText('This organization was imported').count(), 0);
  await page.context().close();
});

test('nobody else sees the section', async () => {
  await go(iago, '#organization');
  await iago.getByRole('link', { name: 'Data exports', exact: true }).waitFor();
  assert.equal(await iago.getByRole('link', { name: 'Import', exact: true }).count(), 0);
});

test('an import that was stopped is deleted after a question', async () => {
  await choose(archive);
  await button('Upload').click();
  await heading('The archive has arrived').waitFor();
  await button('Delete the import').click();
  await owner.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await button('Upload').waitFor();
  const { imports } = await call(owner, 'GET', '/imports');
  assert.deepEqual(
    imports.map((j) => j.state),
    ['complete'],
  );
});
