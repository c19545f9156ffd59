// Files, pictures, recordings and code: as they are written, and as messages show them.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { box, call, go, row, sendMessage, Harness } from './harness.mjs';

const harness = new Harness();
const topic = (name) => `#narrow/channel/4-Venice/topic/${name}`;
let page;

before(async () => {
  await harness.start();
  page = await harness.open('desdemona@zulip.com');
});

after(() => harness.stop());

/** open opens a topic of Venice. */
async function open(name) {
  await go(page, topic(name));
  await box(page).waitFor();
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
