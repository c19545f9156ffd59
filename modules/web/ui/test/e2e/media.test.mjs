// Files, pictures, recordings and code: as they are written, and as messages show them.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { film, notes, recordVideo, sendTo, sound, upload } from './files.mjs';
import { picture } from './picture.mjs';
import { box, call, eventually, go, row, sendMessage, Harness } from './harness.mjs';

const harness = new Harness();
const topic = (name) => `#narrow/channel/4-Venice/topic/${name}`;
let page;

before(async () => {
  await harness.start({
    args: ['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream'],
  });
  page = await harness.open('desdemona@zulip.com');
});

after(() => harness.stop());

/** open opens a topic of Venice. */
async function open(name) {
  await go(page, topic(name));
  await page.getByRole('combobox', { name: new RegExp(name) }).waitFor();
}

const form = () => page.getByRole('form', { name: 'Write a message' });
const cards = (within = form()) => within.getByRole('list', { name: 'Attached files' }).getByRole('listitem');
const chosen = (within = form()) => within.locator('input[type=file]:not([capture])');

test('files are cards while they are written about, and follow the text', async () => {
  await open('cards');
  await chosen().setInputFiles([picture, notes]);
  await eventually(async () => /sunset.png\]\(\/user.*notes.txt\]\(\/user/s.test(await box(page).inputValue()));
  await cards().filter({ hasText: 'notes.txt' }).getByText('5 bytes').waitFor();
  const thumbnail = cards().filter({ hasText: 'sunset.png' }).locator('img');
  await eventually(() => thumbnail.evaluate((img) => img.naturalWidth > 0));
  await cards().getByRole('button', { name: 'Remove notes.txt' }).click();
  await eventually(async () => !(await box(page).inputValue()).includes('notes'));
  await box(page).fill('Nothing');
  await eventually(async () => (await cards().count()) === 0);

  // Another device has the same draft, and thumbnails of the server.
  await box(page).fill('');
  await chosen().setInputFiles(picture);
  await eventually(async () => /\(\/user_uploads/.test(await box(page).inputValue()));
  await page.reload();
  await eventually(() => thumbnail.evaluate((img) => img.naturalWidth > 0));
  await box(page).fill('');
});

test('an upload goes on in another conversation, and is cancelled with its card or its text', async () => {
  await open('slow');
  let answer;
  const held = new Promise((resolve) => (answer = resolve));
  await page.route('**/api/v1/tus/', async (route) => {
    await held;
    await route.continue();
  });
  await chosen().setInputFiles(notes);
  const cancel = form().getByRole('button', { name: 'Cancel the upload of notes.txt' });
  await cancel.waitFor();
  assert.ok(await form().getByRole('button', { name: 'Send', exact: true }).isDisabled());
  await open('elsewhere');
  assert.equal(await cards().count(), 0);
  await open('slow');
  await form().getByRole('progressbar', { name: 'Upload of notes.txt' }).waitFor();
  await cancel.click();
  await eventually(async () => (await box(page).inputValue()) === '');
  await chosen().setInputFiles(notes);
  await cancel.waitFor();
  await box(page).fill('without');
  await cancel.waitFor({ state: 'detached' });
  await box(page).fill('');
  await chosen().setInputFiles(notes);
  await cancel.waitFor();
  await open('elsewhere');
  answer();
  await page.waitForResponse((r) => r.url().includes('/tus/') && r.ok());
  await open('slow');
  await eventually(async () => /^\[notes.txt\]\(\/user_uploads/.test(await box(page).inputValue()));
  await page.unroute('**/api/v1/tus/');
  await box(page).fill('');
});

test('a voice message is recorded, heard, sent and played in place', async () => {
  await open('voice');
  const record = form().getByRole('button', { name: 'Record a voice message' });
  const button = (name) => form().getByRole('button', { name, exact: true });
  await record.click();
  await form().getByText('Recording', { exact: true }).waitFor();
  await form().getByRole('timer').getByText('0:01').waitFor();
  await button('Pause').click();
  await form().getByText('Paused').waitFor();
  await button('Continue').click();
  await button('Stop').click();
  const player = form().locator('audio');
  await eventually(() => player.evaluate((a) => a.duration > 0.5 && a.duration < 60));
  await button('Discard').click();
  await player.waitFor({ state: 'detached' });

  await record.click();
  await form().getByRole('timer').getByText('0:01').waitFor();
  await button('Stop').click();
  await button('Send recording').click();
  const sent = page.locator('article[data-message] audio').last();
  await eventually(() => sent.evaluate((a) => a.controls && a.duration > 0.5));
  const { messages } = await call(page, 'GET', '/messages', {
    anchor: 'newest',
    num_before: 1,
    num_after: 0,
    apply_markdown: false,
    narrow: [{ operator: 'topic', operand: 'voice' }],
  });
  assert.match(messages[0].content, /^!\[voice-\d+-\d+\.\w+\]\(\/user_uploads\/\S+\)$/);
  assert.equal(await box(page).inputValue(), '');
});

test('the page says why there can be no voice message', async () => {
  await open('voice');
  for (const [name, said] of [
    ['NotFoundError', /No microphone was found/],
    ['NotAllowedError', /does not allow this page to use the microphone/],
    ['NotReadableError', /Another program may be using it/],
  ]) {
    await page.evaluate((name) => {
      navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('', name));
    }, name);
    await form().getByRole('button', { name: 'Record a voice message' }).click();
    await form().getByRole('alert').getByText(said).waitFor();
    await form().getByRole('button', { name: 'Close' }).click();
  }
  await page.evaluate(() => delete globalThis.MediaRecorder);
  await form().getByRole('button', { name: 'Record a voice message' }).click();
  await form()
    .getByRole('alert')
    .getByText(/This browser cannot record here/)
    .waitFor();
  await form().getByRole('button', { name: 'Close' }).click();
  await page.reload();
});

test('a poll and a to-do list are filled in with the keyboard', async () => {
  await open('forms');
  const dialog = page.getByRole('dialog');
  const begin = async (name) => {
    await form().getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name }).click();
    await dialog.locator('input:focus').waitFor();
  };
  await box(page).fill('An unfinished text');
  await begin('Poll');
  await page.keyboard.type('Where to?');
  await dialog.getByRole('textbox', { name: 'Option 1' }).focus();
  for (const key of ['Rome', 'Enter', 'Paris', 'Enter', 'Oslo']) {
    if (key === 'Enter') await page.keyboard.press(key);
    else await page.keyboard.type(key);
  }
  await page.keyboard.press('Alt+ArrowUp');
  await dialog.getByText('Moved to position 2 of 3').waitFor();
  await dialog.getByRole('button', { name: 'Remove Option 1' }).click();
  await dialog.getByRole('button', { name: 'Send' }).click();
  const poll = page.getByRole('region', { name: 'Poll' });
  await poll.getByRole('heading', { name: 'Where to?' }).waitFor();
  assert.deepEqual(await poll.locator('bdi').allTextContents(), ['Oslo', 'Paris']);
  assert.equal(await box(page).inputValue(), 'An unfinished text');
  await box(page).fill('');

  await go(page, '#narrow/dm/10');
  await eventually(async () => !(await box(page).getAttribute('aria-label')).includes('forms'));
  await begin('To-do list');
  await page.keyboard.type('Packing');
  await dialog.getByRole('textbox', { name: 'Task 1', exact: true }).fill('Tent');
  await dialog.getByRole('textbox', { name: 'Description of task 1' }).fill('the green one');
  await dialog.getByRole('button', { name: 'Add a task' }).click();
  await page.keyboard.type('Rope');
  await dialog.getByRole('button', { name: 'Send' }).click();
  const list = page.getByRole('region', { name: 'To-do list' });
  await list.getByRole('heading', { name: 'Packing' }).waitFor();
  assert.deepEqual(await list.locator('bdi').allTextContents(), ['Tent', 'Rope']);
  await list.getByText('the green one').waitFor();
});

test('a message is edited with the tools of the composer, within the visible list', async () => {
  await open('editing');
  await sendMessage(page, 'Draft of a plan');
  await row(page, 'Draft of a plan').hover();
  await row(page, 'Draft of a plan').getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Edit', exact: true }).click();
  const edit = page.getByRole('form', { name: 'Edit' });
  const field = edit.getByRole('combobox', { name: 'Edit' });
  await eventually(async () => (await field.inputValue()) === 'Draft of a plan');
  const message = page.locator('article[data-message]', { has: field });
  assert.ok(await message.locator('.tools').isHidden());

  await field.press('ControlOrMeta+a');
  await edit.getByRole('button', { name: 'Bold' }).click();
  assert.equal(await field.inputValue(), '**Draft of a plan**');
  await field.press('End');
  await field.pressSequentially(' @ham');
  await page.getByRole('option', { name: /King Hamlet/ }).waitFor();
  await field.press('Enter');
  await edit.getByRole('button', { name: 'Preview' }).click();
  await edit.locator('.user-mention').waitFor();
  await edit.getByRole('button', { name: 'Preview' }).click();
  const transfer = await page.evaluateHandle(() => {
    const data = new DataTransfer();
    data.items.add(new File(['words'], 'notes.txt', { type: 'text/plain' }));
    return data;
  });
  await field.dispatchEvent('drop', { dataTransfer: transfer });
  await cards(edit).filter({ hasText: 'notes.txt' }).waitFor();
  assert.equal(await cards().count(), 0);
  await eventually(async () => /\(\/user_uploads/.test(await field.inputValue()));

  const text = `${await field.inputValue()}\n${'line\n'.repeat(60)}`;
  for (const [width, height] of [
    [1300, 850],
    [390, 740],
    [740, 390],
  ]) {
    await page.setViewportSize({ width, height });
    await field.fill(text);
    const within = () =>
      edit.evaluate((e) => {
        const [inner, outer] = [e.getBoundingClientRect(), e.closest('.scroll').getBoundingClientRect()];
        return inner.top >= outer.top - 1 && inner.bottom <= outer.bottom + 1;
      });
    await eventually(within);
  }
  await page.setViewportSize({ width: 1300, height: 850 });
  await edit.getByRole('button', { name: 'Save' }).click();
  await edit.waitFor({ state: 'detached' });
  await row(page, 'line')
    .getByRole('link', { name: /^notes.txt/ })
    .waitFor();
});

/** sent returns the cards of a message in a conversation. */
const sent = (text) => row(page, text).locator('.file-card');

test('a file is one card, with its type and size, wherever a message links to it', async () => {
  await open('shared');
  const heads = [];
  page.on('request', (r) => r.method() === 'HEAD' && heads.push(r.url()));
  const [text, photo] = [await upload(page, notes), await upload(page, picture)];
  const link = `[notes.txt](${text})`;
  await sendTo(page, 4, 'shared', `Read ${link}, and again ${link}\n[sunset.png](${photo})\n\n> ${link}`);
  const card = sent('Read').filter({ hasText: 'TXT' });
  await card.getByText('TXT · 5 bytes').waitFor();
  assert.equal(await card.count(), 1);
  // The sentence and the quotation keep their links, and the picture is not named twice.
  assert.equal(await row(page, 'Read').getByRole('link', { name: 'notes.txt', exact: true }).count(), 3);
  await sent('Read')
    .getByText(/^PNG · \d/)
    .waitFor();
  assert.equal(await row(page, 'Read').getByText('sunset.png', { exact: true }).count(), 1);
  const saved = page.waitForEvent('download');
  await card.getByRole('link', { name: 'Download notes.txt' }).click();
  assert.equal((await saved).suggestedFilename(), 'notes.txt');

  await sendTo(page, 4, 'shared', `Alone:\n[notes.txt](${text})\nand after it`);
  await sent('Alone').getByText('TXT · 5 bytes').waitFor();
  assert.equal(await row(page, 'Alone').locator('p > .file-card').count(), 1);
  assert.equal(await row(page, 'Alone').locator('p br').count(), 1); // before the card
  assert.deepEqual([...new Set(heads)].length, heads.length, 'a size was asked for twice');
  assert.equal(heads.length, 2);

  // The texts follow the language.
  await call(page, 'PATCH', '/settings', { default_language: 'de' });
  await sent('Alone').getByRole('link', { name: 'notes.txt herunterladen' }).waitFor();
  await sent('Alone').getByText('TXT · 5 Byte').waitFor();
  await call(page, 'PATCH', '/settings', { default_language: 'en' });
  await page.locator('html[lang=en]').waitFor();
});

test('the size of a file is asked for once its card is on the screen', async () => {
  const urls = [await upload(page, notes), await upload(page, { ...notes, name: 'gone.txt' })];
  await sendTo(page, 4, 'far', `[notes.txt](${urls[0]}) [gone.txt](${urls[1]})`);
  for (let i = 0; i < 50; i++) await sendTo(page, 4, 'far', `line ${i}`);
  const { attachments } = await call(page, 'GET', '/attachments');
  const gone = attachments.find((a) => a.name === 'gone.txt');
  assert.equal((await call(page, 'DELETE', `/attachments/${gone.id}`)).status, 200);
  harness.ignore(/status of 404/);
  const heads = [];
  page.on('request', (r) => r.method() === 'HEAD' && heads.push(r.url()));
  await open('far');
  await page.locator('.file-card', { hasText: 'TXT' }).first().waitFor({ state: 'attached' });
  await row(page, 'line 49').waitFor();
  assert.deepEqual(heads, []);
  await page.keyboard.press('Escape');
  await page.locator('#messages').focus();
  await page.keyboard.press('Home');
  const shown = page.locator('.file-card');
  await shown.getByText('TXT · 5 bytes').waitFor();
  await shown.getByText('TXT · No longer available').waitFor();
  assert.equal(heads.length, 2);
});

test('recordings and videos play in place, one at a time, and what cannot be played is a card', async () => {
  await open('players');
  const urls = { sound: await upload(page, sound), film: await upload(page, film) };
  const clip = await recordVideo(page, 'clip.webm');
  await sendTo(page, 4, 'players', `[waltz.wav](${urls.sound})\n[clip.webm](${clip})\n[film.mp4](${urls.film})`);
  const message = row(page, 'waltz.wav');
  const audio = message.locator('audio[aria-label="waltz.wav"]');
  const video = message.locator('video[aria-label="clip.webm"]');
  await eventually(() => audio.evaluate((a) => a.controls && a.preload === 'metadata' && a.duration === 1));
  await eventually(() => video.evaluate((v) => v.controls && v.preload === 'metadata' && v.videoWidth > 0));
  await message.getByRole('link', { name: /^film.mp4/ }).waitFor();
  await eventually(async () => (await message.locator('video').count()) === 1);

  // Keys on a player are the player's own.
  const selected = () => page.locator('article.selected').count();
  await audio.evaluate((a) => (a.loop = true));
  await audio.focus();
  await page.keyboard.press('Space');
  await eventually(() => audio.evaluate((a) => !a.paused));
  assert.equal(await selected(), 0);
  await video.evaluate((v) => (v.loop = true));
  await video.focus();
  await page.keyboard.press('Space');
  await eventually(() => video.evaluate((v) => !v.paused));
  await eventually(() => audio.evaluate((a) => a.paused));
  await video.evaluate((v) => v.pause());
});
