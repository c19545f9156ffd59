// Custom emoji, linkifiers, playgrounds and profile fields: the effect of each control on the API, and its error
// messages.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { picture } from './picture.mjs';
import {
  api,
  setUp,
  button,
  confirm,
  form,
  eventuallyEqual,
  page,
  refused,
  refusing,
  section,
  harness,
} from './sections.mjs';
import { go, sendMessage } from './harness.mjs';

before(() => setUp());

after(() => harness.stop());

const emoji = async () => Object.values((await api('GET', '/realm/emoji')).emoji);
const active = async (name) => (await emoji()).filter((e) => e.name === name && !e.deactivated).length;

test('custom emoji are added and deactivated', async () => {
  await section('emoji');
  const add = form('Add emoji');
  await add.getByLabel('Image').setInputFiles(picture);
  assert.equal(await add.getByLabel('Name').inputValue(), 'sunset');
  await button('Add emoji', add).click();
  await eventuallyEqual(() => active('sunset'), 1);
  await add.getByLabel('Image').setInputFiles(picture);
  await button('Add emoji', add).click();
  await refused('A custom emoji with this name already exists.');
  await refusing('**/json/realm/emoji/sunset', async () => {
    await button('Deactivate :sunset:').click();
    await confirm('Deactivate');
  });
  await eventuallyEqual(() => active('sunset'), 1);
  await confirm('Deactivate');
  await eventuallyEqual(() => active('sunset'), 0);
});

const linkifiers = async () => (await api('GET', '/realm/linkifiers')).linkifiers;

test('linkifiers are tested, added, changed, moved and removed', async () => {
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
  await page.getByText('The pattern and the template match.').waitFor();
  await field('Test it on a text').fill('see #12, x#3');
  await page.getByText('https://i.example.com/12').waitFor();
  await button('Add linkifier').click();
  await eventuallyEqual(async () => (await linkifiers()).map((l) => l.url_template), ['https://i.example.com/{id}']);
  await refusing('**/json/realm/filters', async () => {
    await add('K-(?P<id>[0-9]+)', 'https://k.example.com/{id}');
    await button('Add linkifier').click();
  });
  await page.getByText('Turn pasted links back into text').last().click();
  await field('Example of the text').fill('K-7');
  await field('Text for a pasted link').fill('K-{id}');
  await field('Further URL templates, one per line').fill('http://k.example.com/{id}\nhttps://old.example.com/{id}');
  await button('Add linkifier').click();
  await eventuallyEqual(
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
  await eventuallyEqual(async () => (await linkifiers())[0].url_template, 'https://j.example.com/{id}');

  const patterns = async () => (await linkifiers()).map((l) => l.pattern[0]).join('');
  await refusing('**/json/realm/linkifiers', () => button('Move #(?P<id>[0-9]+)').press('ArrowDown'));
  assert.equal(await patterns(), '#K');
  await button('Move #(?P<id>[0-9]+)').press('ArrowDown');
  await eventuallyEqual(patterns, 'K#');
  const from = await button('Move #(?P<id>[0-9]+)').boundingBox();
  const to = await button('Move K-(?P<id>[0-9]+)').boundingBox();
  await page.mouse.move(from.x + 5, from.y + 5);
  await page.mouse.down();
  await page.mouse.move(to.x + 5, to.y + 5, { steps: 5 });
  await page.mouse.up();
  await eventuallyEqual(patterns, '#K');

  await button('Remove linkifier K-(?P<id>[0-9]+)').click();
  await refusing('**/json/realm/filters/*', () => confirm('Remove'));
  await confirm('Remove');
  await eventuallyEqual(patterns, '#');
});

// The API has no operation that lists playgrounds, so the test reloads the page.
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
  await sendMessage(page, '```rust\nfn main() {}\n```');
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

test('profile fields of every type are added, changed, moved and removed', async () => {
  for (const f of await fields()) await api('DELETE', `/realm/profile_fields/${f.id}`);
  await section('profile-fields');
  await page.getByText('No profile fields yet.').waitFor();
  const types = ['Short text', 'Long text', 'Date', 'Link', 'People', 'Pronouns'];
  for (const type of types) {
    await page.getByLabel('Type').selectOption(type);
    await page.getByLabel('Name').last().fill(`My ${type}`);
    await button('Add field').click();
    await eventuallyEqual(async () => (await fieldNamed(`My ${type}`)) !== undefined, true);
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
  await eventuallyEqual(async () => {
    const f = await fieldNamed('Colour');
    const texts = Object.values(JSON.parse(f?.field_data ?? '{}')).sort((a, b) => a.order - b.order);
    const { hint, required, editable_by_user: own, display_in_profile_summary: summary } = f ?? {};
    return [texts.map((t) => t.text), hint, required, own, summary];
  }, [['green', 'red'], 'One that you like', true, false, true]);

  await page.getByLabel('Type').selectOption('External account');
  await button('Add field').click();
  await eventuallyEqual(async () => (await fieldNamed('GitHub username'))?.type, 7);
  await page.getByLabel('Service').selectOption('Another service');
  await page.getByLabel('Name').last().fill('Forge');
  await page.getByLabel('URL of an account').fill('https://forge.example.com/');
  await button('Add field').click();
  await refused(/%\(username\)s/);
  await page.getByLabel('URL of an account').fill('https://forge.example.com/%(username)s');
  await page.getByLabel('Find people by it').last().check();
  await button('Add field').click();
  await eventuallyEqual(async () => (await fieldNamed('Forge'))?.use_for_user_matching, true);

  await button('Change Colour').click();
  await page.getByLabel('Name').first().fill('Favourite colour');
  await button('Remove option red').click();
  await refusing('**/json/realm/profile_fields/*', () => button('Save').click());
  await button('Save').click();
  await eventuallyEqual(
    async () => Object.keys(JSON.parse((await fieldNamed('Favourite colour'))?.field_data ?? '{}')).length,
    1,
  );

  await refusing('**/json/realm/profile_fields', () => button('Move My Date').press('ArrowUp'));
  await button('Move My Date').press('ArrowUp');
  await eventuallyEqual(async () => (await fields())[1].name, 'My Date');
  await button('Remove field Forge').click();
  await refusing('**/json/realm/profile_fields/*', () => confirm('Remove'));
  await confirm('Remove');
  await eventuallyEqual(async () => await fieldNamed('Forge'), undefined);
});

test('users fill in their own profile fields, including people and dates', async () => {
  await section('emoji');
  await go(page, '#settings/profile');
  const mine = async (name) => {
    const me = await api('GET', '/users/me');
    return me.profile_data[(await fieldNamed(name)).id]?.value;
  };
  await page.getByLabel('My Date').fill('2024-02-29');
  await page.getByLabel('My Date').blur();
  await eventuallyEqual(() => mine('My Date'), '2024-02-29');
  const people = page.getByRole('group', { name: 'My People' });
  await people.getByRole('combobox').fill('iago');
  await people.getByRole('combobox').press('Enter');
  const iago = (await api('GET', '/users')).members.find((u) => u.full_name === 'Iago').user_id;
  await eventuallyEqual(() => mine('My People'), `[${iago}]`);
  await people.getByRole('button', { name: 'Remove Iago' }).click();
  await eventuallyEqual(() => mine('My People'), undefined);
  await page.getByLabel('My Link').fill('https://example.com/me');
  await page.getByLabel('My Link').blur();
  await eventuallyEqual(() => mine('My Link'), 'https://example.com/me');
});
