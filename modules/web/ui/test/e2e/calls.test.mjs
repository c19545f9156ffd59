// Video calls: links to a new room with the organization's provider, in the composer and in a conversation's header.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { box, call, eventually, go, row, Harness } from './harness.mjs';

const harness = new Harness();
let page;

before(async () => {
  await harness.start({
    modules: {
      realm: `{call_url: 'https://calls.example.com/{room}?by=chat'}`,
      calls: `{bigbluebutton_url: 'https://bbb.example.com/bigbluebutton/', bigbluebutton_secret: secret}`,
    },
  });
  page = await harness.open('desdemona@zulip.com');
  await go(page, '#narrow/channel/4-Venice/topic/calls');
  await box(page).waitFor();
});

after(() => harness.stop());

const start = () => page.getByRole('button', { name: 'Start a video call' });
const add = () => page.getByRole('button', { name: 'Add a video call' });
const set = (values) => call(page, 'PATCH', '/realm', values);

/** linked waits for a link in the compose box, and returns its URL. */
async function linked(server) {
  await eventually(async () => (await box(page).inputValue()).includes(server));
  const [, url] = /^\[Join the video call\]\(([^)]+)\) $/.exec(await box(page).inputValue());
  await box(page).fill('');
  return url;
}

test('calls have a room of their own at the chosen provider, and none if calls are off', async () => {
  await start().click();
  const first = await linked('https://meet.jit.si/');
  assert.match(first, /^https:\/\/meet\.jit\.si\/[a-z0-9]{16,}$/);
  await add().click();
  assert.notEqual(await linked('https://meet.jit.si/'), first);

  await set({ jitsi_server_url: 'https://jitsi.example.com/' });
  await eventually(async () => {
    await add().click();
    return (await linked('/')).startsWith('https://jitsi.example.com/');
  });

  await go(page, '#organization/messages');
  const provider = page.getByRole('combobox', { name: 'Video calls' });
  await provider.selectOption('calls.example.com');
  assert.equal(await page.getByText('GIF').count(), 0, 'there is no module for GIFs');
  await go(page, '#narrow/channel/4-Venice/topic/calls');
  let templated = '';
  await eventually(async () => {
    await start().click(); // until the page has been told of the other provider
    templated = await linked('/');
    return templated.startsWith('https://calls.example.com/');
  });
  assert.match(templated, /^https:\/\/calls\.example\.com\/[a-z0-9]{16,}\?by=chat$/);
  await add().click();
  await eventually(async () => (await box(page).inputValue()) !== '');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  // On a smaller screen, the header's button is in the menu.
  const { user_id: me } = await call(page, 'GET', '/users/me');
  for (const hash of ['#narrow/channel/4-Venice/topic/calls', `#narrow/dm/${me}`]) {
    await page.setViewportSize({ width: 1000, height: 800 });
    await go(page, hash);
    await start().waitFor({ state: 'hidden' });
    await page
      .locator('main header')
      .first()
      .getByRole('button', { name: /^Actions for/ })
      .click();
    await page.getByRole('menuitem', { name: 'Start a video call' }).click();
    await linked('https://calls.example.com/');
    await page.setViewportSize({ width: 1300, height: 850 });
    await start().waitFor();
  }
  await go(page, '#narrow/channel/4-Venice/topic/calls');
  await row(page, 'Join the video call').getByRole('link', { name: 'Join the video call' }).waitFor();

  await go(page, '#organization/messages');
  await provider.selectOption('BigBlueButton');
  await go(page, '#narrow/channel/4-Venice/topic/calls');
  let created = '';
  await eventually(async () => {
    await start().click(); // until the page has been told of the other provider
    created = await linked('/');
    return created.includes('/calls/bigbluebutton/join?bigbluebutton=');
  });
  await add().click();
  assert.notEqual(await linked('/calls/bigbluebutton/join?bigbluebutton='), created);

  await set({ video_chat_provider: 0 });
  await start().waitFor({ state: 'detached' });
  assert.equal(await add().count(), 0);
});
