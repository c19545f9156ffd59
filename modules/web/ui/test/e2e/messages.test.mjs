// Message features: polls, scheduling, reminders, snippets, moving, history, readers, and invitations.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { box, call, eventually, go, row, sendMessage, Harness } from './harness.mjs';

const harness = new Harness();
let desdemona;
let iago;

before(async () => {
  await harness.start();
  desdemona = await harness.open('desdemona@zulip.com');
  iago = await harness.open('iago@zulip.com');
});

after(() => harness.stop());

const topic = (name) => `#narrow/channel/4-Venice/topic/${name}`;

async function more(page, text, action) {
  await row(page, text).last().hover();
  await row(page, text).last().getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: action, exact: true }).click();
}

test('users vote in a poll and complete tasks of a list', async () => {
  for (const page of [desdemona, iago]) await go(page, topic('polls'));
  await sendMessage(desdemona, '/poll Where to meet?\nThe bridge\nThe square');
  const poll = iago.getByRole('region', { name: 'Poll' });
  await poll.getByRole('button', { name: 'Vote: The square' }).click();
  await poll.getByRole('textbox', { name: 'Add an option' }).fill('The harbour');
  await poll.getByRole('textbox', { name: 'Add an option' }).press('Enter');
  const other = desdemona.getByRole('region', { name: 'Poll' });
  await other.getByText('The harbour').waitFor();
  assert.equal(await other.getByRole('button', { name: 'Vote: The square' }).innerText(), '1');
  await sendMessage(desdemona, '/todo Before the feast\nWine: red');
  await iago.getByRole('region', { name: 'To-do list' }).getByRole('checkbox').check();
  await eventually(() => desdemona.getByRole('region', { name: 'To-do list' }).getByRole('checkbox').isChecked());
});

test('a message is scheduled, rescheduled and canceled; a reminder is set', async () => {
  await box(desdemona).fill('Good morning');
  await desdemona
    .getByRole('form', { name: 'Write a message' })
    .getByRole('button', { name: 'More actions' })
    .click();
  await desdemona.getByRole('menuitem', { name: 'Send later' }).click();
  await desdemona.getByRole('button', { name: /In one hour/ }).click();
  await eventually(async () => (await box(desdemona).inputValue()) === '');
  await desdemona.getByRole('link', { name: /^Scheduled messages/ }).click();
  await desdemona.getByText('Good morning').waitFor();
  await desdemona.getByRole('button', { name: 'Discard' }).click();
  await desdemona.getByText('Nothing is scheduled.').waitFor();
  await go(desdemona, topic('polls'));
  await sendMessage(desdemona, 'Do not forget');
  await row(desdemona, 'Do not forget').waitFor();
  await more(desdemona, 'Do not forget', 'Remind me');
  await desdemona.getByLabel('Note').fill('the keys');
  await desdemona.getByRole('button', { name: /Tomorrow at 9:00/ }).click();
  await go(desdemona, '#reminders');
  await desdemona.getByText(/the keys/).waitFor();
});

test('a text is saved as a snippet and used again', async () => {
  await go(desdemona, topic('snippets'));
  await box(desdemona).fill('With kind regards');
  const form = desdemona.getByRole('form', { name: 'Write a message' });
  await form.getByRole('button', { name: 'More actions' }).click();
  await desdemona.getByRole('menuitem', { name: 'Snippets' }).click();
  await desdemona.getByLabel('Title of the snippet').fill('Regards');
  await desdemona.getByRole('button', { name: 'Save as a snippet' }).click();
  await desdemona.getByText('Regards', { exact: true }).waitFor();
  await desdemona.keyboard.press('Escape');
  await box(desdemona).fill('');
  await form.getByRole('button', { name: 'More actions' }).click();
  await desdemona.getByRole('menuitem', { name: 'Snippets' }).click();
  await desdemona.getByRole('button', { name: /^Regards/ }).click();
  await eventually(async () => (await box(desdemona).inputValue()) === 'With kind regards');
});

test('messages are moved, resolved and quoted; history and readers are shown', async () => {
  await go(desdemona, topic('before'));
  await sendMessage(desdemona, 'To be moved');
  await row(desdemona, 'To be moved').waitFor();
  await more(desdemona, 'To be moved', 'Move messages');
  await desdemona.getByRole('combobox', { name: 'New topic' }).fill('behind');
  await desdemona.getByRole('dialog').getByRole('button', { name: 'Move', exact: true }).click();
  await desdemona.getByRole('heading', { name: 'behind' }).waitFor();
  await row(desdemona, 'To be moved').getByText('(moved)').waitFor();
  await more(desdemona, 'To be moved', 'Show the edit history');
  await desdemona
    .getByRole('dialog')
    .getByText(/Moved from “before” to “behind”/)
    .waitFor();
  await desdemona.keyboard.press('Escape');
  await go(iago, topic('behind'));
  await row(iago, 'To be moved').waitFor();
  await eventually(async () => {
    await more(desdemona, 'To be moved', 'Show who has read it');
    const read = await desdemona.getByRole('dialog').getByText('Iago').count();
    if (read === 0) await desdemona.waitForTimeout(300);
    const again = await desdemona.getByRole('dialog').getByText('Iago').count();
    await desdemona.keyboard.press('Escape');
    return again > 0;
  });
  await row(iago, 'To be moved').hover();
  await row(iago, 'To be moved').getByRole('button', { name: 'Quote' }).click();
  await eventually(async () => /```quote\nTo be moved\n```/.test(await box(iago).inputValue()));
  await box(iago).press('Control+End');
  await box(iago).pressSequentially('Agreed');
  await box(iago).press('Control+Enter');
  await row(desdemona, 'Agreed').locator('blockquote', { hasText: 'To be moved' }).waitFor();
  await box(iago).fill('Still writing');
  await desdemona.getByRole('main').getByRole('button', { name: 'Actions for behind' }).click();
  await desdemona.getByRole('menuitem', { name: 'Mark as resolved' }).click();
  await row(iago, /marked this topic as resolved/).waitFor();
  assert.equal(await box(iago).inputValue(), 'Still writing');
  await box(iago).fill('');
});

test('an open search shows new matches', async () => {
  await desdemona.keyboard.press('Escape');
  await desdemona.keyboard.press('/');
  await desdemona.keyboard.type('sender:iago swordfish');
  await desdemona.keyboard.press('Enter');
  await desdemona.locator('#messages').getByText('No message matches this search.').waitFor();
  await go(iago, topic('fish'));
  await sendMessage(iago, 'Two swordfish, please');
  await sendMessage(iago, 'And some water');
  await row(desdemona, 'Two swordfish').waitFor();
  assert.equal(await row(desdemona, 'some water').count(), 0);
  const edit = async (text, content) => {
    const id = await row(iago, text).getAttribute('data-message');
    await call(iago, 'PATCH', `/messages/${id}`, { content });
  };
  await edit('Two swordfish', 'Three swordfish, please');
  await row(desdemona, 'Three swordfish').locator('.highlight').waitFor();
  await edit('Three swordfish', 'Nothing, thank you');
  await row(desdemona, 'Nothing, thank you').waitFor();
});

test('an invitation is created for a role and a group, listed and revoked; a status is set', async () => {
  const { group_id: sailors } = await call(desdemona, 'POST', '/user_groups/create', {
    name: 'sailors',
    description: '',
    members: [],
  });
  await desdemona.getByRole('navigation', { name: 'Views' }).getByRole('button', { name: 'Menu' }).click();
  await desdemona.getByRole('menuitem', { name: 'Invite people' }).click();
  const dialog = desdemona.getByRole('dialog');
  await dialog.getByLabel('They join as').selectOption('Guest');
  await dialog.getByRole('combobox', { name: 'Add them to groups' }).fill('sail');
  await dialog.getByRole('option', { name: 'sailors' }).click();
  const sent = desdemona.waitForRequest('**/json/invites/multiuse');
  await dialog.getByRole('button', { name: 'Create an invitation link' }).click();
  assert.equal(new URLSearchParams((await sent).postData()).get('group_ids'), `[${sailors}]`);
  await eventually(async () =>
    /\/join\//.test(await dialog.getByLabel('Invitation link', { exact: true }).inputValue()),
  );
  assert.equal((await call(desdemona, 'GET', '/invites')).invites[0].invited_as, 600);
  await dialog.getByRole('button', { name: 'Revoke' }).click();
  await desdemona.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click();
  await dialog.getByText('No open invitations.').waitFor();
  await desdemona.keyboard.press('Escape');
  await desdemona.getByRole('navigation', { name: 'Views' }).getByRole('button', { name: 'Menu' }).click();
  await desdemona.getByRole('menuitem', { name: 'Set a status' }).click();
  await desdemona.getByRole('textbox', { name: 'Set a status' }).fill('At the opera');
  await desdemona.getByRole('button', { name: 'Save' }).click();
  await iago.getByRole('complementary', { name: 'People' }).getByText('At the opera').waitFor();
});

test('leaving a private channel asks for confirmation', async () => {
  await go(desdemona, '#channels/all');
  const team = desdemona.getByRole('listitem').filter({ hasText: 'A private channel for the core team' });
  await team.getByRole('button', { name: 'Leave' }).click();
  await desdemona.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }).click();
  await team.getByText('Joined').waitFor();
});

test('what was seen in the moment before a tab closes is read', async () => {
  for (let n = 10; n < 50; n++) {
    const message = { type: 'channel', to: 4, topic: 'moment', content: `Message ${n}\n\nwith\n\nsome\n\nlines` };
    await call(iago, 'POST', '/messages', message);
  }
  await go(desdemona, '#inbox');
  const tab = await harness.tab(desdemona.context());
  await tab.goto(`${harness.server.url}/${topic('moment')}`);
  await row(tab, 'Message 10').waitFor();
  await tab.mouse.move(500, 300);
  await tab.mouse.wheel(0, 10);
  const seen = await tab.evaluate(async () => {
    const list = document.querySelector('#messages');
    const box = list.getBoundingClientRect();
    const frames = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    await new Promise((done) => setTimeout(done, 1000));
    for (let n = 0; n < 3; n++) {
      list.scrollTop += list.clientHeight / 2;
      await frames();
    }
    setTimeout(() => location.assign('about:blank'));
    const visible = ({ top, bottom }) => top >= box.top && bottom <= box.bottom;
    const rows = [...list.querySelectorAll('[data-message]')].filter((r) => visible(r.getBoundingClientRect()));
    return rows.map((r) => Number(r.dataset.message));
  });
  assert.ok(seen.length > 1);
  await tab.waitForURL('about:blank');
  for (const id of seen) {
    await eventually(async () => {
      const { message } = await call(desdemona, 'GET', `/messages/${id}`);
      return message.flags.includes('read');
    }, 5000);
  }
  await tab.close();
});
