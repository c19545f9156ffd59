// What one person changes appears at once in the lists and views that another has open.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { box, call, eventually, go, row, sendMessage, Harness } from './harness.mjs';

const harness = new Harness();
let desdemona;
let hamlet;

before(async () => {
  await harness.start();
  desdemona = await harness.open('desdemona@zulip.com');
  hamlet = await harness.open('hamlet@zulip.com');
});

after(() => harness.stop());

const main = (page) => page.getByRole('main');

async function ask(page, method, path, params) {
  const answer = await call(page, method, path, params);
  assert.equal(answer.result, 'success', `${method} ${path}: ${answer.msg}`);
  return answer;
}

const me = async (page) => (await ask(page, 'GET', '/users/me')).user_id;

/** create creates a channel with Desdemona and the given people, and returns its ID. */
async function create(name, people = [], more = {}) {
  const principals = [await me(desdemona), ...(await Promise.all(people.map(me)))];
  await ask(desdemona, 'POST', '/users/me/subscriptions', { subscriptions: [{ name }], principals, ...more });
  return (await ask(desdemona, 'GET', '/get_stream_id', { stream: name })).stream_id;
}

const post = async (to, topic, content, page = desdemona) =>
  (await ask(page, 'POST', '/messages', { type: 'channel', to, topic, content })).id;

/** recent returns a row of Hamlet's recent conversations. */
const recent = (name) => main(hamlet).getByRole('link', { name });
const option = (name) => hamlet.getByRole('dialog').getByRole('option', { name });
const gone = (locator) => locator.waitFor({ state: 'detached' });

/** saved reports whether Hamlet's browser has saved a text for use without a connection. */
const saved = (text) =>
  hamlet.evaluate(async (text) => {
    // Pages save when they are hidden.
    for (const value of [true, false]) {
      Object.defineProperty(document, 'hidden', { value, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    }
    const done = (r) => new Promise((resolve) => (r.onsuccess = () => resolve(r.result)));
    const db = await done(indexedDB.open('stoa'));
    const all = await done(db.transaction('values').objectStore('values').getAll());
    db.close();
    return JSON.stringify(all).includes(text);
  }, text);

/** jump opens the jump dialog with a search. */
async function jump(text) {
  await hamlet.keyboard.press('Control+k');
  await hamlet.getByRole('dialog').getByRole('combobox').fill(text);
}

test('a resolved topic is listed once in recent conversations, and in the open jump dialog', async () => {
  const id = await create('workshop', [hamlet]);
  const message = await post(id, 'lathe', 'It turns');
  await go(hamlet, '#recent');
  await recent(/lathe/).waitFor();
  await jump('lathe');
  await option(/lathe/).waitFor();
  const href = (list) => list.evaluateAll((all) => all.map((a) => decodeURIComponent(a.hash.replaceAll('.', '%'))));
  await ask(desdemona, 'PATCH', `/messages/${message}`, {
    topic: '✔ lathe',
    propagate_mode: 'change_all',
    send_notification_to_new_thread: false,
  });
  await recent(/resolved lathe/).waitFor();
  assert.deepEqual((await href(recent(/lathe/))).length, 1);
  assert.equal(await option(/lathe/).count(), 1);
  await hamlet.keyboard.press('Enter');
  await row(hamlet, 'It turns').waitFor();
});

test('recent conversations follow renamed channels and people, and moved and deleted topics', async () => {
  const id = await create('kitchen', [hamlet]);
  const soup = await post(id, 'soup', 'It is hot');
  const direct = await me(hamlet);
  await ask(desdemona, 'POST', '/messages', { type: 'direct', to: [direct], content: 'Hungry?' });
  await go(hamlet, '#recent');
  await recent(/kitchen soup/).waitFor();
  await recent(/^Desdemona/).waitFor();

  await ask(desdemona, 'PATCH', `/streams/${id}`, { new_name: 'galley' });
  await recent(/galley soup/).waitFor();
  assert.equal(await recent(/kitchen/).count(), 0);

  await ask(desdemona, 'PATCH', '/settings', { full_name: 'Desdemona of Venice' });
  await recent(/^Desdemona of Venice/).waitFor();
  await ask(desdemona, 'PATCH', '/settings', { full_name: 'Desdemona' });

  const other = await create('cellar', [hamlet]);
  await ask(desdemona, 'PATCH', `/messages/${soup}`, {
    stream_id: other,
    topic: 'wine soup',
    propagate_mode: 'change_all',
    send_notification_to_old_thread: false,
    send_notification_to_new_thread: false,
  });
  await recent(/cellar wine soup/).waitFor();
  await gone(recent(/galley soup/));

  await ask(desdemona, 'POST', `/streams/${other}/delete_topic`, { topic_name: 'wine soup' });
  await gone(recent(/wine soup/));
});

test('recent conversations come back with the access to them', async () => {
  const id = await create('attic');
  await post(id, 'dust', 'It is old');
  const user = await me(hamlet);
  await ask(hamlet, 'POST', '/users/me/subscriptions', { subscriptions: [{ name: 'attic' }] });
  await post(id, 'dust', 'And thick');
  await go(hamlet, '#recent');
  await recent(/attic dust/).waitFor();
  await ask(hamlet, 'DELETE', '/users/me/subscriptions', { subscriptions: ['attic'] });
  await ask(desdemona, 'PATCH', `/users/${user}`, { role: 600 });
  await gone(recent(/dust/));
  await ask(desdemona, 'PATCH', `/users/${user}`, { role: 400 });
  await recent(/attic dust/).waitFor();
});

test('a channel that one has not joined is shown live, and joining it loses nothing', async () => {
  const id = await create('harbour');
  const first = await post(id, 'ships', 'The first ship');
  const doomed = await post(id, 'ships', 'A doomed ship');
  await go(hamlet, `#narrow/channel/${id}-harbour/topic/ships`);
  await row(hamlet, 'The first ship').waitFor();

  await sendMessage(hamlet, 'I see it');
  await row(hamlet, 'I see it').waitFor();
  await post(id, 'ships', 'The second ship');
  await row(hamlet, 'The second ship').waitFor();
  await ask(desdemona, 'PATCH', `/messages/${first}`, { content: 'The old ship' });
  await row(hamlet, 'The old ship').waitFor();
  await ask(desdemona, 'POST', `/messages/${first}/reactions`, { emoji_name: 'tada' });
  await row(hamlet, 'The old ship')
    .getByRole('button', { name: /^Party popper/ })
    .waitFor();
  await ask(desdemona, 'DELETE', `/messages/${doomed}`);
  await gone(row(hamlet, 'A doomed ship'));
  await ask(desdemona, 'PATCH', `/messages/${await post(id, 'boats', 'A moored boat')}`, {
    topic: 'ships',
    send_notification_to_new_thread: false,
  });
  await row(hamlet, 'A moored boat').waitFor();
  const texts = async (page) => (await page.locator('article[data-message] .rendered').allInnerTexts()).join('|');
  const shown = await texts(hamlet);
  await hamlet.reload();
  await row(hamlet, 'A moored boat').waitFor();
  assert.equal(await texts(hamlet), shown);

  // Nothing is asked of the server for a channel that is not on the screen.
  await go(hamlet, '#inbox');
  await post(id, 'ships', 'While nobody looks');
  await go(hamlet, `#narrow/channel/${id}-harbour/topic/ships`);
  await row(hamlet, 'While nobody looks').waitFor();

  await hamlet.route(/\/json\/events\?/, (route) => setTimeout(() => route.continue().catch(() => undefined), 1000));
  await post(id, 'ships', 'Just before joining');
  await hamlet.getByRole('button', { name: 'Join', exact: true }).click();
  await gone(hamlet.getByRole('button', { name: 'Join', exact: true }));
  await row(hamlet, 'Just before joining').waitFor();
  await hamlet.unroute(/\/json\/events\?/);
  await post(id, 'ships', 'After joining');
  await row(hamlet, 'After joining').waitFor();
});

test('a search in a channel that one has not joined is live', async () => {
  const id = await create('quay');
  await post(id, 'crossings', 'A grey ship');
  await go(hamlet, `#narrow/channel/${id}-quay/search/ship`);
  await row(hamlet, 'A grey ship').waitFor();
  await post(id, 'crossings', 'A red boat');
  await post(id, 'crossings', 'A white ship');
  await row(hamlet, 'A white ship').waitFor();
  assert.equal(await row(hamlet, 'A red boat').count(), 0);
});

test('nothing remains of a channel after access to it was lost', async () => {
  const id = await create('conspiracy', [hamlet], { invite_only: true });
  await post(id, 'daggers', 'Bring daggers');
  const user = await me(hamlet);
  await go(hamlet, `#narrow/channel/${id}-conspiracy/topic/daggers`);
  await row(hamlet, 'Bring daggers').waitFor();
  await eventually(() => saved('daggers'));
  await ask(desdemona, 'DELETE', '/users/me/subscriptions', {
    subscriptions: ['conspiracy'],
    principals: [user],
  });
  await gone(row(hamlet, 'Bring daggers'));
  await eventually(async () => !(await saved('daggers')));
  await go(hamlet, '#recent');
  await main(hamlet).getByRole('listitem').first().waitFor();
  assert.equal(await recent(/daggers/).count(), 0);
  await jump('daggers');
  await hamlet.getByText('Nothing found').waitFor();
  await hamlet.keyboard.press('Escape');
  await go(hamlet, '#narrow/search/daggers');
  assert.equal(await row(hamlet, 'Bring daggers').count(), 0);
});

test('views of a channel come back with the access to it', async () => {
  const id = await create('plot', [hamlet], { invite_only: true });
  const people = { subscriptions: ['plot'], principals: [await me(hamlet)] };
  const starred = await post(id, 'night', 'We meet at midnight, @**King Hamlet**');
  await ask(hamlet, 'POST', '/messages/flags', { messages: [starred], op: 'add', flag: 'starred' });
  const shown = row(hamlet, 'We meet at midnight');
  const views = ['#narrow/is/mentioned', '#narrow/search/midnight', `#narrow/channel/${id}-plot/topic/night`];
  for (const view of [...views, '#narrow/is/starred', ...views]) {
    await go(hamlet, view);
    await shown.waitFor();
  }
  for (const view of ['#narrow/is/starred', `#narrow/channel/${id}-plot/topic/night`]) {
    await go(hamlet, view);
    await shown.waitFor();
    await ask(desdemona, 'DELETE', '/users/me/subscriptions', people);
    await gone(shown);
    await gone(hamlet.getByRole('link', { name: 'Starred messages 1' }));
    await ask(desdemona, 'POST', '/users/me/subscriptions', {
      subscriptions: [{ name: 'plot' }],
      principals: people.principals,
    });
    await shown.waitFor();
    await hamlet.getByRole('link', { name: 'Starred messages 1' }).waitFor();
  }
  for (const view of views) {
    await go(hamlet, view);
    await shown.waitFor();
  }
});

test('what is written stays within reach when the channel is lost or archived', async () => {
  const id = await create('cave', [hamlet], { invite_only: true });
  const other = await create('grotto', [hamlet]);
  await post(id, 'echoes', 'Who is there?');
  await go(hamlet, `#narrow/channel/${id}-cave/topic/echoes`);
  await box(hamlet).fill('An answer');
  await eventually(async () => (await ask(hamlet, 'GET', '/drafts')).drafts.some((d) => d.content === 'An answer'));
  await ask(desdemona, 'DELETE', '/users/me/subscriptions', {
    subscriptions: ['cave'],
    principals: [await me(hamlet)],
  });
  await hamlet.getByText('This does not exist, or you have no access.').waitFor();

  await post(other, 'drops', 'Drip');
  await go(desdemona, `#narrow/channel/${other}-grotto/topic/drops`);
  await go(hamlet, `#narrow/channel/${other}-grotto/topic/drops`);
  await box(hamlet).fill('Drop');
  await main(desdemona).getByText('King Hamlet is typing').waitFor();
  await ask(desdemona, 'DELETE', `/streams/${other}`);
  await gone(main(desdemona).getByText('King Hamlet is typing'));
  // A browser that leaves before it was told still sends what it wrote to the channel.
  await main(hamlet).getByText('This channel is archived.').waitFor();
  for (const text of ['An answer', 'Drop', 'An answer']) {
    await go(hamlet, '#drafts');
    await main(hamlet).getByRole('button', { name: text, exact: true }).click();
    await eventually(async () => (await box(hamlet).inputValue()) === text);
  }
  await box(hamlet).fill('');
  await go(desdemona, '#inbox');
});

test('an administrator sees that a private channel cannot be read, and is not offered to join it', async () => {
  await ask(hamlet, 'POST', '/users/me/subscriptions', {
    subscriptions: [{ name: 'closet' }],
    principals: [await me(hamlet)],
    invite_only: true,
  });
  const id = (await ask(hamlet, 'GET', '/get_stream_id', { stream: 'closet' })).stream_id;
  await go(desdemona, `#narrow/channel/${id}-closet`);
  await main(desdemona).locator('#messages').getByText('You are not permitted to read this channel.').waitFor();
  await main(desdemona).getByText('You have not joined this channel.').waitFor();
  assert.equal(await main(desdemona).getByRole('button', { name: 'Join' }).count(), 0);
  await go(desdemona, '#inbox');
});

test('the sidebar shows which channels and topics are muted', async () => {
  const id = await create('bells', [hamlet]);
  await post(id, 'noon', 'Ding');
  await post(id, 'dusk', 'Dong');
  await ask(hamlet, 'POST', '/users/me/subscriptions/properties', {
    subscription_data: [{ stream_id: id, property: 'is_muted', value: true }],
  });
  await ask(hamlet, 'POST', '/user_topics', { stream_id: id, topic: 'dusk', visibility_policy: 2 });
  const views = hamlet.getByRole('navigation', { name: 'Views' });
  await views.getByRole('link', { name: 'bells muted 1 unread message' }).waitFor();
  await views.getByRole('button', { name: 'Show the topics of bells' }).click();
  const quiet = (name) => views.getByRole('link', { name }).evaluate((e) => e.classList.contains('muted'));
  await eventually(async () => (await quiet('noon')) && !(await quiet('dusk')));
});

test('a deleted message leaves the open dialog and the offline copy', async () => {
  await go(hamlet, '#narrow/channel/4-Venice/topic/plans');
  const id = await post('Venice', 'plans', 'A regretted sentence');
  await row(hamlet, 'A regretted sentence').waitFor();
  await ask(desdemona, 'PATCH', `/messages/${id}`, { content: 'A regretted sentence, edited' });
  await eventually(() => saved('A regretted sentence'));
  await row(hamlet, 'A regretted sentence').hover();
  await row(hamlet, 'A regretted sentence').getByRole('button', { name: 'More actions' }).click();
  await hamlet.getByRole('menuitem', { name: 'Show the edit history' }).click();
  await hamlet.getByRole('dialog').getByText('A regretted sentence').first().waitFor();
  await ask(desdemona, 'DELETE', `/messages/${id}`);
  await gone(row(hamlet, 'A regretted sentence'));
  await gone(hamlet.getByRole('dialog'));
  await eventually(async () => !(await saved('A regretted sentence')));
});

test('new messages below the visible part are counted from the first one on', async () => {
  const id = await create('tower', [hamlet]);
  for (let i = 1; i <= 30; i++) await post(id, 'stairs', `Step ${i}`);
  await go(hamlet, `#narrow/channel/${id}-tower/topic/stairs`);
  await row(hamlet, 'Step 30').waitFor();
  await hamlet.getByRole('group', { name: 'Messages' }).hover();
  const below = () => hamlet.locator('#messages').evaluate((e) => e.scrollHeight - e.scrollTop - e.clientHeight);
  await hamlet.mouse.wheel(0, 5000);
  await eventually(async () => (await below()) < 2); // what the wheel has begun would undo the next turn
  await hamlet.mouse.wheel(0, -120);
  await eventually(async () => (await below()) > 60);
  const pill = hamlet.getByRole('button', { name: /new messages?$/ });
  assert.equal(await pill.count(), 0);
  await post(id, 'stairs', 'One more step');
  await hamlet.getByRole('button', { name: '1 new message' }).waitFor();
  await post(id, 'stairs', 'And another');
  await hamlet.getByRole('button', { name: '2 new messages' }).waitFor();
  await pill.click();
  await gone(pill);
  await eventually(() => row(hamlet, 'And another').isVisible());
});

test('an archived channel has a banner instead of the composer, and is not counted', async () => {
  const id = await create('ruin', [hamlet]);
  await go(hamlet, '#inbox');
  const stone = await post(id, 'stones', 'They fall');
  await ask(desdemona, 'POST', `/messages/${stone}/reactions`, { emoji_name: 'tada' });
  await post(id, 'stones', '/poll How many?\nOne');
  await main(hamlet)
    .getByRole('link', { name: /stones/ })
    .waitFor();
  await ask(desdemona, 'DELETE', `/streams/${id}`);
  await gone(main(hamlet).getByRole('link', { name: /stones/ }));
  await go(hamlet, `#narrow/channel/${id}-ruin/topic/stones`);
  const fallen = row(hamlet, 'They fall');
  await fallen.waitFor();
  await main(hamlet).getByText('This channel is archived.').waitFor();
  assert.equal(await box(hamlet).count(), 0);
  // What the server would refuse is not offered.
  await fallen.hover();
  for (const name of ['Add a reaction', 'Quote']) assert.equal(await fallen.getByRole('button', { name }).count(), 0);
  assert.equal(await fallen.getByRole('button', { name: /^Party popper/ }).isDisabled(), true);
  const vote = row(hamlet, 'How many?').getByRole('button', { name: /Vote/ });
  assert.equal(await vote.isDisabled(), true);
  assert.equal(await row(hamlet, 'How many?').getByRole('textbox').count(), 0);
  await ask(desdemona, 'PATCH', `/streams/${id}`, { is_archived: false });
  await box(hamlet).waitFor();
  await fallen.getByRole('button', { name: 'Quote' }).waitFor();
  await vote.click();
  await row(hamlet, 'How many?').getByText('King Hamlet').last().waitFor();
});

test('shown messages follow renamed people, groups and channels, and playgrounds', async () => {
  const id = await create('stage', [hamlet]);
  const { group_id: group } = await ask(desdemona, 'POST', '/user_groups/create', {
    name: 'actors',
    description: '',
    members: [await me(desdemona)],
  });
  await post(id, 'play', 'See #**stage**, @_**Desdemona** and @_*actors*\n```python\nexit()\n```');
  await go(hamlet, `#narrow/channel/${id}-stage/topic/play`);
  const shown = row(hamlet, 'exit()');
  await shown.getByText('Desdemona', { exact: true }).last().waitFor();
  await ask(desdemona, 'PATCH', '/settings', { full_name: 'The Moor’s wife' });
  await shown.locator('.user-mention', { hasText: 'The Moor’s wife' }).waitFor();
  await ask(desdemona, 'PATCH', `/user_groups/${group}`, { name: 'players' });
  await shown.getByText('players').waitFor();
  await ask(desdemona, 'PATCH', `/streams/${id}`, { new_name: 'theatre' });
  await shown.getByRole('link', { name: '#theatre' }).waitFor();
  const { id: playground } = await ask(desdemona, 'POST', '/realm/playgrounds', {
    name: 'Try Python',
    pygments_language: 'Python',
    url_template: 'https://play.example.com/{code}',
  });
  await shown.getByRole('link', { name: /Try Python/ }).waitFor();
  await ask(desdemona, 'DELETE', `/realm/playgrounds/${playground}`);
  await gone(shown.getByRole('link', { name: /Try Python/ }));
  await ask(desdemona, 'PATCH', '/settings', { full_name: 'Desdemona' });
});

test('the people of an export follow names, and who leaves', async () => {
  await go(desdemona, '#organization/exports');
  const people = main(desdemona).getByRole('listitem').filter({ hasText: 'King Hamlet' });
  await people.waitFor();
  await ask(desdemona, 'PATCH', `/users/${await me(hamlet)}`, { full_name: 'Prince Hamlet' });
  await main(desdemona).getByRole('listitem').filter({ hasText: 'Prince Hamlet' }).waitFor();
  const zoe = main(desdemona).getByRole('listitem').filter({ hasText: 'Zoe' });
  await zoe.waitFor();
  const { user } = await ask(desdemona, 'GET', '/users/zoe@zulip.com');
  await ask(desdemona, 'DELETE', `/users/${user.user_id}`);
  await gone(zoe);
});

test('no page reported an error', () => assert.deepEqual(harness.problems, []));
