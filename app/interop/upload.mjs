// Uploads a file with the unmodified npm package tus-js-client over a connection that is cut three times.
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import net from 'node:net';

const require = createRequire(process.env.INTEROP_NODE + '/');
const tus = require('tus-js-client');
const { INTEROP_SITE: realm, INTEROP_EMAIL: username, INTEROP_PASSWORD: password } = process.env;

const body = new URLSearchParams({ username, password });
const login = await fetch(`${realm}/api/v1/fetch_api_key`, { method: 'POST', body });
const { api_key } = await login.json();
const Authorization = 'Basic ' + Buffer.from(`${username}:${api_key}`).toString('base64');

// The client connects to the server through a proxy, which cuts the connection after each of these numbers of bytes.
const upstream = new URL(realm);
const cuts = [1 << 20, 2 << 20, 3 << 20];
let cut = 0;
const wire = net.createServer((near) => {
  const far = net.connect(Number(upstream.port), upstream.hostname);
  let carried = 0;
  near.on('data', (chunk) => {
    carried += chunk.length;
    if (cuts.length > 0 && carried > cuts[0]) {
      cuts.shift();
      cut++;
      near.destroy();
      far.end();
      return;
    }
    if (!far.write(chunk)) {
      near.pause();
      far.once('drain', () => near.resume());
    }
  });
  far.pipe(near);
  for (const [a, b] of [[near, far], [far, near]]) {
    a.on('error', () => b.destroy());
    a.on('close', () => b.end());
  }
});
await new Promise((ready) => wire.listen(0, '127.0.0.1', ready));
const through = `http://127.0.0.1:${wire.address().port}`;

const content = randomBytes(12 << 20);
const answer = await new Promise((done, failed) => {
  let last;
  new tus.Upload(content, {
    endpoint: `${through}/api/v1/tus/`,
    headers: { Authorization },
    metadata: { filename: 'große Datei.bin', filetype: 'application/octet-stream' },
    retryDelays: [0, 200, 500, 1000, 2000, 4000],
    onAfterResponse: (_, res) => { last = res; },
    onError: failed,
    onSuccess: () => done(JSON.parse(last.getBody())),
  }).start();
});
wire.close();
assert.equal(cut, 3, 'the connection was cut three times');
assert.equal(answer.filename, 'große Datei.bin');
const got = Buffer.from(await (await fetch(realm + answer.url, { headers: { Authorization } })).arrayBuffer());
const sum = (b) => createHash('sha256').update(b).digest('hex');
assert.equal(sum(got), sum(content), 'the bytes are the same');
console.log(`tus-js-client: ${content.length} bytes after ${cut} cuts`);
