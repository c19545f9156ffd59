// Maintenance: people read on, see why they cannot write, and keep what they have written.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { box, eventually, go, row, sendMessage, Harness } from './harness.mjs';

const harness = new Harness();
let desdemona;
let iago;

before(async () => {
  await harness.start();
  desdemona = await harness.open('desdemona@zulip.com');
  iago = await harness.open('iago@zulip.com');
  harness.ignore(/status of 503/);
});

after(() => harness.stop());

const topic = '#narrow/channel/4-Venice/topic/works';
const banner = (page) => page.getByText('The server is under maintenance.');
const reason = (page) => page.locator('p').filter({ has: page.locator('bdi'), hasText: 'Back at noon.' });

test('what is refused during maintenance stays in the compose box', async () => {
  await go(iago, topic);
  await go(desdemona, topic);
  await sendMessage(desdemona, 'Before the works');
  await row(iago, 'Before the works').waitFor();
  assert.equal(await banner(desdemona).count(), 0);
  harness.server.run('maintenance', 'on', '--message', 'Back at noon.');
  await sendMessage(desdemona, 'During the works');
  await banner(desdemona).waitFor();
  await reason(desdemona).waitFor();
  await eventually(async () => (await box(desdemona).inputValue()) === 'During the works');
  assert.equal(await desdemona.locator('article').filter({ hasText: 'During the works' }).count(), 0);
});

test('the page shows maintenance when it is loaded, in every tab', async () => {
  await desdemona.reload();
  await reason(desdemona).waitFor();
  assert.equal(await box(desdemona).inputValue(), 'During the works');
  const tab = await harness.tab(desdemona.context());
  await tab.goto(`${harness.server.url}/${topic}`);
  await reason(tab).waitFor();
  await row(tab, 'Before the works').waitFor();
  await tab.close();
});

test('after maintenance, the notice goes and the message can be sent', async () => {
  harness.server.run('maintenance', 'off');
  await banner(desdemona).waitFor({ state: 'detached' });
  assert.equal(await box(desdemona).inputValue(), 'During the works');
  await box(desdemona).press('Control+Enter');
  await row(iago, 'During the works').waitFor();
  await banner(iago).waitFor({ state: 'detached' });
});
