// The server of configs/minimal.yaml: two people log in with a browser and exchange direct messages.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { box, go, Harness, login, password, row, sendMessage } from './harness.mjs';
import { look, watchRefused } from './walk.mjs';

const harness = new Harness();
const refused = [];

before(async () => {
  const config = fileURLToPath(new URL('../../../../../configs/minimal.yaml', import.meta.url));
  await harness.start({ config, demo: false });
  watchRefused(harness, refused);
});

after(() => harness.stop());

/** visit opens the server's address in a browser of its own, and logs in. */
async function visit(email, secret) {
  const page = await harness.tab(await harness.browser.newContext({ locale: 'en-GB' }));
  await page.goto(harness.server.url);
  await login(page, email, secret);
  await page.getByRole('heading', { name: 'Inbox' }).waitFor();
  return page;
}

test('two people exchange direct messages, also after a reload', async () => {
  const { server } = harness;
  const secret = readFileSync(join(server.dir, 'owner-password'), 'utf8').trim();
  server.run('user', 'create', '--email', 'ada@example.com', '--name', 'Ada', '--password-stdin');
  const owner = await visit('owner@stoa.localhost', secret);
  await look(owner, 'inbox');

  const ada = await visit('ada@example.com', password);
  await look(ada, 'inbox');
  await owner.getByRole('complementary').getByRole('link', { name: 'Ada' }).click();
  await box(owner).waitFor();
  await look(owner, 'conversation');
  await sendMessage(owner, 'Shall we begin?');
  await row(owner, 'Shall we begin?').waitFor();

  await ada.getByRole('main').getByRole('link', { name: /Owner/ }).click();
  await row(ada, 'Shall we begin?').waitFor();
  await sendMessage(ada, 'At once');
  await row(owner, 'At once').waitFor();

  await ada.reload();
  await row(ada, 'At once').waitFor();
  await look(ada, 'reloaded');
  await go(ada, '#channels/all');
  await ada.getByText('This address leads to no view.').waitFor();
  assert.deepEqual(refused, [], 'requests were refused');
});
