// Channels in lists and menus: descriptions, the filter, the badge beside the menu, and the topic's own actions.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { call, eventually, go, row, sendMessage, Harness } from './harness.mjs';

const harness = new Harness();
let desdemona;
let hamlet;

before(async () => {
  await harness.start();
  desdemona = await harness.open('desdemona@zulip.com');
  hamlet = await harness.open('hamlet@zulip.com');
});

after(() => harness.stop());

const sidebar = (page) => page.getByRole('navigation', { name: 'Views' });
const main = (page) => page.getByRole('main');
const venice = '#narrow/channel/4-Venice';

test('the description of a channel is rendered in the header and in lists', async () => {
  await call(desdemona, 'PATCH', '/streams/4', {
    description: 'See the **tides** and [boats](https://example.com/)',
  });
  await go(desdemona, venice);
  await main(desdemona).locator('header strong', { hasText: 'tides' }).waitFor();
  await go(desdemona, '#channels/all');
  await main(desdemona).getByRole('listitem').getByRole('link', { name: 'boats' }).waitFor();
  await go(desdemona, '#organization/channels');
  await main(desdemona).getByText('See the tides and boats').waitFor();
});

test('the address of a channel has its present name, and stays pinned under it', async () => {
  await go(desdemona, '#channels/all');
  await main(desdemona).getByRole('button', { name: 'Create a channel' }).click();
  const dialog = desdemona.getByRole('dialog');
  await dialog.getByLabel('Name', { exact: true }).fill('lagoon');
  await dialog.getByRole('button', { name: 'Create', exact: true }).click();
  const at = (end) => eventually(() => new URL(desdemona.url()).hash.endsWith(end));
  await at('-lagoon');
  const pin = main(desdemona).getByRole('button', { name: 'Pin to the sidebar' });
  await pin.click();
  await dialog.getByRole('textbox').press('Enter');
  await pin.waitFor({ state: 'detached' });
  const [id] = /\d+/.exec(desdemona.url().split('#')[1]);
  await call(hamlet, 'POST', '/messages', { type: 'channel', to: [Number(id)], topic: 'mud', content: 'Low tide' });
  await call(desdemona, 'PATCH', `/streams/${id}`, { new_name: 'harbour basin' });
  await at('-harbour-basin');
  assert.equal(await pin.count(), 0);
  await row(desdemona, 'Low tide').getByRole('button', { name: 'More actions' }).focus();
  await desdemona.keyboard.press('Enter');
  await desdemona.getByRole('menuitem', { name: 'Move messages' }).click();
  await dialog.getByRole('combobox', { name: 'Channel', exact: true }).waitFor();
  await desdemona.keyboard.press('Escape');
});

test('names with numbers are in the order of the numbers, and the filter finds them', async () => {
  for (const n of [10, 2, 1]) {
    await call(desdemona, 'POST', '/users/me/subscriptions', { subscriptions: [{ name: `sprint ${n}` }] });
  }
  const filter = sidebar(desdemona).getByRole('searchbox', { name: 'Filter your channels' });
  await filter.fill('SPRINT');
  const links = sidebar(desdemona).getByRole('link', { name: /^sprint/ });
  await eventually(async () => (await links.count()) === 3);
  assert.deepEqual(
    (await links.allInnerTexts()).map((t) => t.trim()),
    ['sprint 1', 'sprint 2', 'sprint 10'],
  );
  assert.equal(
    await sidebar(desdemona)
      .getByRole('link', { name: /^Venice/ })
      .count(),
    0,
  );
  await filter.fill('nothing of this name');
  await sidebar(desdemona).getByText('No channel matches.').waitFor();
  await filter.press('Escape');
  await sidebar(desdemona)
    .getByRole('link', { name: /^Venice/ })
    .waitFor();
  const { streams } = await call(desdemona, 'GET', '/streams');
  const names = streams.map((s) => s.name).filter((name) => name.startsWith('sprint'));
  assert.deepEqual(names, ['sprint 1', 'sprint 2', 'sprint 10']);
});

test('the number of unread messages stays visible beside the menu', async () => {
  await go(hamlet, `${venice}/topic/oars`);
  for (const text of ['One', 'Two', 'Three']) await sendMessage(hamlet, text);
  await row(hamlet, 'Three').waitFor();
  await go(desdemona, '#recent');
  const link = sidebar(desdemona).getByRole('link', { name: /^Venice/ });
  await link.hover();
  const menu = sidebar(desdemona).getByRole('button', { name: 'Actions for Venice' });
  await menu.waitFor();
  const [badge, button] = [await link.locator('.badge').boundingBox(), await menu.boundingBox()];
  assert.ok(badge.x + badge.width <= button.x, `${badge.x} + ${badge.width} > ${button.x}`);
});

test('a topic is renamed, merged after a question, and deleted from its menu', async () => {
  await go(desdemona, `${venice}/topic/oars`);
  await row(desdemona, 'Three').waitFor();
  const choose = async (name) => {
    await main(desdemona)
      .getByRole('button', { name: /^Actions for/ })
      .first()
      .click();
    await desdemona.getByRole('menuitem', { name }).click();
  };
  const rename = async (name) => {
    await choose('Rename the topic');
    await desdemona.getByRole('textbox', { name: 'Name', exact: true }).fill(name);
    await desdemona.getByRole('dialog').getByRole('button', { name: 'Rename' }).click();
  };
  await rename('paddles');
  await desdemona.getByRole('heading', { name: 'paddles' }).waitFor();
  await row(desdemona, 'Three').waitFor();
  await go(hamlet, `${venice}/topic/ropes`);
  await sendMessage(hamlet, 'Four');
  await row(hamlet, 'Four').waitFor();
  await rename('ropes');
  const question = desdemona.getByRole('alertdialog', { name: 'Merge with “ropes”?' });
  await question.getByRole('button', { name: 'Merge' }).click();
  await desdemona.getByRole('heading', { name: 'ropes' }).waitFor();
  await row(desdemona, 'Four').waitFor();
  await choose('Delete the topic');
  await desdemona.getByRole('alertdialog', { name: /ropes/ }).getByRole('button', { name: 'Delete' }).click();
  await desdemona.getByRole('heading', { name: 'Venice' }).waitFor();
  const narrow = [
    { operator: 'channel', operand: 'Venice' },
    { operator: 'topic', operand: 'ropes' },
  ];
  const page = await call(hamlet, 'GET', '/messages', { anchor: 'newest', num_before: 9, num_after: 0, narrow });
  assert.deepEqual(page.messages, []);
});

test('resolving a topic leaves a topic of the same name in another channel on the screen', async () => {
  for (const to of ['Venice', 'Verona'])
    await call(desdemona, 'POST', '/messages', { type: 'channel', to, topic: 'twins', content: `In ${to}` });
  await go(desdemona, '#narrow/channel/4-Venice/topic/twins');
  await desdemona.getByRole('heading', { level: 1, name: 'twins' }).waitFor();
  const views = desdemona.getByRole('navigation', { name: 'Views' });
  await views.getByRole('button', { name: 'Show the topics of Verona' }).click();
  const verona = views.locator('a[href*="-Verona/"]', { hasText: 'twins' });
  await verona.hover();
  await verona.locator('xpath=..').getByRole('button', { name: 'Actions for twins' }).click();
  await desdemona.getByRole('menuitem', { name: 'Mark as resolved' }).click();
  await verona.getByLabel('resolved').waitFor();
  await desdemona.getByText('In Venice').waitFor();
  assert.match(desdemona.url(), /4-Venice\/topic\/twins$/);
});

test('after the time limit, editing and deleting stay visible and say why they are disabled', async () => {
  const groups = (await call(desdemona, 'GET', '/user_groups')).user_groups;
  const members = groups.find((g) => g.name === 'role:members').id;
  const old = { can_delete_own_message_group: { new: members }, message_content_edit_limit_seconds: 60 };
  await call(desdemona, 'PATCH', '/realm', { ...old, message_content_delete_limit_seconds: 60 });
  await hamlet.clock.install();
  await go(hamlet, `${venice}/topic/late`);
  await sendMessage(hamlet, 'Too late');
  await row(hamlet, 'Too late').waitFor();
  await hamlet.clock.fastForward('10:00');
  await row(hamlet, 'Too late').hover();
  await row(hamlet, 'Too late').getByRole('button', { name: 'More actions' }).click();
  const edit = hamlet.getByRole('menuitem', { name: 'Edit', exact: false }).first();
  await edit.getByText('Messages can only be edited for 1 minute.').waitFor();
  assert.equal(await edit.getAttribute('aria-disabled'), 'true');
  await hamlet.getByRole('menuitem').getByText('Messages can only be deleted for 1 minute.').waitFor();
});

test('no page reported an error', () => assert.deepEqual(harness.problems, []));
