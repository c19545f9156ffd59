// Every way to begin a conversation, sending by each key and by a click, without a connection, and refused.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { box, call, eventually, go, row, Harness } from './harness.mjs';

const harness = new Harness();
let page;

before(async () => {
  await harness.start();
  page = await harness.open('desdemona@zulip.com');
});

after(() => harness.stop());

const heading = (name) => page.getByRole('heading', { name, exact: true, level: 1 });
const recipients = () => page.getByRole('combobox', { name: 'Add a person' });

const iago = async () => (await call(page, 'GET', '/users/iago@zulip.com')).user.user_id;

/** choose chooses Iago in the focused field for recipients. */
async function choose() {
  await recipients().pressSequentially('iag');
  await page.getByRole('option', { name: 'Iago' }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Remove Iago' }).waitFor();
  await page.keyboard.press('Enter'); // leads to the text
}

const ways = {
  'the button of the sidebar': async () => {
    await page.getByRole('button', { name: 'New direct message' }).click();
    await choose();
  },
  'the key x': async () => {
    await page.keyboard.press('x');
    await choose();
  },
  'the key c in a view without a compose box': async () => {
    await page.keyboard.press('c');
    await choose();
  },
  'the jump dialog': async () => {
    await page.keyboard.press('Control+k');
    await page.keyboard.type('Iago');
    await page.getByRole('option', { name: 'Iago' }).first().waitFor();
    await page.keyboard.press('Enter');
  },
  'the list of people': async () => {
    await page.getByRole('complementary', { name: 'People' }).getByRole('link', { name: /Iago/ }).click();
  },
  'a link': async () => {
    await go(page, `#narrow/dm/${await iago()}-dm`);
  },
  'the card of a person': async () => {
    await go(page, `#narrow/sender/${await iago()}`);
    await page.locator('article[data-message]').getByRole('button', { name: 'Iago', exact: true }).first().click();
    await page.getByRole('button', { name: 'Send a direct message' }).click();
  },
  'content shared by another app': async () => {
    await page.goto(`${harness.server.url}/?share_text=`);
    await page.goto(`${harness.server.url}/?share_text=Shared`);
    await page.getByRole('dialog').getByRole('combobox').fill('Iago');
    await page.keyboard.press('Enter');
    await eventually(async () => (await box(page).inputValue()) === 'Shared');
  },
  'a draft without a recipient': async () => {
    await page.keyboard.press('x');
    await box(page).fill('Begun without a recipient');
    await go(page, '#drafts');
    await page.getByText('Begun without a recipient').click();
    await recipients().focus();
    await choose();
  },
};

const senders = {
  'a click': () => page.getByRole('button', { name: 'Send', exact: true }).click(),
  'Ctrl+Enter': () => box(page).press('Control+Enter'),
  Enter: () => box(page).press('Enter'),
};

let sent = 0;
for (const [way, begin] of Object.entries(ways)) {
  test(`a direct conversation is begun by ${way}, and opens on sending`, async () => {
    for (const [key, send] of Object.entries(senders)) {
      await call(page, 'PATCH', '/settings', { enter_sends: key === 'Enter' });
      await go(page, '#inbox');
      await heading('Inbox').waitFor();
      await begin();
      await page.getByText(key === 'Enter' ? 'Enter' : 'Ctrl Enter', { exact: true }).waitFor();
      const text = `Sent by ${key} (${++sent})`;
      await box(page).fill(text);
      await send();
      await heading('Iago').waitFor();
      await row(page, text).waitFor();
      assert.equal(await box(page).inputValue(), '');
      await go(page, '#narrow/is/dm');
      assert.equal(await box(page).inputValue(), '', 'nothing is left in the box for new conversations');
    }
  });
}

test('a topic is begun by each key, and Enter in its name leads to the text', async () => {
  for (const [key, send] of Object.entries(senders)) {
    await call(page, 'PATCH', '/settings', { enter_sends: key === 'Enter' });
    await go(page, '#narrow/channel/4-Venice');
    await page.getByText(key === 'Enter' ? 'Enter' : 'Ctrl Enter', { exact: true }).waitFor();
    await box(page).fill(`Begun by ${key}`);
    await page.getByRole('combobox', { name: 'Topic' }).fill(`begun by ${key}`);
    await page.getByRole('combobox', { name: 'Topic' }).press('Enter');
    await send();
    await heading(`begun by ${key}`).waitFor();
    await row(page, `Begun by ${key}`).waitFor();
  }
  await call(page, 'PATCH', '/settings', { enter_sends: false });
});

/** begin starts a conversation with Iago and another person, whose messages were never loaded. */
async function begin(other, text) {
  await go(page, '#inbox');
  await page.keyboard.press('x');
  await choose();
  await recipients().pressSequentially(other.slice(0, 4));
  await page.getByRole('option', { name: other }).waitFor();
  await page.keyboard.press('Enter');
  await box(page).fill(text);
  await box(page).press('Control+Enter');
  await page.getByRole('heading', { name: new RegExp(`Iago.*${other}|${other}.*Iago`), level: 1 }).waitFor();
}

test('a conversation begun without a connection opens, and its message is sent later', async () => {
  harness.ignoreFailedRequests();
  await page.context().setOffline(true);
  await begin('Othello', 'Begun offline');
  await page.getByRole('article', { name: 'Waiting to be sent' }).getByText('Begun offline').waitFor();
  await page.context().setOffline(false);
  await row(page, 'Begun offline').waitFor();
  await page.getByText('Messages could not be loaded').waitFor({ state: 'detached' });
});

test('a refused first message keeps its text and recipients', async () => {
  harness.ignoreFailedRequests();
  const refused = { status: 400, json: { result: 'error', msg: 'Not today', code: 'BAD_REQUEST' } };
  await page.route('**/json/messages', (r) => (r.request().method() === 'POST' ? r.fulfill(refused) : r.continue()));
  await begin('Zoe', 'Refused at first');
  const failed = page.getByRole('article', { name: /^Not sent/ });
  await failed.getByText(/Not today/).waitFor();
  await box(page).fill('Written meanwhile');
  await failed.getByRole('button', { name: 'Edit' }).click();
  await failed.waitFor({ state: 'detached' });
  await eventually(async () => /Written meanwhile\n?Refused at first/.test(await box(page).inputValue()));
  await page.unroute('**/json/messages');
  await box(page).press('Control+Enter');
  await row(page, 'Refused at first').waitFor();
  await heading('Iago, Zoe').waitFor();
});

test("an input method's Enter neither sends nor chooses", async () => {
  await call(page, 'PATCH', '/settings', { enter_sends: true });
  await go(page, '#narrow/channel/4-Venice');
  await page.getByText('Enter', { exact: true }).waitFor();
  // Safari reports the Enter that ends a composition after compositionend.
  const press = (field) =>
    field.evaluate((e) => {
      e.dispatchEvent(new CompositionEvent('compositionend', { data: '寿司', bubbles: true }));
      const key = { key: 'Enter', code: 'Enter', keyCode: 229, bubbles: true, cancelable: true, composed: true };
      return e.dispatchEvent(new KeyboardEvent('keydown', key));
    });
  await box(page).fill('寿司');
  assert.equal(await press(box(page)), true, 'the key is left to the input method');
  assert.equal(await box(page).inputValue(), '寿司');
  await box(page).pressSequentially(' :sush');
  await page.getByRole('option', { name: ':sushi:' }).waitFor();
  await press(box(page));
  assert.equal(await box(page).inputValue(), '寿司 :sush');
  await box(page).fill('');
  await page.keyboard.press('Control+k');
  const jump = page.getByRole('dialog').getByRole('combobox');
  await jump.fill('Hamlet');
  await press(jump);
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'New direct message' }).click();
  await recipients().pressSequentially('iag');
  await page.getByRole('option', { name: 'Iago' }).waitFor();
  await press(recipients());
  assert.equal(await page.getByRole('button', { name: 'Remove Iago' }).count(), 0);
  await recipients().fill('');
  await call(page, 'PATCH', '/settings', { enter_sends: false });
});

test('direct messages shown while a conversation is begun stay unread until the user turns to them', async () => {
  const zoe = await harness.open('zoe@zulip.com');
  const { user_id: me } = await call(page, 'GET', '/users/me');
  await go(page, '#inbox');
  await call(zoe, 'POST', '/messages', { type: 'direct', to: [me], content: 'Not read yet' });
  await page.getByRole('button', { name: 'New direct message' }).click();
  const unread = page.locator('article.unread', { hasText: 'Not read yet' });
  await unread.waitFor();
  await choose();
  assert.equal(await unread.count(), 1);
  await row(page, 'Not read yet').hover();
  await page.mouse.wheel(0, -10);
  await unread.waitFor({ state: 'detached' });
});
