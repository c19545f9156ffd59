// Fills an organization with an example of everything that views can show.
import assert from 'node:assert/strict';
import { film, notes, sound, upload } from './files.mjs';
import { picture } from './picture.mjs';
import { call } from './harness.mjs';

const LONG_WORD = 'Donaudampfschifffahrtsgesellschaftskapitänsmützenband';

/** texts lists messages with every kind of markup. */
const texts = [
  'The **tide** is *high*, ~~low~~ `now`: see #**Venice>boats**, @**Iago**, @_**Zoe** and @*gondoliers*. :tada:',
  'It is dry: see #**Venice>✔ leaking gondola**',
  '```python\ndef answer():\n    return 6 * 7  # the question comes later\n```',
  '```spoiler What the ghost said\nRevenge.\n```',
  '| what | how many |\n|---|---|\n| gondolas with a name that is long enough for a phone | 12 |\n| oars | 24 |',
  '$$\\int_0^1 x^2\\,dx = \\frac13$$\nand <time:2026-12-24T18:00:00+01:00>',
  '> A quotation\n> of two lines\n\n1. one\n2. two\n   * nested',
  `https://example.com/${LONG_WORD}/${LONG_WORD} and ${LONG_WORD}`,
  'مرحبا بالعالم (hello)، كيف حالك؟',
  '/me waves',
  '/poll Where do we eat?\nAt the harbour\nAt the castle',
  '/todo Before we sail\nBread: for ten\nWater',
];

async function callOK(page, method, path, params) {
  const answer = await call(page, method, path, params);
  assert.equal(answer.result, 'success', `${method} ${path}: ${answer.msg}`);
  return answer;
}

/** send sends a message and returns its ID. */
const send = async (page, params) => (await callOK(page, 'POST', '/messages', params)).id;

/** seed fills the organization of two logged-in pages and returns the IDs of the objects created. */
export async function seed(owner, other) {
  const people = Object.fromEntries(
    (await call(owner, 'GET', '/users')).members.map((u) => [u.full_name, u.user_id]),
  );
  const channels = Object.fromEntries(
    (await call(owner, 'GET', '/streams', { include_all: true })).streams.map((s) => [s.name, s.stream_id]),
  );
  const me = people['Desdemona'];
  const create = (method, path, params) => callOK(owner, method, path, params);

  const { group_id: group } = await create('POST', '/user_groups/create', {
    name: 'gondoliers',
    description: 'Who rows on weekdays',
    members: [me, people['Iago'], people['Zoe']],
  });
  await create('POST', '/realm/playgrounds', {
    name: 'Try Python',
    pygments_language: 'Python',
    url_template: 'https://play.example.com/{code}',
  });
  await create('POST', '/realm/filters', {
    pattern: '#(?P<id>[0-9]+)',
    url_template: 'https://issues.example.com/{id}',
  });
  await create('POST', '/realm/domains', { domain: 'venice.example.com', allow_subdomains: true });
  const { channel_folder_id: folder } = await create('POST', '/channel_folders/create', {
    name: 'Cities',
    description: 'On the sea',
  });
  await create('PATCH', `/streams/${channels['Venice']}`, { folder_id: folder });
  const { user_id: bot } = await create('POST', '/bots', { full_name: 'Oracle', short_name: 'oracle', bot_type: 1 });
  await create('POST', '/saved_snippets', { title: 'Greeting', content: 'Good morning, Venice' });
  await create('POST', '/users/me/alert_words', { alert_words: ['flood'] });
  await create('POST', '/users/me/status', { status_text: 'on the water', emoji_name: 'boat' }).catch(
    () => undefined,
  );
  await create('POST', '/navigation_views', {
    fragment: 'narrow/channel/1-Denmark/topic/lunch',
    is_pinned: true,
    name: 'What to eat',
  });
  await owner.evaluate(
    async ([name, mimeType, bytes]) => {
      const body = new FormData();
      body.append('file', new File([new Uint8Array(bytes)], name, { type: mimeType }));
      const token = document.querySelector('meta[name="csrf-token"]').content;
      await fetch('/json/realm/emoji/sunset', { method: 'POST', body, headers: { 'X-CSRFToken': token } });
    },
    [picture.name, picture.mimeType, [...picture.buffer]],
  );
  const links = [];
  for (const file of [picture, notes, sound, film]) links.push(`[${file.name}](${await upload(owner, file)})`);

  const topic = { type: 'channel', to: channels['Venice'], topic: 'gondolas' };
  const ids = [];
  for (const content of texts) ids.push(await send(ids.length % 3 === 2 ? owner : other, { ...topic, content }));
  const [photo, ...others] = links;
  for (const content of [`Here: ${others[0]}\n${others.slice(1).join('\n')}`, photo])
    ids.push(await send(owner, { ...topic, content }));
  const own = await send(owner, { ...topic, content: 'Ready to **sail** at noon' });
  await create('PATCH', `/messages/${own}`, { content: 'Ready to **sail** at one' });
  for (const page of [owner, other]) {
    await callOK(page, 'POST', `/messages/${own}/reactions`, { emoji_name: 'tada' });
  }
  await callOK(other, 'POST', `/messages/${ids[0]}/reactions`, { emoji_name: 'sunset' });
  await create('POST', '/messages/flags', { messages: [own], op: 'add', flag: 'starred' });
  await send(other, {
    type: 'channel',
    to: channels['Denmark'],
    topic: 'lunch',
    content: 'Soup for @**Desdemona**?',
  });
  await send(other, { type: 'channel', to: channels['Verona'], topic: 'masked ball', content: 'Who brings masks?' });
  const resolved = { type: 'channel', to: channels['Venice'], topic: '✔ leaking gondola' };
  const dry = await send(other, { ...resolved, content: '@**Desdemona**, it is dry' });
  await create('POST', '/messages/flags', { messages: [dry], op: 'add', flag: 'starred' });
  const direct = await send(other, { type: 'direct', to: [me], content: 'Are you there?' });
  await send(other, { type: 'direct', to: [me, people['Zoe']], content: 'Lunch for three?' });
  await create('POST', '/user_topics', { stream_id: channels['Verona'], topic: 'lunch', visibility_policy: 1 });
  await create('POST', '/user_topics', { stream_id: channels['Verona'], topic: 'masked ball', visibility_policy: 3 });
  await create('POST', '/drafts', {
    drafts: [
      { type: 'stream', to: [channels['Rome']], topic: 'roads', content: 'All roads', timestamp: 1 },
      { type: 'stream', to: [channels['Venice']], topic: resolved.topic, content: 'Not a drop', timestamp: 2 },
    ],
  });
  const later = Math.floor(Date.now() / 1000) + 86_400;
  await create('POST', '/scheduled_messages', { ...topic, content: 'Wake up', scheduled_delivery_timestamp: later });
  await create('POST', '/scheduled_messages', { ...resolved, content: 'Dry?', scheduled_delivery_timestamp: later });
  await create('POST', '/reminders', { message_id: dry, scheduled_delivery_timestamp: later, note: '' });
  await create('POST', '/reminders', { message_id: own, scheduled_delivery_timestamp: later, note: 'Bring oars' });
  await callOK(other, 'POST', `/messages/${own}/report`, { report_type: 'other', description: 'Test' }).catch(
    () => undefined,
  );
  await create('PATCH', '/realm', { enable_spectator_access: true });
  await create('POST', '/users/me/subscriptions', {
    subscriptions: [{ name: 'lounge', description: 'Come in' }],
    is_web_public: true,
  });
  const { invite_link: invitation } = await create('POST', '/invites/multiuse', {});
  const lounge = (await call(owner, 'GET', '/get_stream_id', { stream: 'lounge' })).stream_id;
  await send(other, { type: 'channel', to: channels['Venice'], topic: 'boats', content: 'They float' });
  await send(owner, { type: 'channel', to: lounge, topic: 'welcome', content: 'Everybody may **read** this' });
  const created = async (name, page = owner) => {
    await callOK(page, 'POST', '/users/me/subscriptions', { subscriptions: [{ name }] });
    return (await call(page, 'GET', '/get_stream_id', { stream: name })).stream_id;
  };
  const archived = await created('attic');
  await send(owner, { type: 'channel', to: archived, topic: 'dust', content: 'Nobody comes here any more' });
  await create('DELETE', `/streams/${archived}`);
  const unjoined = await created('quay', other);
  await send(other, { type: 'channel', to: unjoined, topic: 'ships', content: 'The first ship' });
  const { user_id: deactivated } = await create('POST', '/users', {
    email: 'yorick@example.com',
    full_name: 'Yorick',
    password: 'alas, poor Yorick',
  });
  await create('DELETE', `/users/${deactivated}`);
  return {
    archived,
    deactivated,
    unjoined,
    direct,
    invitation,
    lounge,
    people,
    channels,
    group,
    folder,
    bot,
    own,
    image: ids.at(-1),
  };
}
