// Searching: every operator that is suggested, links to places, and addresses that lead nowhere.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { box, call, eventually, go, row, Harness } from './harness.mjs';

const harness = new Harness();
let desdemona;
let iago;
let people;
let venice;

const search = (page) => page.getByRole('combobox', { name: 'Search messages' });
const pills = (page) => page.getByRole('list', { name: 'Search terms' }).getByRole('listitem');
const terms = (page) => pills(page).locator('bdi').allTextContents();
const title = async (page) => (await page.title()).replace(/^\(\d+\) /, '');
const gone = 'This does not exist, or you have no access.';

before(async () => {
  await harness.start();
  desdemona = await harness.open('desdemona@zulip.com');
  iago = await harness.open('iago@zulip.com');
  const { members } = await call(iago, 'GET', '/users');
  people = Object.fromEntries(members.map((m) => [m.full_name, m.user_id]));
  ({ stream_id: venice } = await call(iago, 'GET', '/get_stream_id', { stream: 'Venice' }));
});

after(() => harness.stop());

async function send(topic, content) {
  return (await call(iago, 'POST', '/messages', { type: 'channel', to: [venice], topic, content })).id;
}

/** look types a search and presses Enter. */
async function look(page, text) {
  const clear = page.getByRole('search').getByRole('button', { name: 'Close' });
  if (await clear.count()) await clear.click();
  await search(page).fill(text);
  await page.keyboard.press('Enter');
}

test('every suggested operator opens a view that survives a reload', async () => {
  const id = await send('lunch', 'Pizza for @**Desdemona**');
  const operands = {
    'channel:': 'Venice',
    'topic:': 'lunch',
    'sender:': 'me',
    'dm:': 'Iago',
    'dm-including:': 'Iago',
    'mentions:': 'Iago',
    'date:': '2020-02-03',
    'near:': id,
    'with:': id,
    'id:': id,
  };
  await search(desdemona).focus();
  await desdemona.getByRole('option').first().waitFor();
  const options = await desdemona.getByRole('option').locator('bdi').allTextContents();
  for (const o of Object.keys(operands)) assert.ok(options.includes(o), `${o} is not suggested`);
  for (const option of options) {
    await go(desdemona, '#inbox');
    await desdemona.getByRole('heading', { name: 'Inbox' }).waitFor();
    await look(desdemona, `${option}${operands[option] ?? ''}`);
    const shows = () => desdemona.getByRole('group', { name: 'Messages' }).getAttribute('aria-busy');
    await eventually(async () => (await shows()) === 'false');
    assert.equal(await desdemona.getByText(/could not be loaded|Invalid/).count(), 0, option);
    const [hash, name] = [new URL(desdemona.url()).hash, await title(desdemona)];
    assert.notEqual(hash, '#inbox', option);
    await go(desdemona, '#inbox');
    await go(desdemona, hash);
    await eventually(async () => (await title(desdemona)) === name);
  }
});

test('a beginning of a name, “me”, and terms shown beside the field', async () => {
  await send('lunch', 'A *salad* for @**Desdemona**');
  await look(desdemona, 'sender:ia mentions:me salad');
  await row(desdemona, 'A salad for').waitFor();
  assert.deepEqual(await terms(desdemona), ['sender:Iago', 'is:mentioned']);
  assert.equal(await search(desdemona).inputValue(), 'salad');
  await look(desdemona, 'mentions:Desdemona salad');
  await row(desdemona, 'A salad for').waitFor();
  await look(desdemona, 'sender:nobody salad');
  await desdemona.getByRole('alert').getByText('sender:nobody does not exist, or you have no access.').waitFor();
  await search(desdemona).fill('channel:Ven');
  await desdemona.getByRole('option', { name: /channel:Venice/ }).waitFor();
  await desdemona.keyboard.press('ArrowDown');
  await desdemona.keyboard.press('Enter');
  await desdemona.keyboard.type('sender:Iago salad');
  assert.deepEqual(await terms(desdemona), ['channel:Venice', 'sender:Iago']);
  await pills(desdemona).getByRole('button', { name: 'Remove sender:Iago' }).click();
  await desdemona.keyboard.press('Enter');
  await desdemona.getByRole('heading', { name: 'channel:Venice salad' }).waitFor();
  await row(desdemona, 'A salad for').waitFor();
  await search(desdemona).press('Home');
  await desdemona.keyboard.press('Backspace');
  await eventually(async () => (await pills(desdemona).count()) === 0);
});

test('near, with and date find a message, also after it has moved', async () => {
  const id = await send('cinema', 'Shall we see a film?');
  await look(desdemona, `near:${id}`);
  await desdemona.locator(`article.selected[data-message="${id}"]`).waitFor();
  await look(desdemona, 'date:2020-02-03 channel:Venice');
  await desdemona.getByRole('heading', { name: 'Venice' }).waitFor();
  await eventually(() => /\/near\/\d+$/.test(desdemona.url()));
  await call(iago, 'PATCH', `/messages/${id}`, { topic: 'theatre', propagate_mode: 'change_all' });
  for (const end of [`with/${id}`, `near/${id}`]) {
    await go(desdemona, `#narrow/channel/${venice}-Venice/topic/cinema/${end}`);
    await desdemona.getByRole('heading', { name: 'theatre' }).waitFor();
    await row(desdemona, 'Shall we see a film?').waitFor();
  }
});

test('what is missing or hidden is said to be so, without a composer', async () => {
  const { id: secret } = await call(iago, 'POST', '/messages', {
    type: 'direct',
    to: [people['Iago']],
    content: 'A note to myself',
  });
  const missing = [
    '#narrow/channel/99999',
    '#narrow/channel/99999-x/topic/y',
    '#narrow/stream/nowhere',
    '#narrow/dm/99999',
    `#narrow/dm/${people['Iago']},99999`,
    '#narrow/sender/99999',
    '#narrow/mentions/99999/has/link',
    '#narrow/near/99999999',
    `#narrow/near/${secret}`,
    `#narrow/with/${secret}`,
  ];
  harness.ignoreFailedRequests();
  for (const hash of missing) {
    await go(desdemona, '#inbox');
    await go(desdemona, hash);
    await desdemona.getByText(gone).waitFor();
    assert.equal(await box(desdemona).count(), 0, hash);
  }
  await go(desdemona, `#narrow/channel/${venice}-Venice/topic/lunch/near/${secret}`);
  await desdemona.getByRole('heading', { name: 'lunch' }).waitFor();
  await desdemona.getByText(gone).waitFor();
  const unknown = ['#nothing', '#narrow/is/nothing', '#narrow/date/x', '#settings/nothing', '#help/nothing'];
  for (const hash of unknown) {
    await go(desdemona, '#inbox');
    await go(desdemona, hash);
    await desdemona.getByText('This address leads to no view.').waitFor();
  }
  await look(desdemona, 'is:dm channel:Venice');
  await desdemona.locator('#messages').getByText('No message matches this search.').waitFor();
});

test('a search also finds people and channels, and its terms can be removed one by one', async () => {
  await go(desdemona, `#narrow/channel/${venice}-Venice/search/iago`);
  const found = (name) => desdemona.getByRole('main').getByRole('link', { name, exact: true });
  await found('Iago').waitFor();
  await go(desdemona, '#narrow/search/venice');
  await found('Venice').click();
  await desdemona.getByRole('heading', { level: 1, name: 'Venice' }).waitFor();
  await go(desdemona, `#narrow/channel/${venice}-Venice/search/iago`);
  await desdemona.getByRole('search').getByRole('button', { name: 'Remove channel:Venice' }).click();
  await eventually(async () => (await desdemona.evaluate(() => location.hash)) === '#narrow/search/iago');
  await desdemona.setViewportSize({ width: 390, height: 800 });
  const terms = desdemona.getByRole('main').getByRole('list', { name: 'Search terms' }).last();
  await terms.getByRole('button', { name: 'Remove iago' }).click();
  await desdemona.getByRole('heading', { level: 1, name: 'Combined feed' }).waitFor();
  await desdemona.setViewportSize({ width: 1300, height: 850 });
});
