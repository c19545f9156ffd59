// Warnings above the compose box: who will not be notified, and what else a writer should know.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { box, call, eventually, go, sendMessage, Harness } from './harness.mjs';

const harness = new Harness();
let page;
let people;
let garrison;

before(async () => {
  await harness.start();
  page = await harness.open('desdemona@zulip.com');
  const { members } = await call(page, 'GET', '/users');
  people = Object.fromEntries(members.map((u) => [u.full_name, u.user_id]));
  await call(page, 'POST', '/users/me/subscriptions', { subscriptions: [{ name: 'garrison' }] });
  garrison = (await call(page, 'GET', '/get_stream_id', { stream: 'garrison' })).stream_id;
  await go(page, `#narrow/channel/${garrison}-garrison/topic/watch`);
  await sendMessage(page, 'Who is there?');
});

after(() => harness.stop());

const warning = (text) => page.getByRole('status').getByText(text);
const gone = (text) => warning(text).waitFor({ state: 'detached' });

const send = () => page.getByRole('main').getByRole('button', { name: 'Send', exact: true });

/** nothingIsSent checks that a text stays in the box, whose conversation refuses messages. */
async function nothingIsSent(text) {
  await box(page).fill(text);
  assert.equal(await send().isDisabled(), true);
  await box(page).press('Control+Enter');
  assert.equal(await box(page).inputValue(), text);
  assert.equal(await page.locator('main article.failed').count(), 0);
  await box(page).fill('');
}

test('people who are not subscribed are named and can be subscribed', async () => {
  await box(page).fill('Come @**Zoe** and @**Iago**, not @_**aaron** or `@**Polonius**`');
  await warning(/^Not subscribed to this channel, so not notified: Zoe and Iago$/).waitFor();
  await page.getByRole('button', { name: 'Subscribe them' }).click();
  await gone(/^Not subscribed/);
  assert.ok(await box(page).evaluate((b) => b === document.activeElement), 'the text has lost the focus');
  await call(page, 'DELETE', '/users/me/subscriptions', { subscriptions: ['garrison'], principals: [people.Zoe] });
  await warning(/: Zoe$/).waitFor();
  await box(page).fill('Come @**Iago**');
  await gone(/^Not subscribed/);
  await call(page, 'PATCH', `/streams/${garrison}`, { is_private: true });
  await box(page).fill('Come @**Zoe**');
  await warning('No access to this channel, so not notified: Zoe').waitFor();
});

test('a resolved topic and a muted one are named, and the text stays when that is undone', async () => {
  await box(page).fill('Still open?');
  const muted = { stream_id: garrison, topic: 'watch', visibility_policy: 1 };
  await call(page, 'POST', '/user_topics', muted);
  await warning(/^This topic is muted/).waitFor();
  await page.getByRole('button', { name: 'Unmute' }).click();
  await gone(/^This topic is muted/);
  await page.getByRole('button', { name: 'Actions for watch' }).click();
  await page.getByRole('menuitem', { name: 'Mark as resolved' }).click();
  await warning('This topic is marked as resolved.').waitFor();
  await eventually(async () => (await box(page).inputValue()) === 'Still open?');
  await page.getByRole('button', { name: 'Mark as unresolved' }).click();
  await gone('This topic is marked as resolved.');
  await eventually(async () => (await box(page).inputValue()) === 'Still open?');
});

test('a mention of many people shows how many', async () => {
  for (let i = 0; i < 16; i++) {
    const user = { email: `guard${i}@example.com`, full_name: `Guard ${i}`, password: 'correct horse battery' };
    people[`Guard ${i}`] = (await call(page, 'POST', '/users', user)).user_id;
  }
  const members = Object.entries(people).filter(([name]) => name.startsWith('Guard'));
  const group = { name: 'guards', description: '', members: members.map(([, id]) => id) };
  await call(page, 'POST', '/user_groups/create', group);
  await box(page).fill('Attention @*guards*');
  await warning('This mention notifies 16 people.').waitFor();
  await box(page).fill('Attention @_*guards*');
  await gone('This mention notifies 16 people.');
  await box(page).fill('');
});

test('direct conversations name mentioned outsiders, and deactivated and muted recipients', async () => {
  await go(page, `#narrow/dm/${people.Iago}-dm`);
  await box(page).fill('Tell @**Zoe**');
  await warning('Not in this conversation, so not notified: Zoe').waitFor();
  await box(page).fill('');
  await call(page, 'POST', `/users/me/muted_users/${people.Iago}`);
  await warning('You have muted in this conversation: Iago').waitFor();
  await page.getByRole('status').getByRole('button', { name: 'Unmute' }).click();
  await gone(/^You have muted/);
  await call(page, 'DELETE', `/users/${people.aaron}`);
  await box(page).fill('Ask @**aaron**');
  await warning('Deactivated, so not notified: aaron').waitFor();
  await box(page).fill('');
  await go(page, `#narrow/dm/${people.aaron}-dm`);
  await warning('Deactivated, so unable to receive messages: aaron').waitFor();
  assert.equal(await box(page).inputValue(), '');
  await nothingIsSent('Are you there?');
});

test('nothing is sent to a channel in which one may not write', async () => {
  const iago = await harness.open('iago@zulip.com');
  await call(iago, 'POST', '/users/me/subscriptions', { subscriptions: [{ name: 'proclamations' }] });
  const id = (await call(iago, 'GET', '/get_stream_id', { stream: 'proclamations' })).stream_id;
  await go(page, `#narrow/channel/${id}-proclamations/topic/laws`);
  await box(page).fill('May I?');
  await eventually(() => send().isEnabled());
  const only = { new: { direct_members: [people.Iago], direct_subgroups: [] } };
  await call(iago, 'PATCH', `/streams/${id}`, { can_send_message_group: only });
  await warning('You are not permitted to write here.').waitFor();
  await nothingIsSent('May I?');
});
