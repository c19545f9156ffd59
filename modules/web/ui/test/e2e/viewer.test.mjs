// The viewer of pictures and videos: paging through a conversation, zooming, and closing.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { film, named, recordVideo, sendTo, upload } from './files.mjs';
import { eventually, go, login, Harness } from './harness.mjs';

const harness = new Harness();
const place = '#narrow/channel/4-Venice/topic/album';
let page;
let phone;
let last;

const viewer = (p = page) => p.locator('dialog[open]');
const picture = (p = page) => viewer(p).getByRole('img');
const shows = (name, p = page) => p.getByRole('dialog', { name, exact: true }).waitFor();
const transform = (p = page) => picture(p).evaluate((e) => new DOMMatrix(getComputedStyle(e).transform).toJSON());
const scaled = (to, p = page) => eventually(async () => Math.abs((await transform(p)).a - to) < 0.01);
const link = (name, p = page) => p.locator('#messages').getByRole('link', { name, exact: true });

before(async () => {
  await harness.start();
  page = await harness.open('desdemona@zulip.com');
  const urls = {};
  for (const name of ['first.png', 'second.png', 'last.png']) urls[name] = await upload(page, named(name));
  const clip = await recordVideo(page, 'clip.webm');
  const broken = await upload(page, film);
  const send = (text) => sendTo(page, 4, 'album', text);
  await send(`[first.png](${urls['first.png']})`);
  await send(`\`\`\`spoiler Hidden\n[second.png](${urls['second.png']})\n\`\`\``);
  // More than one page of other messages.
  for (let i = 0; i < 65; i++) await send(`line ${i}`);
  await send(`![second.png](${urls['second.png']}) and [film.mp4](${broken})`);
  await send(`[clip.webm](${clip})`);
  last = await send(`[last.png](${urls['last.png']})`);
  // Thumbnails.
  await go(page, place);
  await eventually(async () => (await page.locator('#messages img.image-loading-placeholder').count()) === 0);
  const context = await harness.browser.newContext({
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
    locale: 'en-GB',
  });
  phone = await harness.tab(context);
  harness.server.setPassword('iago@zulip.com');
  await phone.goto(`${harness.server.url}/login/`);
  await login(phone, 'iago@zulip.com');
  await phone.getByRole('heading', { name: 'Inbox' }).waitFor();
});

after(() => harness.stop());

test('keys and buttons page through all pictures and videos of a conversation', async () => {
  await link('last.png').focus();
  await page.keyboard.press('Enter');
  await shows('last.png, 5 of 5');
  await page.keyboard.press('ArrowLeft');
  await shows('clip.webm, 4 of 5');
  await eventually(() =>
    viewer()
      .locator('video[controls]')
      .evaluate((v) => v.videoWidth > 0),
  );
  await page.keyboard.press('ArrowLeft');
  await shows('film.mp4, 3 of 5');
  await viewer().getByText('This could not be loaded.').waitFor();
  await page.keyboard.press('PageUp');
  await shows('second.png, 2 of 5');
  await viewer().getByRole('button', { name: 'Previous' }).click();
  await shows('first.png, 1 of 5');
  assert.equal(await viewer().getByRole('button', { name: 'Previous' }).getAttribute('aria-disabled'), 'true');
  await viewer().getByRole('status').first().getByText('first.png, 1 of 5').waitFor({ state: 'attached' });
  await page.keyboard.press('End');
  await shows('last.png, 5 of 5');
  await page.keyboard.press('Home');
  await shows('first.png, 1 of 5');
  await viewer().getByRole('button', { name: 'Next' }).click();
  await shows('second.png, 2 of 5');
  await eventually(() => picture().evaluate((e) => e.naturalWidth > 0));

  await page.keyboard.press('Escape');
  await viewer().waitFor({ state: 'detached' });
  await page.locator('a:focus[title="last.png"]').waitFor();

  // Pictures within a text, and those of other views.
  await page.getByRole('button', { name: 'second.png', exact: true }).focus();
  await page.keyboard.press('Enter');
  await shows('second.png, 2 of 5');
  await page.goBack();
  await viewer().waitFor({ state: 'detached' });
  await page.locator('img:focus').waitFor();
  await link(/^clip.webm/).click();
  await shows('clip.webm, 4 of 5');
  await viewer().getByRole('button', { name: 'Close' }).click();
});

test('a picture is enlarged and moved with keys, buttons and the mouse', async () => {
  await link('last.png').click();
  await shows('last.png, 5 of 5');
  await page.keyboard.press('+');
  await scaled(1.25);
  await viewer().getByRole('button', { name: 'Zoom in' }).click();
  await scaled(1.5625);
  await viewer().getByRole('status').first().getByText('Zoom 156%').waitFor({ state: 'attached' });
  await viewer()
    .getByRole('button', { name: /^Fit to the screen/ })
    .click();
  await scaled(1);

  const { x, y, width, height } = await viewer().locator('.stage').boundingBox();
  const [cx, cy] = [x + width / 2, y + height / 2];
  await page.mouse.dblclick(cx, cy);
  await scaled(2.5);
  await page.mouse.dblclick(cx, cy);
  await scaled(1);
  await page.mouse.move(cx, cy);
  for (let i = 0; i < 12; i++) await page.mouse.wheel(0, -100);
  await scaled(8);

  // The picture is now wider than the window on a small screen, and moves no further than to its edges.
  await page.setViewportSize({ width: 390, height: 600 });
  await page.keyboard.press('ArrowRight');
  await eventually(async () => (await transform()).e < -10);
  await shows('last.png, 5 of 5');
  for (let i = 0; i < 5; i++) await page.keyboard.press('ArrowLeft');
  const edge = async () => {
    const [inner, outer] = [await picture().boundingBox(), await viewer().locator('.stage').boundingBox()];
    return Math.abs(inner.x - outer.x) < 1;
  };
  await eventually(edge);
  await page.mouse.move(200, 300);
  await page.mouse.down();
  await page.mouse.move(150, 300, { steps: 3 });
  await page.mouse.up();
  await eventually(async () => !(await edge()));
  await page.keyboard.press('0');
  await scaled(1);
  await page.keyboard.press('ArrowLeft');
  await shows('clip.webm, 4 of 5');
  await page.keyboard.press('Escape');
  await viewer().waitFor({ state: 'detached' });
  await page.setViewportSize({ width: 1300, height: 850 });
});

test('fingers page by swiping, and enlarge by pinching and with a double tap', async () => {
  await go(phone, `${place}/near/${last}`);
  await eventually(async () => (await link('last.png', phone).count()) === 1); // its preview has replaced the text
  await link('last.png', phone).tap();
  await shows('last.png, 5 of 5', phone);
  const client = await phone.context().newCDPSession(phone);
  let timestamp = Date.now() / 1000; // of the fingers, not of this program
  const touch = (type, ...points) => {
    const touchPoints = points.map(([x, y], id) => ({ x, y, id }));
    return client.send('Input.dispatchTouchEvent', { type, touchPoints, timestamp: (timestamp += 0.02) });
  };
  const doubleTap = async () => {
    for (let i = 0; i < 2; i++) {
      await touch('touchStart', [195, 420]);
      await touch('touchEnd');
    }
    timestamp += 1;
  };
  const swipe = async (from, to) => {
    await touch('touchStart', [from, 400]);
    for (let i = 1; i <= 4; i++) await touch('touchMove', [from + ((to - from) * i) / 4, 404]);
    await touch('touchEnd');
  };
  await swipe(100, 250);
  await shows('clip.webm, 4 of 5', phone);
  await swipe(300, 100); // on the video
  await shows('last.png, 5 of 5', phone);

  await touch('touchStart', [190, 420]);
  await touch('touchStart', [190, 420], [200, 420]);
  for (const apart of [20, 30, 40]) await touch('touchMove', [190, 420], [190 + apart, 420]);
  await touch('touchEnd');
  await scaled(4, phone);
  await doubleTap();
  await scaled(1, phone);
  await doubleTap();
  await scaled(2.5, phone);
  await phone.goBack();
  await viewer(phone).waitFor({ state: 'detached' });
  assert.equal(await phone.evaluate(() => location.hash), `${place}/near/${last}`);
});
