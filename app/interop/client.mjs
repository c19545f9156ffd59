// The scenario of app/interop/README.md with the unmodified npm package zulip-js.
import assert from 'node:assert/strict';
import { createReadStream, mkdtempSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const require = createRequire(process.env.INTEROP_NODE + '/');
const zulip = require('zulip-js');
const { INTEROP_SITE: realm, INTEROP_EMAIL: username, INTEROP_PASSWORD: password } = process.env;
const otherId = process.env.INTEROP_OTHER_ID;

const ok = (answer, what) => {
  assert.equal(answer.result, 'success', `${what}: ${JSON.stringify(answer)}`);
  return answer;
};

const client = await zulip({ username, password, realm });
const me = ok(await client.users.me.getProfile(), 'who am I');
assert.equal(me.email, username);

const event_types = [
  'message', 'subscription', 'stream', 'update_message_flags', 'update_message', 'delete_message', 'reaction',
];
const queue = ok(await client.queues.register({ event_types }), 'register');
let last = queue.last_event_id;
const seen = [];
const until = async (wanted, what) => {
  for (let i = 0; i < 20; i++) {
    const found = seen.find(wanted);
    if (found) return found;
    const poll = { queue_id: queue.queue_id, last_event_id: last };
    const answer = ok(await client.events.retrieve(poll), `poll for ${what}`);
    for (const e of answer.events) {
      assert.ok(e.id > last, `event ids rise: ${e.id} after ${last}`);
      last = e.id;
      seen.push(e);
    }
  }
  assert.fail(`${what} never came; came: ${JSON.stringify(seen)}`);
};

const name = 'javascript';
const subscriptions = JSON.stringify([{ name, description: 'From JavaScript' }]);
const subscribed = ok(await client.users.me.subscriptions.add({ subscriptions }), 'subscribe');
assert.deepEqual(subscribed.subscribed[String(me.user_id)], [name]);
await until((e) => e.type === 'subscription' && e.op === 'add' && e.subscriptions[0].name === name, 'the subscription');
const { stream_id } = ok(await client.streams.getStreamId(name), 'channel id');

const send = async (message, what) => ok(await client.messages.send(message), what);
const toChannel = await send(
  { type: 'stream', to: name, subject: 'greetings', content: 'Hello **channel** :smile:' },
  'send to a channel',
);
const toPerson = await send({ type: 'direct', to: [Number(otherId)], content: 'Hello person' }, 'send to a person');
const got = (await until((e) => e.type === 'message' && e.message.id === toChannel.id, 'the channel message')).message;
assert.equal(got.stream_id, stream_id);
assert.equal(got.subject, 'greetings');
assert.equal(got.display_recipient, name);
const dm = (await until((e) => e.type === 'message' && e.message.id === toPerson.id, 'the direct message')).message;
assert.deepEqual(dm.display_recipient.map((p) => p.id).sort(), [me.user_id, Number(otherId)].sort());

const narrow = [{ operator: 'channel', operand: name }];
const newest = { anchor: 'newest', num_before: 10, num_after: 0, narrow };
const fetched = ok(await client.messages.retrieve(newest), 'fetch');
const mine = fetched.messages.find((m) => m.id === toChannel.id);
assert.match(mine.content, /<strong>channel<\/strong>/);
const one = ok(await client.messages.getById({ message_id: toPerson.id }), 'fetch one');
assert.equal(one.raw_content, 'Hello person');

ok(await client.messages.flags.add({ flag: 'read', messages: [toChannel.id, toPerson.id] }), 'mark as read');
const flags = await until((e) => e.type === 'update_message_flags' && e.flag === 'read', 'the flag event');
assert.equal(flags.op, 'add');
assert.ok(flags.messages.includes(toChannel.id));
const read = ok(await client.messages.getById({ message_id: toChannel.id }), 'fetch after reading');
assert.ok(read.message.flags.includes('read'));

ok(await client.reactions.add({ message_id: toChannel.id, emoji_name: 'octopus' }), 'react');
await until((e) => e.type === 'reaction' && e.op === 'add' && e.emoji_code === '1f419', 'the reaction');
const change = {
  message_id: toChannel.id, content: 'Hello *again*', topic: 'farewells', propagate_mode: 'change_all',
};
ok(await client.messages.update(change), 'edit');
const edited = await until((e) => e.type === 'update_message' && e.message_id === toChannel.id, 'the edit');
assert.deepEqual([edited.subject, edited.orig_subject, edited.content], ['farewells', 'greetings', 'Hello *again*']);
const history = ok(await client.messages.getHistoryById({ message_id: toChannel.id }), 'history');
assert.deepEqual(history.message_history.map((h) => h.content), ['Hello **channel** :smile:', 'Hello *again*']);
ok(await client.messages.deleteById({ message_id: toChannel.id }), 'delete');
await until((e) => e.type === 'delete_message' && e.message_id === toChannel.id, 'the deletion');

// A file is uploaded and sent to another user, who downloads it. Before that, it does not exist for that user.
const bytes = Buffer.alloc(1 << 20, 'stoa');
const file = join(mkdtempSync(join(tmpdir(), 'interop-')), 'file.bin');
writeFileSync(file, bytes);
const { uri } = ok(await client.callEndpoint('/user_uploads', 'POST', { file: createReadStream(file) }), 'upload');
const other = await zulip({ username: 'other@example.com', password, realm });
const authorization = 'Basic ' + Buffer.from(`other@example.com:${other.config.apiKey}`).toString('base64');
const download = (path) => fetch(realm + path, { headers: { authorization } });
const [hidden, missing] = [await download(uri), await download(`${uri}x`)];
assert.deepEqual([hidden.status, await hidden.text()], [404, await missing.text()]);
const to = JSON.stringify([Number(otherId)]);
await send({ type: 'private', to, content: `[file](${uri})` }, 'send a file');
assert.deepEqual(Buffer.from(await (await download(uri)).arrayBuffer()), bytes);

ok(await client.queues.deregister({ queue_id: queue.queue_id }), 'deregister');
const gone = await client.events.retrieve({ queue_id: queue.queue_id, last_event_id: last });
assert.equal(gone.code, 'BAD_EVENT_QUEUE_ID');
console.log('zulip-js: passed');
