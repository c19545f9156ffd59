// Every list of the administration with 10,000 people, 2,000 channels and 500 groups opens with few rows. Its times are
// printed, but depend on the machine.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { go, Harness } from './harness.mjs';

const PEOPLE = 10_000;
const CHANNELS = 2000;
const GROUPS = 500;
const OTHERS = 500; // emoji, linkifiers, folders and everything else

const harness = new Harness();
const range = (n, of) => Array.from({ length: n }, (_, i) => of(i));
const ids = range(PEOPLE, (i) => 100_000 + i);
let page;

/** enlarge enlarges the organization in the response to the registration. */
function enlarge(s) {
  const [person, group, channel] = [s.realm_users[0], s.realm_user_groups[0], s.subscriptions[0]];
  const someone = (i, more) => ({ ...person, user_id: ids[i], full_name: `Person ${i}`, role: 400, ...more });
  s.realm_users.push(
    ...range(PEOPLE, (i) => someone(i, i % 5 ? {} : { is_bot: true, bot_type: 1, bot_owner_id: s.user_id })),
  );
  s.realm_user_groups.push(
    ...range(GROUPS, (i) => ({
      ...group,
      id: 5000 + i,
      name: `group ${i}`,
      is_system_group: false,
      members: i === 0 ? ids : ids.slice(i, i + 20),
      direct_subgroup_ids: i === 0 ? range(GROUPS - 1, (n) => 5001 + n) : [],
    })),
  );
  s.never_subscribed.push(
    ...range(CHANNELS, (i) => ({ ...channel, stream_id: 90_000 + i, name: `channel ${i}`, invite_only: false })),
  );
  s.realm_default_streams = range(OTHERS, (i) => 90_000 + i);
  s.channel_folders = range(OTHERS, (i) => ({
    ...s.channel_folders[0],
    id: 1 + i,
    name: `folder ${i}`,
    description: '',
    rendered_description: '',
    order: i,
    is_archived: false,
  }));
  s.realm_linkifiers = range(OTHERS, (i) => ({
    id: 1 + i,
    pattern: `L${i}-(?P<id>[0-9]+)`,
    url_template: `https://example.com/${i}/{id}`,
    alternative_url_templates: [],
    example_input: '',
    reverse_template: '',
  }));
  s.realm_playgrounds = range(OTHERS, (i) => ({
    id: 1 + i,
    name: `playground ${i}`,
    pygments_language: 'Rust',
    url_template: 'https://example.com/{code}',
  }));
  s.realm_domains = range(OTHERS, (i) => ({ domain: `d${i}.example.com`, allow_subdomains: false }));
  const icon = '/static/stoa/icon.svg';
  s.realm_emoji = Object.fromEntries(
    range(OTHERS, (i) => [
      i + 1,
      { id: String(i + 1), name: `emoji_${i}`, source_url: icon, author_id: s.user_id, deactivated: false },
    ]),
  );
  return s;
}

const lists = {
  invites: {
    invites: range(CHANNELS, (i) => ({
      id: 1 + i,
      email: `p${i}@example.com`,
      invited_by_user_id: ids[i],
      invited: 1_700_000_000 + i,
      expiry_date: null,
      invited_as: 400,
      is_multiuse: false,
      notify_referrer_on_join: true,
      uses: 0,
      stream_ids: [],
      group_ids: [],
      include_realm_default_subscriptions: true,
    })),
  },
  'export/realm': {
    exports: range(OTHERS, (i) => ({
      id: 1 + i,
      acting_user_id: ids[i],
      export_time: 1_700_000_000,
      deleted_timestamp: 1_700_000_001,
      failed_timestamp: null,
      export_url: null,
      pending: false,
      export_type: 'public',
    })),
  },
  'export/realm/consents': {
    export_consents: ids.map((user_id) => ({ user_id, consented: false, email_address_visibility: 1 })),
  },
  'streams/90000/members': { subscribers: ids },
};

before(async () => {
  await harness.start();
  const first = await harness.open('desdemona@zulip.com');
  page = await harness.tab(first.context());
  await first.close();
  await page.route('**/json/register', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: enlarge(await response.json()) });
  });
  for (const [path, answer] of Object.entries(lists)) {
    await page.route(`**/json/${path}*`, (route) =>
      route.fulfill({ json: { result: 'success', msg: '', ...answer } }),
    );
  }
  await page.goto(`${harness.server.url}/#inbox`);
  await page.getByRole('heading', { name: 'Inbox' }).waitFor();
  await go(page, '#organization/profile');
  await page.locator('.setting').first().waitFor();
});

after(() => harness.stop());

/**
 * scroll scrolls down by one screen per frame. It returns the 95th percentile of the frame times and the final number
 * of rows.
 */
const scroll = (list) =>
  page.evaluate(async (list) => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    const rows = document.querySelector(list);
    let box = rows;
    while (box && box.scrollHeight <= box.clientHeight + 1) box = box.parentElement;
    const times = [];
    for (let i = 0; i < 40; i++) {
      const begun = await frame();
      if (box) box.scrollTop += box.clientHeight;
      times.push((await frame()) - begun);
    }
    times.sort((a, b) => a - b);
    return { frame: Math.round(times[Math.floor(times.length * 0.95)]), rows: rows.children.length };
  }, list);

// Each list: its address, the last row rendered initially, and its selector.
const rows = '.content .rows';
for (const [address, text, list = rows] of [
  ['people', 'Person 1'],
  ['groups', 'group 1'],
  ['groups/5000', 'Person 1', '.content .members'],
  ['channels', 'channel 1'],
  ['channels/90000', 'Person 1', '.content .members'],
  ['bots', 'Person 10'],
  ['default-channels', 'channel 1'],
  ['channel-folders', 'folder 1', '.content ol'],
  ['emoji', 'emoji_1'],
  ['linkifiers', 'L1-', '.content ol'],
  ['playgrounds', 'playground 1'],
  ['domains', 'd1.example.com'],
  ['invitations', 'example.com'],
  ['exports', 'Person', '.content section:last-of-type .rows'],
]) {
  test(`${address} opens with few rows`, async (t) => {
    await go(page, '#organization/profile');
    await page.locator('#setting-name').waitFor();
    const begun = Date.now();
    await go(page, `#organization/${address}`);
    await page.locator(list).getByText(text).first().waitFor();
    const opening = Date.now() - begun;
    const atFirst = await page.locator(list).first().locator('> li').count();
    const { frame, rows: atLast } = await scroll(list);
    t.diagnostic(
      `${address}: opened in ${opening} ms with ${atFirst} rows; ${frame} ms a frame, ${atLast} rows then`,
    );
    assert.ok(atFirst <= 500, `${atFirst} rows`);
  });
}

for (const [address, text] of [
  ['#channels/all', 'channel 1'],
  ['#groups', 'group 1'],
]) {
  test(`${address} starts with few rows and adds more on scrolling`, async () => {
    await go(page, address);
    await page.locator('main li').filter({ hasText: text }).first().waitFor();
    const atFirst = await page.locator('main li').count();
    const { rows: atLast } = await scroll('main ul');
    assert.ok(atFirst <= 60, `${atFirst} rows`);
    assert.ok(atLast >= 200, `${atLast} rows`);
  });
}

test('pickers find one among thousands', async (t) => {
  const setting = (key) => page.locator(`#setting-${key}`);
  await go(page, '#organization/people');
  const begun = Date.now();
  await page.getByRole('searchbox', { name: 'Search people' }).fill('person 9876');
  await page.getByRole('main').getByRole('link', { name: 'Person 9876' }).waitFor();
  t.diagnostic(`a person is found in ${Date.now() - begun} ms`);
  await go(page, '#organization/permissions');
  const bots = setting('can_create_bots_group');
  for (const name of ['Person 8766', 'group 432']) {
    await bots.getByRole('combobox').fill(name);
    await bots.getByRole('combobox').press('Enter');
    await bots.getByRole('button', { name: `Remove ${name}` }).waitFor();
  }
  await bots.getByRole('button', { name: 'Discard' }).click();
  await go(page, '#organization/messages');
  await setting('signup_announcements_stream_id').getByRole('combobox').fill('channel 1234');
  await page.getByRole('main').getByRole('option', { name: 'channel 1234' }).waitFor();
});
