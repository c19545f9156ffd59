// Push notifications. The test replaces the browser's push subscription and dispatches push events to the service
// worker itself.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eventually, go, Harness } from './harness.mjs';

const harness = new Harness();
let page;

before(async () => {
  await harness.start({ wholeBrowser: true });
  page = await harness.open('desdemona@zulip.com');
  await page.context().grantPermissions(['notifications'], { origin: harness.server.url });
});

after(() => harness.stop());

test('a browser registers, shows a push notification and opens its message', async () => {
  const requests = [];
  await page.route('**/json/web_push/key', (route) =>
    route.fulfill({ json: { result: 'success', msg: '', public_key: 'BKey' } }),
  );
  await page.route(/\/json\/(web_push\/register|remove_client_device)/, (route) => {
    requests.push(Object.fromEntries(new URLSearchParams(route.request().postData())));
    return route.fulfill({ json: { result: 'success', msg: '', device_id: 7 } });
  });
  await page.evaluate(() => {
    PushManager.prototype.subscribe = async ({ applicationServerKey }) => ({
      toJSON: () => ({ endpoint: 'https://push.example.com/1', key: applicationServerKey }),
    });
  });
  await go(page, '#settings/notifications');
  const box = page.getByLabel('Notify me on this device');
  await box.click();
  await eventually(() => requests.length === 1);
  assert.deepEqual(JSON.parse(requests[0].subscription), { endpoint: 'https://push.example.com/1', key: 'BKey' });

  await page.evaluate(async () => void (await navigator.serviceWorker.ready)); // others cannot show notifications
  const [worker] = page.context().serviceWorkers();
  await worker.evaluate(async () => {
    const data = {
      type: 'message',
      message_id: 1,
      sender_full_name: 'Iago <b>',
      channel_id: 4,
      channel_name: 'Venice',
      topic: '✔ the 50% duke',
      content: 'Are you there?',
    };
    const e = new ExtendableEvent('push');
    e.data = { json: () => data };
    globalThis.dispatchEvent(e);
  });
  const shown = () =>
    worker.evaluate(async () =>
      (await globalThis.registration.getNotifications()).map((n) => `${n.title}: ${n.body} ${n.data}`),
    );
  await eventually(async () => (await shown()).length === 1);
  const hash = '#narrow/channel/4/topic/.E2.9C.94.20the.2050.25.20duke/near/1';
  assert.deepEqual(await shown(), [`Iago <b> – #Venice › the 50% duke: Are you there? ${hash}`]);
  await worker.evaluate(async () => {
    const [notification] = await globalThis.registration.getNotifications();
    globalThis.dispatchEvent(new NotificationEvent('notificationclick', { notification }));
  });
  await page.getByRole('heading', { name: 'the 50% duke' }).waitFor();

  await go(page, '#settings/notifications');
  await box.click();
  await eventually(() => requests.length === 2);
  assert.equal(requests[1].device_id, '7');
});
