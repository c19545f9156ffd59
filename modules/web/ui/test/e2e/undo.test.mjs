// What one click takes away can be brought back, or is confirmed first.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { box, call, eventually, go, row, sendMessage, Harness } from './harness.mjs';

const harness = new Harness();
let desdemona;
let iago;

before(async () => {
  await harness.start();
  desdemona = await harness.open('desdemona@zulip.com');
  iago = await harness.open('iago@zulip.com');
});

after(() => harness.stop());

const sidebar = (page) => page.getByRole('navigation', { name: 'Views' });
const main = (page) => page.getByRole('main');
const undo = (page) => page.getByRole('status').getByRole('button', { name: 'Undo' }).last().click();
const toast = (page, text) => page.getByRole('status').getByText(text).waitFor();
const asked = (page, name) => page.getByRole('alertdialog', { name });

/** answer answers a question. */
async function answer(page, question, button) {
  await asked(page, question).getByRole('button', { name: button, exact: true }).click();
  await asked(page, question).waitFor({ state: 'detached' });
}

test('leaving a channel is a button that says so, and can be undone', async () => {
  await go(desdemona, '#channels/all');
  const venice = main(desdemona)
    .getByRole('listitem')
    .filter({ has: desdemona.getByRole('link', { name: 'Venice' }) });
  await venice.getByText('Joined').waitFor();
  await venice.getByRole('button', { name: 'Leave #Venice' }).click();
  await venice.getByRole('button', { name: 'Join' }).waitFor();
  await toast(desdemona, 'You have left #Venice.');
  await undo(desdemona);
  await venice.getByText('Joined').waitFor();
  await sidebar(desdemona)
    .getByRole('link', { name: /^Venice/ })
    .waitFor();
});

test('undoing the leaving of a channel brings back what was unread, and the focus is not lost', async () => {
  const verona = (await call(iago, 'GET', '/get_stream_id', { stream: 'Verona' })).stream_id;
  await call(iago, 'POST', '/messages', { type: 'channel', to: verona, topic: 'masks', content: 'Bring yours' });
  await go(desdemona, '#inbox');
  const topic = main(desdemona).getByRole('link', { name: /masks/ });
  await topic.waitFor();
  const link = sidebar(desdemona).getByRole('link', { name: /^Verona/ });
  const badge = (await link.innerText()).replace(/\D+/g, ' ');
  const inList = () => desdemona.evaluate(() => document.activeElement.closest('nav li') !== null);
  await link.hover();
  await sidebar(desdemona).getByRole('button', { name: 'Actions for Verona' }).press('Enter');
  await desdemona.getByRole('menuitem', { name: 'Leave the channel' }).press('Enter');
  await topic.waitFor({ state: 'detached' });
  await eventually(inList);
  await desdemona.getByRole('status').getByRole('button', { name: 'Undo' }).last().press('Enter');
  await topic.waitFor();
  await eventually(async () => (await link.innerText()).replace(/\D+/g, ' ') === badge);
  await eventually(inList);
});

test('leaving a private channel asks, from the list and from the menu', async () => {
  await call(desdemona, 'POST', '/users/me/subscriptions', {
    subscriptions: [{ name: 'cellar' }],
    invite_only: true,
  });
  await go(desdemona, '#channels/all');
  await main(desdemona).getByRole('button', { name: 'Leave #cellar' }).click();
  await answer(desdemona, 'Leave #cellar', 'Cancel');
  await sidebar(desdemona).getByRole('link', { name: 'cellar' }).hover();
  await sidebar(desdemona).getByRole('button', { name: 'Actions for cellar' }).click();
  await desdemona.getByRole('menuitem', { name: 'Leave the channel' }).click();
  await answer(desdemona, 'Leave #cellar', 'Leave the channel');
  await sidebar(desdemona).getByRole('link', { name: 'cellar' }).waitFor({ state: 'detached' });
});

test('leaving a group can be undone, or asks if one cannot come back', async () => {
  const people = (await call(desdemona, 'GET', '/users')).members;
  const ids = ['Desdemona', 'Iago'].map((name) => people.find((u) => u.full_name === name).user_id);
  const groups = (await call(desdemona, 'GET', '/user_groups')).user_groups;
  const [members, nobody] = ['role:members', 'role:nobody'].map((name) => groups.find((g) => g.name === name).id);
  const make = (name, can_join_group) =>
    call(desdemona, 'POST', '/user_groups/create', {
      name,
      description: '',
      members: ids,
      can_join_group,
      can_leave_group: members,
    });
  await make('open', members);
  await make('closed', nobody);
  await go(iago, '#groups');
  const group = (name) =>
    main(iago)
      .getByRole('listitem')
      .filter({ hasText: `@${name}` });
  await group('open').getByRole('button', { name: 'Leave @open' }).click();
  await group('open').getByRole('button', { name: 'Join' }).waitFor();
  await undo(iago);
  await group('open').getByRole('button', { name: 'Leave @open' }).waitFor();
  await group('closed').getByRole('button', { name: 'Leave @closed' }).click();
  await answer(iago, 'Leave @closed', 'Cancel');
  await group('closed').getByText('2 members').waitFor();
});

test('drafts, scheduled messages, views and snippets are brought back', async () => {
  const later = Math.floor(Date.now() / 1000) + 86_400;
  const venice = (await call(desdemona, 'GET', '/get_stream_id', { stream: 'Venice' })).stream_id;
  await call(desdemona, 'POST', '/drafts', {
    drafts: [{ type: 'stream', to: [venice], topic: 'oars', content: 'Half a thought', timestamp: 1 }],
  });
  await call(desdemona, 'POST', '/scheduled_messages', {
    type: 'channel',
    to: venice,
    topic: 'oars',
    content: 'See you at dawn',
    scheduled_delivery_timestamp: later,
  });
  await call(desdemona, 'POST', '/navigation_views', {
    fragment: 'narrow/channel/4-Venice/topic/oars',
    is_pinned: true,
    name: 'Latest',
  });
  for (const [hash, text] of [
    ['#drafts', 'Half a thought'],
    ['#scheduled', 'See you at dawn'],
  ]) {
    await go(desdemona, hash);
    const card = main(desdemona).getByRole('article').filter({ hasText: text });
    await card.getByRole('button', { name: 'Discard' }).click();
    await card.waitFor({ state: 'detached' });
    await undo(desdemona);
    await card.waitFor();
  }
  const [again] = (await call(desdemona, 'GET', '/scheduled_messages')).scheduled_messages;
  assert.equal(again.scheduled_delivery_timestamp, later);

  const view = sidebar(desdemona).getByRole('link', { name: 'Latest' });
  await view.hover();
  await sidebar(desdemona).getByRole('button', { name: 'Actions for Latest' }).click();
  await desdemona.getByRole('menuitem', { name: 'Remove from the sidebar' }).click();
  await view.waitFor({ state: 'detached' });
  await undo(desdemona);
  await view.waitFor();
});

test('marking everything as read can be undone', async () => {
  const hash = '#narrow/channel/4-Venice/topic/tides';
  await go(iago, hash);
  for (const text of ['Ebb', 'Flood']) await sendMessage(iago, text);
  await row(iago, 'Flood').waitFor();
  await go(desdemona, '#inbox');
  const topic = main(desdemona).getByRole('link', { name: /tides/ });
  await topic.waitFor();
  await main(desdemona).getByRole('button', { name: 'Mark all as read' }).click();
  await topic.waitFor({ state: 'detached' });
  await undo(desdemona);
  await topic.waitFor();
});

test('a reminder and a session are not ended without a question', async () => {
  await go(desdemona, '#narrow/channel/4-Venice/topic/tides');
  await row(desdemona, 'Ebb').waitFor();
  const [message] = (
    await call(desdemona, 'GET', '/messages', { anchor: 'newest', num_before: 1, num_after: 0, narrow: [] })
  ).messages;
  const at = Math.floor(Date.now() / 1000) + 86_400;
  await call(desdemona, 'POST', '/reminders', { message_id: message.id, scheduled_delivery_timestamp: at });
  await go(desdemona, '#reminders');
  await main(desdemona).getByRole('button', { name: 'Discard' }).click();
  await answer(desdemona, 'Delete this reminder?', 'Cancel');
  assert.equal((await call(desdemona, 'GET', '/reminders')).reminders.length, 1);
});

test('the message after a change of language is in the new language', async () => {
  await go(iago, '#settings/display');
  await main(iago).getByLabel('Language').selectOption('de');
  await main(iago).getByText('Gespeichert.').waitFor();
  await call(iago, 'PATCH', '/settings', { default_language: 'en' });
  await main(iago).getByLabel('Language').waitFor();
  await eventually(async () => (await box(iago).count()) === 0);
});

test('no page reported an error', () => assert.deepEqual(harness.problems, []));
