// Two people with phones, from the invitation to the first photo. They only tap, swipe, type and go back.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { box, eventually, login, password, Harness } from './harness.mjs';
import { picture } from './picture.mjs';

const harness = new Harness();
const phone = {
  viewport: { width: 390, height: 844 },
  userAgent: 'Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile',
  deviceScaleFactor: 2,
  hasTouch: true,
  isMobile: true,
  locale: 'en-GB',
  permissions: ['clipboard-read', 'clipboard-write'],
};

/** shots is a folder for pictures of each step, to be looked at. */
const shots = process.env.SHOTS;
let taken = 0;

async function look(page, name) {
  if (shots) await page.screenshot({ path: `${shots}/${String(++taken).padStart(2, '0')} ${name}.png` });
  const outside = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(outside <= 0, `${name} is ${outside} px too wide`);
}

const tap = (page, role, name) => page.getByRole(role, { name }).first().tap();

/** hold presses a message for long. */
async function hold(page, message) {
  const { x, y, width, height } = await message.boundingBox();
  const client = await page.context().newCDPSession(page);
  const touchPoints = [{ x: x + width - 30, y: y + height / 2 }];
  await client.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints });
  await page.getByRole('dialog').waitFor();
  await client.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
}

before(() => harness.start());

after(() => harness.stop());

test('an administrator invites by link, and a newcomer sends a photo', async () => {
  harness.server.setPassword('iago@zulip.com');
  const [iago, ada] = await Promise.all([1, 2].map(async () => harness.tab(await harness.browser.newContext(phone))));
  await iago.goto(`${harness.server.url}/login/`);
  await look(iago, 'logging in');
  await login(iago, 'iago@zulip.com');
  await iago.getByRole('heading', { name: 'Inbox' }).waitFor();
  await look(iago, 'inbox');
  await tap(iago, 'button', 'Menu');
  const views = iago.getByRole('navigation', { name: 'Views' });
  await views.getByRole('button', { name: 'Menu' }).tap();
  await look(iago, 'menu');
  await tap(iago, 'menuitem', 'Invite people');
  await tap(iago, 'button', 'Create an invitation link');
  const link = iago.getByRole('dialog').getByRole('textbox', { name: 'Invitation link' });
  await eventually(async () => /\/join\//.test(await link.inputValue()));
  await look(iago, 'invitation');
  await iago.getByRole('dialog').getByRole('button', { name: 'Copy', exact: true }).first().tap();
  const copied = await iago.evaluate(() => navigator.clipboard.readText());
  assert.equal(copied, await link.inputValue());
  await iago.goBack();
  await iago.getByRole('dialog').waitFor({ state: 'detached' });
  await iago.goBack();
  await views.waitFor({ state: 'hidden' });

  await ada.goto(copied);
  await look(ada, 'joining');
  await ada.getByLabel('Email address').fill('ada@example.com');
  await ada.getByLabel('Full name').fill('Ada');
  await ada.getByLabel('Password').fill(password);
  await look(ada, 'joining, filled in');
  await ada.getByRole('button', { name: /^Join/ }).tap();
  await ada.getByText('Welcome, Ada!').waitFor();
  await look(ada, 'greeting');
  await tap(ada, 'button', 'Menu');
  const own = ada.getByRole('navigation', { name: 'Views' });
  await own
    .getByRole('link', { name: /^Denmark|^Venice|^general/ })
    .first()
    .waitFor();
  await look(ada, 'channels');
  await own
    .getByRole('link', { name: /^Denmark|^Venice|^general/ })
    .first()
    .tap();
  await own.waitFor({ state: 'hidden' });
  await look(ada, 'channel');
  await ada.getByRole('combobox', { name: 'Topic' }).fill('sunset');
  await box(ada).tap();
  await ada.getByRole('form').getByRole('button', { name: 'More actions' }).tap();
  await look(ada, 'more actions');
  let camera;
  ada.on('filechooser', (opened) => (camera = opened));
  await tap(ada, 'menuitem', 'Take a photo');
  await eventually(() => camera !== undefined);
  assert.equal(await camera.element().getAttribute('capture'), 'environment');
  await camera.setFiles(picture);
  await ada.getByRole('list', { name: 'Attached files' }).locator('img').first().waitFor();
  await eventually(async () => /user_uploads/.test(await box(ada).inputValue()));
  await look(ada, 'photo');
  await tap(ada, 'button', 'Send');
  const sent = ada.locator('article[data-message] .message_inline_image img');
  await sent.waitFor();
  await eventually(() => sent.evaluate((i) => i.complete && i.naturalWidth > 0));
  await look(ada, 'photo sent');

  await iago
    .getByRole('main')
    .getByRole('link', { name: /^sunset/ })
    .tap();
  const received = iago.locator('article[data-message] .message_inline_image img');
  await received.waitFor();
  await eventually(() => received.evaluate((i) => i.complete && i.naturalWidth > 0));
  await look(iago, 'photo received');
  const address = iago.url();
  await received.tap();
  await iago.getByRole('dialog').getByRole('img').first().waitFor();
  await look(iago, 'viewer');
  await iago.goBack();
  await iago.getByRole('dialog').waitFor({ state: 'detached' });
  assert.equal(iago.url(), address);
  const photo = iago.locator('article[data-message]').filter({ has: iago.locator('.message_inline_image') });
  await hold(iago, photo);
  await look(iago, 'actions');
  await iago
    .getByRole('dialog')
    .getByRole('button', { name: /^thumbs up$/i })
    .tap();
  await photo.getByRole('button', { name: /^Thumbs up, 1 person/ }).waitFor();
  await ada
    .getByRole('article')
    .getByRole('button', { name: /^Thumbs up, 1 person: Iago/ })
    .waitFor();
  await look(ada, 'reaction');
  await iago.goBack();
  await iago.getByRole('heading', { name: 'Inbox' }).waitFor();
  await look(iago, 'back');
});
