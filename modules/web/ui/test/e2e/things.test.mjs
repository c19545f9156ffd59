// The sections of the administration that are not settings of the organization: what each control changes, as the API
// says it, and what it shows when the server refuses.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { picture } from './picture.mjs';
import { eventually, go, say, World } from './world.mjs';

const world = new World();
let page;

/** api asks the server as the person of a page does. */
function api(method, path, params = {}, by = page) {
  return by.evaluate(
    async ([m, p, values]) => {
      const body = new URLSearchParams();
      for (const [k, v] of Object.entries(values)) body.set(k, typeof v === 'string' ? v : JSON.stringify(v));
      const token = document.querySelector('meta[name="csrf-token"]').content;
      const init = m === 'GET' ? {} : { method: m, body, headers: { 'X-CSRFToken': token } };
      return (await fetch(`/json${p}`, init)).json();
    },
    [method, path, params],
  );
}

/** refusing makes the server refuse what matches, for refusals that nothing on the page can provoke. */
async function refusing(path, run) {
  const refuse = (route) =>
    route.request().method() === 'GET'
      ? route.fallback()
      : route.fulfill({ status: 400, json: { result: 'error', code: 'BAD_REQUEST', msg: 'Refused by the test.' } });
  await page.route(path, refuse);
  await run();
  await refused('Refused by the test.');
  await page.unroute(path, refuse);
}

const refused = (text) => page.locator('[role=alert], [role=status]').filter({ hasText: text }).first().waitFor();
const button = (name, within = page) => within.getByRole('button', { name, exact: typeof name === 'string' });
const form = (name) => page.getByRole('form', { name });
const confirm = (name) => page.getByRole('dialog').getByRole('button', { name, exact: true }).click();
const is = (read, want) =>
  eventually(async () => {
    const got = await read();
    try {
      assert.deepEqual(got, want);
      return true;
    } catch {
      return false;
    }
  }).catch(async () => assert.deepEqual(await read(), want));

async function section(id) {
  await go(page, '#inbox');
  await go(page, `#organization/${id}`);
}

/** save types a text into a field that is saved by itself. */
async function save(label, value) {
  await page.getByLabel(label, { exact: true }).fill(value);
  await button(`Save: ${label}`).click();
}

before(async () => {
  await world.start();
  world.forgiveFailures();
  page = await world.open('desdemona@zulip.com');
});

after(() => world.stop());

const emoji = async () => Object.values((await api('GET', '/realm/emoji')).emoji);
const active = async (name) => (await emoji()).filter((e) => e.name === name && !e.deactivated).length;

test('custom emoji are added and deactivated', async () => {
  await section('emoji');
  const add = form('Add emoji');
  await add.getByLabel('Image').setInputFiles(picture);
  assert.equal(await add.getByLabel('Name').inputValue(), 'sunset');
  await button('Add emoji', add).click();
  await is(() => active('sunset'), 1);
  await add.getByLabel('Image').setInputFiles(picture);
  await button('Add emoji', add).click();
  await refused('A custom emoji with this name already exists.');
  await refusing('**/json/realm/emoji/sunset', async () => {
    await button('Deactivate :sunset:').click();
    await confirm('Deactivate');
  });
  await is(() => active('sunset'), 1);
  await confirm('Deactivate');
  await is(() => active('sunset'), 0);
});

const linkifiers = async () => (await api('GET', '/realm/linkifiers')).linkifiers;

test('linkifiers are tried, added, changed, moved, and removed', async () => {
  await section('linkifiers');
  const field = (name) => page.getByLabel(name, { exact: true }).last();
  const add = async (pattern, template) => {
    await field('Pattern (regular expression)').fill(pattern);
    await field('URL template').fill(template);
  };
  await add('#(?P<id>[0-9]+', 'https://i.example.com/{id}');
  await refused('Bad regular expression: missing )');
  await add('#(?P<id>[0-9]+)', 'https://i.example.com/{no}');
  await refused("Group 'no' in URL template is not present in linkifier pattern.");
  await add('#(?P<id>[0-9]+)', 'https://i.example.com/{id}');
  await page.getByText('The pattern and the template fit each other.').waitFor();
  await field('Try it on a text').fill('see #12, x#3');
  await page.getByText('https://i.example.com/12').waitFor();
  await button('Add linkifier').click();
  await is(async () => (await linkifiers()).map((l) => l.url_template), ['https://i.example.com/{id}']);
  await refusing('**/json/realm/filters', async () => {
    await add('K-(?P<id>[0-9]+)', 'https://k.example.com/{id}');
    await button('Add linkifier').click();
  });
  await page.getByText('Turn pasted links back into text').last().click();
  await field('Example of the text').fill('K-7');
  await field('Text for a pasted link').fill('K-{id}');
  await field('Further URL templates, one per line').fill('http://k.example.com/{id}\nhttps://old.example.com/{id}');
  await button('Add linkifier').click();
  await is(
    async () => (await linkifiers()).map((l) => [l.pattern, l.reverse_template, l.alternative_url_templates.length]),
    [
      ['#(?P<id>[0-9]+)', null, 0],
      ['K-(?P<id>[0-9]+)', 'K-{id}', 2],
    ],
  );

  await button('Change #(?P<id>[0-9]+)').click();
  await page.getByLabel('URL template', { exact: true }).first().fill('https://j.example.com/{id}');
  await refusing('**/json/realm/filters/*', () => button('Save').click());
  await button('Save').click();
  await is(async () => (await linkifiers())[0].url_template, 'https://j.example.com/{id}');

  const patterns = async () => (await linkifiers()).map((l) => l.pattern[0]).join('');
  await refusing('**/json/realm/linkifiers', () => button('Move #(?P<id>[0-9]+)').press('ArrowDown'));
  assert.equal(await patterns(), '#K');
  await button('Move #(?P<id>[0-9]+)').press('ArrowDown');
  await is(patterns, 'K#');
  const from = await button('Move #(?P<id>[0-9]+)').boundingBox();
  const to = await button('Move K-(?P<id>[0-9]+)').boundingBox();
  await page.mouse.move(from.x + 5, from.y + 5);
  await page.mouse.down();
  await page.mouse.move(to.x + 5, to.y + 5, { steps: 5 });
  await page.mouse.up();
  await is(patterns, '#K');

  await button('Remove linkifier K-(?P<id>[0-9]+)').click();
  await refusing('**/json/realm/filters/*', () => confirm('Remove'));
  await confirm('Remove');
  await is(patterns, '#');
});

// Playgrounds have no operation that lists them: a page that loads anew does.
test('playgrounds are added and removed', async () => {
  await section('playgrounds');
  const add = form('Add playground');
  const fill = async (template) => {
    await add.getByLabel('Name').fill('Try Rust');
    await add.getByLabel('Language').fill('Rust');
    await add.getByLabel('URL template').fill(template);
    await button('Add playground', add).click();
  };
  await fill('https://play.example.com/');
  await refused(/template/i);
  await fill('https://play.example.com/{?code}');
  await button('Remove playground Try Rust').waitFor();
  await go(page, '#narrow/channel/4-Venice/topic/code');
  await say(page, '```rust\nfn main() {}\n```');
  const link = page.getByRole('link', { name: 'Open in Try Rust' });
  assert.equal(await link.getAttribute('href'), 'https://play.example.com/?code=fn%20main%28%29%20%7B%7D%0A');
  await section('playgrounds');
  await button('Remove playground Try Rust').click();
  await refusing('**/json/realm/playgrounds/*', () => confirm('Remove'));
  await confirm('Remove');
  await page.getByText('No playgrounds yet.').waitFor();
});

const fields = async () => (await api('GET', '/realm/profile_fields')).custom_fields;
const fieldNamed = async (name) => (await fields()).find((f) => f.name === name);

test('profile fields of every type are added, changed, moved, and removed', async () => {
  for (const f of await fields()) await api('DELETE', `/realm/profile_fields/${f.id}`);
  await section('profile-fields');
  await page.getByText('No profile fields yet.').waitFor();
  const types = ['Short text', 'Long text', 'Date', 'Link', 'People', 'Pronouns'];
  for (const type of types) {
    await page.getByLabel('Type').selectOption(type);
    await page.getByLabel('Name').last().fill(`My ${type}`);
    await button('Add field').click();
    await is(async () => (await fieldNamed(`My ${type}`)) !== undefined, true);
  }
  await page.getByLabel('Name').last().fill('My Date');
  await button('Add field').click();
  await refused('A field with that label already exists.');

  await page.getByLabel('Type').selectOption('List of options');
  await page.getByLabel('Name').last().fill('Colour');
  await page.getByLabel('Hint').last().fill('One that you like');
  for (const colour of ['red', 'green']) {
    await page.getByLabel('New option').fill(colour);
    await button('Add option').click();
  }
  await button('Move red').press('ArrowDown');
  await page.getByLabel('Show in the summary').last().check();
  await page.getByLabel('Ask people to fill it in').last().check();
  await page.getByLabel('People may change it themselves').last().uncheck();
  await button('Add field').click();
  await is(async () => {
    const f = await fieldNamed('Colour');
    const texts = Object.values(JSON.parse(f?.field_data ?? '{}')).sort((a, b) => a.order - b.order);
    const { hint, required, editable_by_user: own, display_in_profile_summary: summary } = f ?? {};
    return [texts.map((t) => t.text), hint, required, own, summary];
  }, [['green', 'red'], 'One that you like', true, false, true]);

  await page.getByLabel('Type').selectOption('External account');
  await button('Add field').click();
  await is(async () => (await fieldNamed('GitHub username'))?.type, 7);
  await page.getByLabel('Service').selectOption('Another service');
  await page.getByLabel('Name').last().fill('Forge');
  await page.getByLabel('URL of an account').fill('https://forge.example.com/');
  await button('Add field').click();
  await refused(/%\(username\)s/);
  await page.getByLabel('URL of an account').fill('https://forge.example.com/%(username)s');
  await page.getByLabel('Find people by it').last().check();
  await button('Add field').click();
  await is(async () => (await fieldNamed('Forge'))?.use_for_user_matching, true);

  await button('Change Colour').click();
  await page.getByLabel('Name').first().fill('Favourite colour');
  await button('Remove option red').click();
  await refusing('**/json/realm/profile_fields/*', () => button('Save').click());
  await button('Save').click();
  await is(async () => Object.keys(JSON.parse((await fieldNamed('Favourite colour'))?.field_data ?? '{}')).length, 1);

  await refusing('**/json/realm/profile_fields', () => button('Move My Date').press('ArrowUp'));
  await button('Move My Date').press('ArrowUp');
  await is(async () => (await fields())[1].name, 'My Date');
  await button('Remove field Forge').click();
  await refusing('**/json/realm/profile_fields/*', () => confirm('Remove'));
  await confirm('Remove');
  await is(async () => await fieldNamed('Forge'), undefined);
});

test('people fill in their own fields, also those that name people, and dates', async () => {
  await section('emoji');
  await go(page, '#settings/profile');
  const mine = async (name) => {
    const me = await api('GET', '/users/me');
    return me.profile_data[(await fieldNamed(name)).id]?.value;
  };
  await page.getByLabel('My Date').fill('2024-02-29');
  await page.getByLabel('My Date').blur();
  await is(() => mine('My Date'), '2024-02-29');
  const people = page.getByRole('group', { name: 'My People' });
  await people.getByRole('combobox').fill('iago');
  await people.getByRole('combobox').press('Enter');
  const iago = (await api('GET', '/users')).members.find((u) => u.full_name === 'Iago').user_id;
  await is(() => mine('My People'), `[${iago}]`);
  await people.getByRole('button', { name: 'Remove Iago' }).click();
  await is(() => mine('My People'), undefined);
  await page.getByLabel('My Link').fill('https://example.com/me');
  await page.getByLabel('My Link').blur();
  await is(() => mine('My Link'), 'https://example.com/me');
});

/** pick gives a permission to a role. */
async function pick(label, role) {
  const box = page.getByRole('combobox', { name: label, exact: true });
  await box.fill(role);
  await page.getByRole('listbox').getByRole('option', { name: role }).first().waitFor();
  await box.press('Enter');
}

const roleIDs = async () =>
  Object.fromEntries((await api('GET', '/user_groups')).user_groups.map((g) => [g.name, g.id]));
const groupNamed = async (name) => (await api('GET', '/user_groups', {})).user_groups.find((g) => g.name === name);
const person = async (name) => (await api('GET', '/users')).members.find((u) => u.full_name === name)?.user_id;

test('groups are created, changed, nested, and deactivated', async () => {
  const roles = await roleIDs();
  await section('groups');
  await page.getByText('Create a group').first().click();
  const create = form('Create a group');
  await create.getByLabel('Name').fill('backend');
  await create.getByLabel('Description').fill('Servers');
  await button('Create a group', create).click();
  await page.getByRole('heading', { name: 'backend' }).waitFor();
  await is(async () => (await groupNamed('backend'))?.description, 'Servers');
  await api('POST', '/user_groups/create', { name: 'everything', description: '', members: [] });

  await save('Name', 'server people');
  await is(async () => (await groupNamed('server people'))?.name, 'server people');
  await save('Name', 'everything');
  await refused(/already exists/);
  await button('Cancel: Name').click();
  await save('Description', 'All servers');
  await is(async () => (await groupNamed('server people')).description, 'All servers');
  await refusing('**/json/user_groups/*', () => save('Description', 'Nothing'));
  await button('Cancel: Description').click();

  const members = async () => (await groupNamed('server people')).members;
  const [iago, me] = [await person('Iago'), await person('Desdemona')];
  const add = async () => {
    const box = page.getByRole('combobox', { name: 'Add a person' });
    await box.fill('Iago');
    await box.press('Enter');
    await button('Add people').click();
  };
  await refusing('**/json/user_groups/*/members', add);
  await button('Add people').click();
  await is(
    members,
    [me, iago].sort((a, b) => a - b),
  );
  await refusing('**/json/user_groups/*/members', () => button('Remove Iago').click());
  await button('Remove Iago').click();
  await is(members, [me]);

  const subgroups = async (name) => (await groupNamed(name)).direct_subgroup_ids;
  const nest = async (name) => {
    await page.getByLabel('Add subgroup').first().selectOption(name);
    await button('Add subgroup').click();
  };
  await nest('everything');
  const everything = (await groupNamed('everything')).id;
  const own = (await groupNamed('server people')).id;
  await is(() => subgroups('server people'), [everything]);
  await go(page, `#organization/groups/${everything}`);
  await page.getByRole('heading', { name: 'everything' }).waitFor();
  await nest('server people');
  await refused(/already a subgroup of one/);
  assert.deepEqual(await subgroups('everything'), []);
  await button('Deactivate the group').click();
  await refused('Cannot deactivate user group in use.');
  await page.getByText('Subgroup of server people', { exact: true }).waitFor();
  await go(page, `#organization/groups/${own}`);
  await page.getByRole('heading', { name: 'server people' }).waitFor();
  await refusing('**/json/user_groups/*/members', () => button('Remove everything').click());
  await button('Remove everything').click();
  await is(() => subgroups('server people'), []);

  for (const [label, setting] of [
    ['Who may manage this group', 'can_manage_group'],
    ['Who may add members', 'can_add_members_group'],
    ['Who may remove members', 'can_remove_members_group'],
    ['Who may join', 'can_join_group'],
    ['Who may leave', 'can_leave_group'],
    ['Who may mention this group', 'can_mention_group'],
  ]) {
    const before = (await groupNamed('server people'))[setting];
    await refusing('**/json/user_groups/*', () => pick(label, 'Moderators'));
    assert.deepEqual((await groupNamed('server people'))[setting], before);
    await pick(label, 'Moderators');
    const value = async () => (await groupNamed('server people'))[setting];
    await is(async () => JSON.stringify(await value()).includes(String(roles['role:moderators'])), true);
  }

  await button('Deactivate the group').click();
  await is(async () => await groupNamed('server people'), undefined);
  await refusing('**/json/user_groups/*', () => button('Reactivate the group').click());
  await button('Reactivate the group').click();
  await is(async () => (await groupNamed('server people'))?.name, 'server people');
});

const channelNamed = async (name) =>
  (await api('GET', '/streams?include_all=true&exclude_archived=false&include_default=true')).streams.find(
    (s) => s.name === name,
  );

test('a channel is created, and everything about it is changed', async () => {
  const roles = await roleIDs();
  const folder = (await api('POST', '/channel_folders/create', { name: 'Cities', description: '' }))
    .channel_folder_id;
  await section('channels');
  await page.getByText('Create a channel').first().click();
  const create = form('Create a channel');
  await create.getByLabel('Name').fill('Padua');
  await create.getByLabel('Description').fill('A town');
  await create.getByLabel('Privacy').selectOption('shared');
  await create.getByRole('combobox', { name: 'Subscribe people' }).fill('Iago');
  await create.getByRole('combobox', { name: 'Subscribe people' }).press('Enter');
  await button('Create a channel', create).click();
  await page.getByRole('heading', { name: '#Padua' }).waitFor();
  const channel = (name = 'Padua') => channelNamed(name);
  await is(async () => {
    const c = await channel();
    return [c?.invite_only, c?.history_public_to_subscribers, c?.description, c?.subscriber_count];
  }, [true, true, 'A town', 2]);
  const { stream_id: id } = await channel();

  await save('Description', 'A university town');
  await is(async () => (await channel()).description, 'A university town');
  await refusing('**/json/streams/*', () => save('Description', 'Nothing'));
  await button('Cancel: Description').click();
  await save('Name', 'Venice');
  await refused(/already/);
  await save('Name', 'Padova');
  await is(async () => (await channel('Padova'))?.stream_id, id);

  // Selects: the value that the API takes, how the API says it, and a value that the server refuses.
  const flags = (c) => [c.invite_only, c.history_public_to_subscribers, c.is_web_public];
  for (const [label, value, read, want] of [
    ['Privacy', 'protected', flags, [true, false, false]],
    ['Privacy', 'public', flags, [false, true, false]],
    ['Topics', 'disable_empty_topic', (c) => c.topics_policy, 'disable_empty_topic'],
    ['Folder', String(folder), (c) => c.folder_id, folder],
    ['Folder', '0', (c) => c.folder_id, null],
    ['Delete old messages', 'unlimited', (c) => c.message_retention_days, -1],
    ['Delete old messages', 'realm_default', (c) => c.message_retention_days, null],
  ]) {
    const select = page.getByRole('combobox', { name: label, exact: true });
    const before = await select.inputValue();
    await refusing('**/json/streams/*', () => select.selectOption(value));
    await is(() => select.inputValue(), before);
    await select.selectOption(value);
    await is(async () => read(await channel('Padova')), want);
  }
  await page.getByRole('combobox', { name: 'Delete old messages' }).selectOption('days');
  await page.getByRole('spinbutton', { name: 'Days' }).fill('30');
  await refusing('**/json/streams/*', () => button('Save').click());
  await button('Save').click();
  await is(async () => (await channel('Padova')).message_retention_days, 30);

  const standard = page.getByLabel('Default channel for new people');
  await refusing('**/json/streams/*', () => standard.click());
  assert.equal(await standard.isChecked(), false);
  await standard.check();
  await is(async () => (await channel('Padova')).is_default, true);
  await page.getByRole('combobox', { name: 'Privacy' }).selectOption('shared');
  await refused(/default/i);
  await standard.uncheck();
  await is(async () => (await channel('Padova')).is_default, false);

  for (const [label, setting] of [
    ['Who may post', 'can_send_message_group'],
    ['Who may start new topics', 'can_create_topic_group'],
    ['Who may subscribe themselves', 'can_subscribe_group'],
    ['Who may add subscribers', 'can_add_subscribers_group'],
    ['Who may remove subscribers', 'can_remove_subscribers_group'],
    ['Who may administer this channel', 'can_administer_channel_group'],
    ['Who may resolve topics', 'can_resolve_topics_group'],
    ['Who may move messages within this channel', 'can_move_messages_within_channel_group'],
    ['Who may move messages to other channels', 'can_move_messages_out_of_channel_group'],
    ['Who may delete their own messages', 'can_delete_own_message_group'],
    ['Who may delete any message', 'can_delete_any_message_group'],
  ]) {
    const value = async () => (await channel('Padova'))[setting];
    const before = await value();
    await refusing('**/json/streams/*', () => pick(label, 'Moderators'));
    assert.deepEqual(await value(), before);
    await pick(label, 'Moderators');
    await is(async () => JSON.stringify(await value()).includes(String(roles['role:moderators'])), true);
  }

  const subscribers = async () => (await api('GET', `/streams/${id}/members`)).subscribers.length;
  const add = page.getByRole('combobox', { name: 'Add a person' });
  await add.fill('Othello');
  await add.press('Enter');
  await refusing('**/json/users/me/subscriptions', () => button('Add people').click());
  await button('Add people').click();
  await is(subscribers, 3);
  await refusing('**/json/users/me/subscriptions', () => button('Remove Iago').click());
  await button('Remove Iago').click();
  await is(subscribers, 2);
  // Somebody else adds a person.
  await api('POST', '/users/me/subscriptions', {
    subscriptions: [{ name: 'Padova' }],
    principals: [await person('Zoe')],
  });
  await page.locator('.content').getByText('Zoe').waitFor();

  await refusing('**/json/streams/*', () => button('Archive the channel').click());
  await button('Archive the channel').click();
  await is(async () => (await channel('Padova')).is_archived, true);
  await refusing('**/json/streams/*', () => button('Unarchive the channel').click());
  await button('Unarchive the channel').click();
  await is(async () => (await channel('Padova')).is_archived, false);
});

test('folders are created, renamed, moved, and archived', async () => {
  const folders = async (archived) =>
    (await api('GET', `/channel_folders?include_archived=${archived}`)).channel_folders.map((f) => f.name);
  await section('channel-folders');
  const create = form('Create folder');
  const add = async (name) => {
    await create.getByLabel('Name').fill(name);
    await create.getByLabel('Description').fill(`All ${name}`);
    await button('Create folder', create).click();
  };
  await add('Plays');
  await is(() => folders(false), ['Cities', 'Plays']);
  await add('Plays');
  await refused(/already/);
  await button('Change Plays').click();
  const rows = page.getByRole('list', { name: 'Channel folders' });
  await rows.getByLabel('Name', { exact: true }).fill('Cities');
  await button('Save: Name').click();
  await refused(/already/);
  await rows.getByLabel('Name', { exact: true }).fill('Dramas');
  await button('Save: Name').click();
  await is(() => folders(false), ['Cities', 'Dramas']);
  await rows.getByLabel('Description', { exact: true }).fill('With an end');
  await refusing('**/json/channel_folders/*', () => button('Save: Description').click());
  await button('Save: Description').click();
  const described = async () => (await api('GET', '/channel_folders')).channel_folders[1].description;
  await is(described, 'With an end');
  await refusing('**/json/channel_folders', () => button('Move Dramas').press('ArrowUp'));
  await button('Move Dramas').press('ArrowUp');
  await is(() => folders(false), ['Dramas', 'Cities']);
  await api('PATCH', `/streams/${(await channelNamed('Verona')).stream_id}`, {
    folder_id: (await api('GET', '/channel_folders')).channel_folders[1].id,
  });
  await button('Archive Cities').click();
  await refused(/channel/);
  await button('Archive Dramas').click();
  await is(() => folders(false), ['Cities']);
  await refusing('**/json/channel_folders/*', () => button('Unarchive Dramas').click());
  await button('Unarchive Dramas').click();
  await is(() => folders(false), ['Dramas', 'Cities']);
});

test('default channels are added and removed', async () => {
  const standard = async (name) => (await channelNamed(name)).is_default;
  await section('default-channels');
  await page.getByLabel('Add default channel').first().selectOption('Rome');
  await refusing('**/json/default_streams', () => button('Add default channel').click());
  assert.equal(await standard('Rome'), false);
  await button('Add default channel').click();
  await is(() => standard('Rome'), true);
  await refusing('**/json/default_streams', () => button('Remove default channel Rome').click());
  await button('Remove default channel Rome').click();
  await is(() => standard('Rome'), false);
});

test('bots are made and changed, and a webhook URL posts to a channel', async () => {
  await section('bots');
  await page.getByText('Add bot').first().click();
  const add = form('Add bot');
  await add.getByLabel('Name', { exact: true }).fill('Build Server');
  assert.equal(await add.getByLabel('Short name').inputValue(), 'build-server');
  await button('Add bot', add).click();
  await page.getByRole('heading', { name: 'Build Server' }).waitFor();
  const bot = async (name) => (await api('GET', '/users')).members.find((u) => u.full_name === name);
  await is(async () => (await bot('Build Server'))?.bot_type, 2);
  const { user_id: id } = await bot('Build Server');
  const key = async () => (await api('GET', `/bots/${id}/api_key`)).api_key;

  await button('Make a webhook URL').click();
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
  await refusing('**/json/bots/*/api_key/regenerate', () => button('Make a new key').click());
  await button('Make a new key').click();
  await is(
    async () =>
      (await key()) !== old && (await page.getByRole('textbox', { name: 'API key' }).inputValue()) === (await key()),
    true,
  );

  await save('Name', 'Builder');
  await is(async () => (await bot('Builder'))?.user_id, id);
  await refusing('**/json/bots/*', () => save('Name', 'Nobody'));
  await button('Cancel: Name').click();
  const picked = page.locator('main input[type=file]');
  await refusing('**/json/bots/*', () => picked.setInputFiles(picture));
  const version = (await bot('Builder')).avatar_version;
  await picked.setInputFiles(picture);
  await is(async () => (await bot('Builder')).avatar_version > version, true);

  const owner = page.getByRole('combobox', { name: 'New owner' });
  await owner.fill('Cordelia');
  await owner.press('Enter');
  await refusing('**/json/bots/*', () => button('Change the owner').click());
  await button('Change the owner').click();
  const cordelia = (await api('GET', '/users')).members.find((u) => u.full_name.startsWith('Cordelia')).user_id;
  await is(async () => (await bot('Builder')).bot_owner_id, cordelia);

  await refusing('**/json/bots/*', () => button('Deactivate the bot').click());
  await button('Deactivate the bot').click();
  await is(async () => (await bot('Builder')).is_active, false);
  await refusing('**/json/users/*/reactivate', () => button('Reactivate the bot').click());
  await button('Reactivate the bot').click();
  await is(async () => (await bot('Builder')).is_active, true);

  await section('bots');
  await page.getByText('Add bot').first().click();
  await add.getByLabel('Type').selectOption('Outgoing webhook');
  await add.getByLabel('Name', { exact: true }).fill('Oracle');
  await add.getByLabel('URL that is called').fill('https://oracle.example.com/');
  await add.getByLabel('Format').selectOption('Slack-compatible');
  await button('Add bot', add).click();
  await page.getByRole('heading', { name: 'Oracle' }).waitFor();
  const services = async () => {
    const queue = await api('POST', '/register', { fetch_event_types: ['realm_bot'], event_types: ['typing'] });
    const one = queue.realm_bots.find((b) => b.services.length > 0);
    return [one.services[0].base_url, one.services[0].interface];
  };
  assert.deepEqual(await services(), ['https://oracle.example.com/', 2]);
  await save('URL that is called', 'ftp://oracle.example.com/');
  await refused(/url/i);
  await save('URL that is called', 'https://oracle.example.com/2');
  await is(services, ['https://oracle.example.com/2', 2]);
  await refusing('**/json/bots/*', () => page.getByRole('combobox', { name: 'Format' }).selectOption('Stoa'));
  await page.getByRole('combobox', { name: 'Format' }).selectOption('Stoa');
  await is(services, ['https://oracle.example.com/2', 1]);

  await section('bots');
  await page.getByText('Add bot').first().click();
  await add.getByLabel('Type').selectOption('Generic bot');
  await add.getByLabel('Name', { exact: true }).fill('Oracle');
  await button('Add bot', add).click();
  await refused(/already|in use/i);
});

test('the dialog of a channel shows its permissions', async () => {
  await go(page, '#narrow/channel/4-Venice');
  await page.getByRole('heading', { name: 'Venice' }).waitFor();
  await button('Actions for Venice').first().click();
  await page.getByRole('menuitem', { name: 'Channel settings' }).click();
  await page.getByRole('dialog').getByText('Permissions').click();
  await pick('Who may post', 'Members');
  const { 'role:members': members } = await roleIDs();
  await is(async () => (await channelNamed('Venice')).can_send_message_group, members);
  await page.getByRole('link', { name: 'All settings of the channel' }).click();
  await page.getByRole('heading', { name: '#Venice' }).waitFor();
});

test('changes by others and lost rights show while somebody edits, who loses nothing', async () => {
  const iago = await world.open('iago@zulip.com');
  const { stream_id: rome } = await channelNamed('Rome');
  await go(iago, `#organization/channels/${rome}`);
  const description = iago.getByLabel('Description', { exact: true });
  await description.fill('Eternal');
  await api('PATCH', `/streams/${rome}`, { description: 'Seven hills' });
  await iago.getByText('Somebody else has changed this to “Seven hills” meanwhile.').waitFor();
  assert.equal(await description.inputValue(), 'Eternal');
  await api('PATCH', `/users/${await person('Iago')}`, { role: 400 });
  await eventually(() => description.isDisabled());
  assert.equal(await description.inputValue(), 'Eternal');
  await iago.getByText('You may not.').first().waitFor();
  await api('PATCH', `/users/${await person('Iago')}`, { role: 200 });
  await iago.getByRole('button', { name: 'Save: Description' }).click();
  await is(async () => (await channelNamed('Rome')).description, 'Eternal');

  await go(iago, '#organization/profile-fields');
  await iago.getByRole('heading', { name: 'Add field' }).waitFor();
  await api('PATCH', `/users/${await person('Iago')}`, { role: 400 });
  await iago.getByText('You cannot see this section, or no longer.').waitFor();
  await api('PATCH', `/users/${await person('Iago')}`, { role: 200 });
  await iago.context().close();
});

test('no page has reported a problem', () => assert.deepEqual(world.problems, []));
