// Bots and webhooks: the effect of each control on the API, and its error messages.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { after, before, test } from 'node:test';
import { picture } from './picture.mjs';
import {
  api,
  setUp,
  button,
  channelNamed,
  confirm,
  form,
  eventuallyEqual,
  page,
  refused,
  refusing,
  save,
  section,
  harness,
} from './sections.mjs';

before(() => setUp());

after(() => harness.stop());

test("the page of a bot shows programs that work with the bot's key", async () => {
  await api('POST', '/users/me/subscriptions', { subscriptions: [{ name: 'general' }] });
  await section('bots');
  await page.getByText('Add bot').first().click();
  const add = form('Add bot');
  await add.getByLabel('Type').selectOption('Generic bot');
  await add.getByLabel('Name', { exact: true }).fill('Greeter');
  await button('Add bot', add).click();
  await page.getByRole('heading', { name: 'Greeter' }).waitFor();
  const guide = page.getByRole('region', { name: 'A program for this bot' });
  await guide.getByText('client.call_on_each_message(answer)').waitFor();
  const command = guide.getByRole('region', { name: /^From a shell/ });
  assert.match(await command.innerText(), /greeter-bot@[^:]+:KEY/);
  await button('Show the API key').click();
  await eventuallyEqual(async () => (await command.innerText()).includes(':KEY'), false);
  const answer = execFileSync('bash', ['-c', await command.innerText()], { encoding: 'utf8' });
  assert.match(answer, /"result":"success"/);
  const narrow = encodeURIComponent(JSON.stringify([{ operator: 'topic', operand: 'greetings' }]));
  const found = await api('GET', `/messages?anchor=newest&num_before=1&num_after=0&narrow=${narrow}`);
  assert.equal(found.messages[0].sender_full_name, 'Greeter');
});

test('bots are created and changed, and a webhook URL posts to a channel', async () => {
  await section('bots');
  await page.getByText('Add bot').first().click();
  const add = form('Add bot');
  await add.getByLabel('Name', { exact: true }).fill('Build Server');
  assert.equal(await add.getByLabel('Short name').inputValue(), 'build-server');
  await button('Add bot', add).click();
  await page.getByRole('heading', { name: 'Build Server' }).waitFor();
  const bot = async (name) => (await api('GET', '/users')).members.find((u) => u.full_name === name);
  await eventuallyEqual(async () => (await bot('Build Server'))?.bot_type, 2);
  const { user_id: id } = await bot('Build Server');
  const key = async () => (await api('GET', `/bots/${id}/api_key`)).api_key;

  await button('Create a webhook URL').click();
  await page.getByRole('combobox', { name: 'Service' }).selectOption('GitHub');
  await page.getByRole('combobox', { name: 'Send messages to' }).selectOption('#Verona');
  await page.getByLabel('Topic', { exact: true }).fill('builds & more');
  await page.getByLabel('Branches').fill('main');
  await page.getByText('All events').click();
  await page.getByLabel('push', { exact: true }).check();
  const url = new URL(await page.getByLabel('Webhook URL', { exact: true }).last().inputValue());
  assert.deepEqual(Object.fromEntries(url.searchParams), {
    api_key: await key(),
    stream: String((await channelNamed('Verona')).stream_id),
    topic: 'builds & more',
    branches: 'main',
    only_events: '["push"]',
  });
  await page.getByRole('combobox', { name: 'Service' }).selectOption('Slack Incoming');
  const guide = await page.getByRole('link', { name: 'How to set up Slack Incoming' }).getAttribute('href');
  assert.match(await (await fetch(new URL(guide, url))).text(), /Slack Incoming sends this request/);
  const slack = await page.getByLabel('Webhook URL', { exact: true }).last().inputValue();
  const posted = await fetch(slack, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ text: 'All is built' }),
  });
  assert.equal(posted.status, 200);
  const narrow = encodeURIComponent(JSON.stringify([{ operator: 'topic', operand: 'builds & more' }]));
  const found = await api('GET', `/messages?anchor=newest&num_before=1&num_after=0&narrow=${narrow}`);
  assert.equal(found.messages[0].sender_id, id);

  const old = await key();
  const renew = async () => {
    await button('Generate a new key').click();
    await confirm('Generate a new key');
  };
  await refusing('**/json/bots/*/api_key/regenerate', renew);
  await renew();
  await eventuallyEqual(
    async () =>
      (await key()) !== old && (await page.getByRole('textbox', { name: 'API key' }).inputValue()) === (await key()),
    true,
  );

  await save('Name', 'Builder');
  await eventuallyEqual(async () => (await bot('Builder'))?.user_id, id);
  await refusing('**/json/bots/*', () => save('Name', 'Nobody'));
  await button('Cancel: Name').click();
  const picked = page.locator('main input[type=file]');
  await refusing('**/json/bots/*', () => picked.setInputFiles(picture));
  const version = (await bot('Builder')).avatar_version;
  await picked.setInputFiles(picture);
  await eventuallyEqual(async () => (await bot('Builder')).avatar_version > version, true);

  const owner = page.getByRole('combobox', { name: 'New owner' });
  await owner.fill('Cordelia');
  await owner.press('Enter');
  await refusing('**/json/bots/*', () => button('Change the owner').click());
  await button('Change the owner').click();
  const cordelia = (await api('GET', '/users')).members.find((u) => u.full_name.startsWith('Cordelia')).user_id;
  await eventuallyEqual(async () => (await bot('Builder')).bot_owner_id, cordelia);

  await refusing('**/json/bots/*', () => button('Deactivate the bot').click());
  await button('Deactivate the bot').click();
  await eventuallyEqual(async () => (await bot('Builder')).is_active, false);
  await refusing('**/json/users/*/reactivate', () => button('Reactivate the bot').click());
  await button('Reactivate the bot').click();
  await eventuallyEqual(async () => (await bot('Builder')).is_active, true);

  await section('bots');
  await page.getByText('Add bot').first().click();
  await add.getByLabel('Type').selectOption('Outgoing webhook');
  await add.getByLabel('Name', { exact: true }).fill('Oracle');
  await add.getByLabel('Endpoint URL').fill('https://oracle.example.com/');
  await add.getByLabel('Format').selectOption('Slack-compatible');
  await button('Add bot', add).click();
  await page.getByRole('heading', { name: 'Oracle' }).waitFor();
  const services = async () => {
    const queue = await api('POST', '/register', { fetch_event_types: ['realm_bot'], event_types: ['typing'] });
    const one = queue.realm_bots.find((b) => b.services.length > 0);
    return [one.services[0].base_url, one.services[0].interface];
  };
  assert.deepEqual(await services(), ['https://oracle.example.com/', 2]);
  await save('Endpoint URL', 'ftp://oracle.example.com/');
  await refused(/url/i);
  await save('Endpoint URL', 'https://oracle.example.com/2');
  await eventuallyEqual(services, ['https://oracle.example.com/2', 2]);
  await refusing('**/json/bots/*', () => page.getByRole('combobox', { name: 'Format' }).selectOption('Stoa'));
  await page.getByRole('combobox', { name: 'Format' }).selectOption('Stoa');
  await eventuallyEqual(services, ['https://oracle.example.com/2', 1]);

  await section('bots');
  await page.getByText('Add bot').first().click();
  await add.getByLabel('Type').selectOption('Generic bot');
  await add.getByLabel('Name', { exact: true }).fill('Oracle');
  await button('Add bot', add).click();
  await refused(/already|in use/i);
});
