// The table of keyboard shortcuts: what its keys do, and that the dialog lists them.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { box, call, eventually, go, row, Harness } from './harness.mjs';

const harness = new Harness();
let page;
let iago;
let venice;
let id;

before(async () => {
  await harness.start();
  page = await harness.open('desdemona@zulip.com');
  iago = await harness.open('iago@zulip.com');
  ({ stream_id: venice } = await call(iago, 'GET', '/get_stream_id', { stream: 'Venice' }));
  for (let i = 0; i < 40; i++) await send('canal', `Boat ${i}\n\nwith sails`);
  id = await send('canal', 'The last boat');
});

after(() => harness.stop());

async function send(topic, content) {
  return (await call(iago, 'POST', '/messages', { type: 'channel', to: [venice], topic, content })).id;
}

const selected = (page) => page.locator('article.selected');

async function open() {
  await go(page, '#inbox');
  await go(page, `#narrow/channel/${venice}-Venice/topic/canal/near/${id}`);
  await eventually(async () => (await selected(page).getAttribute('data-message')) === String(id));
  await box(page).blur();
}

const heading = (name) => page.getByRole('heading', { level: 1, name }).waitFor();

test('the dialog lists every key once', async () => {
  await page.keyboard.press('?');
  const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  const combinations = await dialog
    .locator('.keys')
    .evaluateAll((all) => all.map((k) => [...k.children].map((c) => c.textContent).join('+')));
  assert.ok(combinations.length > 45, `${combinations.length} keys`);
  assert.deepEqual(combinations, [...new Set(combinations)]);
  for (const k of ['Ctrl+K', 'Shift+N', 'PgDn', '␣', 'Shift+␣', '←', 'Esc', 'Ctrl+[', '<', 'I']) {
    assert.ok(combinations.includes(k), k);
  }
  await page.keyboard.press('Escape');
});

test('keys open views', async () => {
  for (const [key, name] of [
    ['t', 'Recent conversations'],
    ['a', 'Combined feed'],
    ['Shift+P', 'Direct messages'],
    ['Shift+I', 'Inbox'],
    ['*', 'Starred messages'],
    ['d', 'Drafts'],
  ]) {
    await page.keyboard.press(key);
    await heading(name);
  }
  await page.keyboard.press('q');
  await page.keyboard.type('ven');
  assert.equal(await page.getByRole('searchbox', { name: 'Filter your channels' }).inputValue(), 'ven');
  await page.keyboard.press('Tab');
  await page.keyboard.press('w');
  await page.keyboard.type('iag');
  assert.equal(await page.getByRole('searchbox', { name: 'Filter people' }).inputValue(), 'iag');
  await page.getByRole('searchbox', { name: 'Filter people' }).fill('');
  await page.keyboard.press('Tab');
  await page.keyboard.press('g');
  await page.getByRole('menuitem', { name: 'Set a status' }).waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Shift+Y');
  await page.getByRole('dialog', { name: 'Set a status' }).waitFor();
  await page.keyboard.press('Escape');
});

test('keys move within and between conversations', async () => {
  await open();
  await page.keyboard.press('k');
  await eventually(async () => /Boat 39/.test(await selected(page).textContent()));
  await page.keyboard.press('Home');
  await eventually(async () => Number(await selected(page).getAttribute('data-message')) < id - 39);
  await page.keyboard.press('Shift+G');
  await eventually(async () => (await selected(page).getAttribute('data-message')) === String(id));
  const top = () => page.locator('#messages').evaluate((e) => e.scrollTop);
  const before = await top();
  await page.keyboard.press('Shift+K');
  await eventually(async () => (await top()) < before - 100);
  await page.keyboard.press('Space');
  await eventually(async () => (await top()) > before - 100);
  await page.keyboard.press('s');
  await eventually(async () => !page.url().includes('/topic/') && (await selected(page).count()) === 1);
  await page.keyboard.press('z');
  await heading('canal');
  await page.keyboard.press('Shift+D');
  await eventually(async () => !(await page.title()).includes('Venice'));
  await page.keyboard.press('Shift+A');
  await heading('Venice');
  await call(page, 'POST', '/user_topics', { stream_id: venice, topic: 'followed one', visibility_policy: 3 });
  await send('unread one', 'First');
  await send('followed one', 'Second');
  // The messages may not have arrived yet.
  await eventually(async () => {
    await page.keyboard.press('Shift+N');
    const opened = page.getByRole('heading', { level: 1, name: 'followed one' }).waitFor({ timeout: 1000 });
    return opened.then(
      () => true,
      () => false,
    );
  });
});

test('keys act on the selected message', async () => {
  await open();
  await page.keyboard.press('+');
  await row(page, 'The last boat')
    .getByRole('button', { name: /^Thumbs up/, pressed: true })
    .waitFor();
  await page.keyboard.press('=');
  await row(page, 'The last boat')
    .getByRole('button', { name: /^Thumbs up/ })
    .waitFor({ state: 'detached' });
  for (const [key, name] of [
    ['u', 'Iago'],
    ['m', 'Move messages'],
    ['Shift+V', 'Read by'],
  ]) {
    await page.keyboard.press(key);
    await page.getByRole('dialog', { name }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name }).waitFor({ state: 'detached' });
  }
  await page.keyboard.press('i');
  await page.getByRole('menuitem', { name: 'Copy the link' }).waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press(':');
  await page.getByRole('combobox', { name: 'Search emoji' }).waitFor();
  await page.keyboard.press('Escape');
  const muted = async () =>
    (await call(page, 'POST', '/register', { fetch_event_types: ['user_topic'] })).user_topics.some(
      (t) => t.topic_name === 'canal' && t.visibility_policy === 1,
    );
  // The key acts on what the page knows, so the page must have heard of the first change before the second.
  const warning = page.getByRole('status').getByText(/^This topic is muted/);
  await box(page).fill('Who rows?');
  await box(page).blur();
  await page.keyboard.press('Shift+M');
  await warning.waitFor();
  assert.equal(await muted(), true);
  await page.keyboard.press('Shift+M');
  await warning.waitFor({ state: 'detached' });
  assert.equal(await muted(), false);
  await box(page).fill('');
});

test('keys write', async () => {
  await open();
  await page.keyboard.press('@');
  await eventually(async () => /^@\*\*Iago\|\d+\*\* $/.test(await box(page).inputValue()));
  await box(page).fill('');
  await box(page).blur();
  await open();
  await page.keyboard.press('Shift+R');
  await heading('Iago');
  await open();
  await page.keyboard.press('<');
  await page.getByRole('dialog').getByRole('combobox').fill('Desdemona');
  await page.keyboard.press('Enter');
  await heading('Notes to yourself');
  await eventually(async () => /```quote\nThe last boat/.test(await box(page).inputValue()));
  await box(page).fill('My own note');
  await page.keyboard.press('Control+Enter');
  await row(page, 'My own note').waitFor();
  await box(page).blur();
  await page.keyboard.press('ArrowLeft');
  await page.locator('article textarea').waitFor();
  await page.keyboard.press('Escape');
});

const focused = (page) => box(page).evaluate((b) => b === document.activeElement);

test('editing returns the focus to where it began, or to the message', async () => {
  await go(page, `#narrow/channel/${venice}-Venice/topic/canal`);
  await box(page).fill('Mine');
  await box(page).press('Control+Enter');
  await row(page, 'Mine').getByRole('button', { name: 'More actions' }).waitFor();
  const editor = page.getByRole('article').getByRole('combobox', { name: 'Edit' });
  for (const [content, key] of [
    ['Mine, dropped', 'Escape'],
    ['Mine, saved', 'Control+Enter'],
  ]) {
    await box(page).press('ArrowUp');
    await editor.fill(content);
    await editor.press(key);
    await editor.waitFor({ state: 'detached' });
    await eventually(() => focused(page));
  }
  await row(page, 'Mine, saved').hover();
  await row(page, 'Mine, saved').getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Edit', exact: true }).click();
  await editor.fill('Mine, unchanged');
  await page.getByRole('button', { name: 'Cancel' }).click();
  await eventually(async () => (await focusedMessage(page))?.includes('Mine, saved'));
});

const focusedMessage = (page) =>
  page.evaluate(() => document.activeElement.closest('article[data-message]')?.textContent);

test('the focus stays with a message when its editor closes, and passes to the next when it is deleted', async () => {
  const mine = [];
  for (let i = 0; i < 4; i++)
    mine.push(
      (await call(page, 'POST', '/messages', { type: 'channel', to: [venice], topic: 'own', content: `Own ${i}` }))
        .id,
    );
  await go(page, `#narrow/channel/${venice}-Venice/topic/own/near/${mine[1]}`);
  await row(page, 'Own 3').waitFor();
  await box(page).blur();
  const at = (text) => eventually(async () => (await focusedMessage(page))?.includes(text));
  for (const key of ['Escape', 'Control+Enter']) {
    await page.keyboard.press('e');
    await page.locator('article textarea').fill('Own 1, changed');
    await page.keyboard.press(key);
    await page.locator('article textarea').waitFor({ state: 'detached' });
    await at('Own 1');
  }
  // Position and size of the list are reported.
  const place = await row(page, 'Own 1').evaluate((e) => [e.ariaPosInSet, e.ariaSetSize, e.tabIndex].join());
  assert.equal(place, '2,4,0');
  assert.equal(await page.locator('article[tabindex="0"]').count(), 1);
  await page.keyboard.press('i');
  await page.getByRole('menuitem', { name: 'Delete' }).press('Enter');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).press('Enter');
  await row(page, 'Own 1').waitFor({ state: 'detached' });
  await at('Own 2');
  // Somebody else deletes the message that has the focus.
  await page.keyboard.press('j');
  await at('Own 3');
  await call(page, 'DELETE', `/messages/${mine[3]}`);
  await at('Own 2');
  await page.keyboard.press('k');
  await at('Own 0');
});

test('on a small screen, keys open the sidebar that they lead to', async () => {
  await page.setViewportSize({ width: 390, height: 780 });
  await open();
  await page.keyboard.press('q');
  await eventually(() => page.evaluate(() => document.activeElement.id === 'channel-filter'));
  assert.ok(await page.getByRole('searchbox', { name: 'Filter your channels' }).isVisible());
  await open();
  await page.keyboard.press('g');
  await eventually(() => page.evaluate(() => document.activeElement.role === 'menuitem'));
  await page.keyboard.press('Escape');
  await open();
  await page.keyboard.press('w');
  await page.getByRole('dialog').getByRole('combobox', { name: 'Jump to a conversation' }).waitFor();
  await page.keyboard.press('Escape');
  await page.setViewportSize({ width: 1300, height: 850 });
});

test('keys work on a keyboard without Latin letters and with Caps Lock', async () => {
  await go(page, '#inbox');
  await heading('Inbox');
  const type = (key, code) =>
    page.evaluate(
      ([key, code]) => document.body.dispatchEvent(new KeyboardEvent('keydown', { key, code, bubbles: true })),
      [key, code],
    );
  await type('е', 'KeyT');
  await heading('Recent conversations');
  await type('A', 'KeyA');
  await heading('Combined feed');
});
