// The tools of messages and of code blocks cover no text.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { film, notes, sendTo, sound, upload } from './files.mjs';
import { covered } from './measure.mjs';
import { seed } from './seed.mjs';
import { call, eventually, go, row, Harness } from './harness.mjs';

const harness = new Harness();
// Some files and previews of links are missing.
harness.ignore(/status of 40\d/);
const gondolas = '#narrow/channel/4-Venice/topic/gondolas';
let page;
let seeded;

before(async () => {
  await harness.start({ modules: { channels: '{web_public_streams: true}' } });
  page = await harness.open('desdemona@zulip.com');
  const iago = await harness.open('iago@zulip.com');
  seeded = await seed(page, iago);
  // Long first and last lines, of the first message of a sender and of those that follow.
  const line = 'The lagoon is calm and the gondolas lie side by side along the quay '.repeat(4);
  for (const text of [line, line, `${line}\n${line}`, `* ${line}\n* ${line}`, `> ${line}`, `# ${line}`, 'short'])
    await sendTo(iago, 4, 'gondolas', text);
  for (const file of [notes, sound, film]) {
    const url = await upload(iago, file);
    await sendTo(iago, 4, 'gondolas', `${line} [${file.name}](${url})`);
  }
  await iago.context().close();
  await page.reload();
});

after(() => harness.stop());

const sizes = [
  [1440, 900, 100],
  [820, 1180, 100],
  [390, 844, 100],
  [320, 568, 100],
  [1440, 900, 200],
];

test('the tools of a message cover no text of any message, at any size', async () => {
  const client = await page.context().newCDPSession(page);
  const faults = [];
  for (const [width, height, percent] of sizes) {
    await page.setViewportSize({ width, height });
    const standard = (16 * percent) / 100;
    await client.send('Page.setFontSizes', { fontSizes: { standard, fixed: 13 } });
    await go(page, '#inbox');
    await go(page, gondolas);
    await page.locator(`article[data-message="${seeded.own}"]`).waitFor();
    // Those that are not visible have their places, too.
    for (const tools of await page.locator('#messages .tools').all())
      for (const fault of await tools.evaluate(covered)) faults.push(`${width} px, ${percent} %: ${fault}`);
    const last = page.locator('#messages article[data-message]').last();
    await last.hover({ position: { x: 20, y: 5 } });
    await eventually(() => last.locator('.tools').evaluate((e) => getComputedStyle(e).opacity === '1'));
  }
  await client.send('Page.setFontSizes', { fontSizes: { standard: 16, fixed: 13 } });
  await page.setViewportSize({ width: 1300, height: 850 });
  assert.deepEqual(faults, []);
});

test('the tools of a message longer than the screen stay in reach, beside its text', async () => {
  const words = 'All that glisters is not gold, as often you have heard it told. '.repeat(2);
  const text = Array.from({ length: 60 }, (_, i) => `${i}. ${words}`).join('\n\n');
  await sendTo(page, 4, 'long', text);
  for (const width of [1300, 820]) {
    await page.setViewportSize({ width, height: 600 });
    await go(page, '#inbox');
    await go(page, '#narrow/channel/4-Venice/topic/long');
    const message = row(page, 'All that glisters');
    const more = message.getByRole('button', { name: 'Show more' });
    await more.click();
    await message.getByRole('button', { name: 'Show less' }).waitFor();
    await page.locator('#messages').evaluate((e) => (e.scrollTop = e.scrollHeight / 2));
    await page.locator('#messages').hover({ position: { x: 200, y: 300 } });
    const tools = message.locator('.tools');
    await eventually(() => tools.evaluate((e) => getComputedStyle(e).opacity === '1'));
    const at = await tools.boundingBox();
    assert.ok(at.y > 0 && at.y < 300, `${at.y}`);
    assert.deepEqual(await tools.evaluate(covered), []);
    await message.getByRole('button', { name: 'Star' }).click();
    await message.locator('.star').waitFor();
    await message.getByRole('button', { name: 'Remove the star' }).click();
    await message.getByRole('button', { name: 'Show less' }).click();
  }
  await page.setViewportSize({ width: 1300, height: 850 });
});

test('the tools of a code block cover no code, on a desktop and on a phone', async () => {
  await call(page, 'POST', '/realm/playgrounds', {
    name: 'the playground',
    pygments_language: 'Python',
    url_template: 'https://example.com/{code}',
  });
  await sendTo(page, 4, 'code', `\`\`\`python\nshort\n\`\`\`\n\n\`\`\`\n${'long '.repeat(80)}\n\`\`\``);
  await go(page, '#narrow/channel/4-Venice/topic/code');
  const sent = row(page, 'short');
  await sent.getByRole('button', { name: 'Copy' }).first().waitFor();
  for (const width of [1300, 390, 320]) {
    await page.setViewportSize({ width, height: 850 });
    for (const tool of await sent.locator('.code-tools > *').all()) {
      await tool.hover();
      assert.deepEqual(await tool.evaluate(covered), [], `${width}`);
    }
  }
  await page.setViewportSize({ width: 1300, height: 850 });
});
