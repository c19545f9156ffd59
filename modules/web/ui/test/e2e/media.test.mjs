// Files, pictures, recordings and code: as they are written, and as messages show them.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
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

test('the tools of a code block cover no code, on a desktop and on a phone', async () => {
  await call(page, 'POST', '/realm/playgrounds', {
    name: 'the playground',
    pygments_language: 'Python',
    url_template: 'https://example.com/{code}',
  });
  await open('code');
  await sendMessage(page, '```python\nshort\n```\n\n```\n' + 'long '.repeat(80) + '\n```');
  const sent = row(page, 'short');
  await sent.getByRole('button', { name: 'Copy' }).first().waitFor();
  for (const width of [1300, 390, 320]) {
    await page.setViewportSize({ width, height: 850 });
    const covered = await sent.locator('.codehilite').evaluateAll((blocks) =>
      blocks.flatMap((block) => {
        const code = block.querySelector('pre').getBoundingClientRect();
        return [...block.querySelectorAll('.code-tools > *')]
          .map((tool) => tool.getBoundingClientRect())
          .filter((r) => r.left < code.right && r.right > code.left && r.top < code.bottom && r.bottom > code.top)
          .map((r) => r.width);
      }),
    );
    assert.deepEqual(covered, [], `${width}`);
  }
  await page.setViewportSize({ width: 1300, height: 850 });
});

const form = () => page.getByRole('form', { name: 'Write a message' });
const cards = (within = form()) => within.getByRole('list', { name: 'Attached files' }).getByRole('listitem');
const notes = { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('words') };
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
  await row(page, 'line').getByRole('link', { name: 'notes.txt' }).waitFor();
});
