// The audit log: an owner finds what somebody has done, reads on and downloads it; nobody else sees it.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { call, go, Harness } from './harness.mjs';

const harness = new Harness();
let desdemona;
let iago;

before(async () => {
  await harness.start();
  desdemona = await harness.open('desdemona@zulip.com');
  iago = await harness.open('iago@zulip.com');
  harness.ignoreFailedRequests();
});

after(() => harness.stop());

const main = () => desdemona.getByRole('main');
const entries = () => main().locator('ul.rows > li');
const entry = (text) => entries().filter({ hasText: text });

/** recount waits until the list has a number of entries. */
const recount = (n) =>
  entries()
    .nth(n - 1)
    .waitFor();

/** download clicks a link and returns the text of the file. */
async function download(name) {
  const [file] = await Promise.all([
    desdemona.waitForEvent('download'),
    main().getByRole('link', { name, exact: true }).click(),
  ]);
  return { name: file.suggestedFilename(), text: await readFile(await file.path(), 'utf8') };
}

test('an owner opens it by the menu, and finds who changed what', async () => {
  await call(iago, 'PATCH', '/realm', { description: 'Down the rabbit hole' });
  await desdemona
    .getByRole('button', { name: /menu|^Zulip Dev/i })
    .first()
    .click();
  await desdemona.getByRole('menuitem', { name: 'Organization', exact: true }).click();
  await desdemona.getByRole('link', { name: 'Audit log', exact: true }).click();
  await desdemona.getByRole('heading', { name: 'Audit log', exact: true }).waitFor();
  const changed = entry('Down the rabbit hole');
  await changed.first().getByText('realm.setting_changed').waitFor();
  assert.match(await changed.innerText(), /Iago, /);
  assert.match(await changed.innerText(), /127\.0\.0\.1/);
});

test('it is filtered by kind and time', async () => {
  await main().getByLabel('Actions').selectOption('login');
  await entry('login.succeeded').first().waitFor();
  await entry('realm.setting_changed').first().waitFor({ state: 'detached' });
  assert.match(await entry('login.succeeded').first().innerText(), /Iago, .*127\.0\.0\.1 · website/s);
  const actions = await entries().locator('strong').allInnerTexts();
  assert.ok(
    actions.every((a) => a.startsWith('login.')),
    actions.join(),
  );
  const today = await desdemona.evaluate(() => {
    const now = new Date();
    return [now.getFullYear(), now.getMonth() + 1, now.getDate()].map((n) => String(n).padStart(2, '0')).join('-');
  });
  await main().getByLabel('From').fill(today);
  await main().getByLabel('To').fill(today);
  await entry('login.succeeded').first().waitFor();
  await main().getByLabel('From').fill('2001-01-01');
  await main().getByLabel('To').fill('2001-01-31');
  await main().getByText('No entries.').waitFor();
  await main().getByLabel('From').fill('');
  await main().getByLabel('To').fill('');
  await main().getByLabel('Actions').selectOption('All actions');
  await entry('Down the rabbit hole').waitFor();
});

test('older entries are added below', async () => {
  for (let i = 0; i < 110; i++) await call(iago, 'PATCH', '/realm', { description: `Visit ${i}` });
  await main().getByLabel('Actions').selectOption('realm');
  await entry('Visit 109').first().waitFor();
  await recount(100);
  assert.equal(await entries().count(), 100);
  await main().getByRole('button', { name: 'Show older entries' }).click();
  await entry('Down the rabbit hole').first().waitFor();
  const all = await entries().allInnerTexts();
  assert.ok(all.length > 110);
  assert.equal(new Set(all).size, all.length, 'an entry is there twice');
  await main().getByRole('button', { name: 'Show older entries' }).waitFor({ state: 'detached' });
});

test('what is selected is downloaded', async () => {
  const csv = await download('Download as CSV');
  assert.match(csv.name, /\.csv$/);
  const lines = csv.text.trim().split('\n');
  assert.match(lines[0], /^id,time,action,/);
  assert.ok(lines.length > 110);
  assert.ok(lines.slice(1).every((line) => line.includes(',realm.')));
  const jsonl = await download('Download as JSONL');
  assert.match(jsonl.name, /\.jsonl$/);
  const parsed = jsonl.text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.ok(parsed.some((e) => e.after?.description === 'Visit 109'));
});

test('a failure is shown, and can be retried', async () => {
  const broken = (route) => route.abort();
  await desdemona.route(/\/json\/audit_log/, broken);
  await main().getByLabel('Actions').selectOption('group');
  await main().getByRole('alert').waitFor();
  await desdemona.unroute(/\/json\/audit_log/, broken);
  await main().getByRole('button', { name: 'Try again' }).click();
  await main().getByRole('alert').waitFor({ state: 'detached' });
});

test('nobody but owners sees it', async () => {
  await go(iago, '#organization/profile');
  await iago.getByRole('link', { name: 'Data exports', exact: true }).waitFor();
  assert.equal(await iago.getByRole('link', { name: 'Audit log', exact: true }).count(), 0);
  await go(iago, '#organization/audit');
  await iago.getByRole('heading', { name: 'Audit log', exact: true }).waitFor({ state: 'detached' });
  assert.equal(await iago.getByText('realm.setting_changed').count(), 0);
  assert.equal((await call(iago, 'GET', '/audit_log')).status, 400);
});
