// The server renders formulas, using the client's fonts.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eventually, go, row, sendMessage, Harness } from './harness.mjs';

const harness = new Harness();
let page;

before(async () => {
  await harness.start();
  page = await harness.open('desdemona@zulip.com');
});

after(() => harness.stop());

test('a formula is rendered, and an invalid one shows its source', async () => {
  await go(page, '#narrow/channel/4-Venice/topic/math');
  await sendMessage(page, 'Euler: $$e^{i\\pi} + 1 = 0$$');
  await row(page, 'Euler').locator('.katex-html .base').first().waitFor();
  // The styles are loaded with the first formula.
  const style = (selector, property) =>
    row(page, 'Euler')
      .locator(selector)
      .first()
      .evaluate((e, name) => getComputedStyle(e)[name], property);
  await eventually(async () => /KaTeX_Math/.test(await style('.katex-html .mathnormal', 'fontFamily')));
  await eventually(() => page.evaluate(() => document.fonts.check('12px KaTeX_Math')));
  assert.equal(await style('.katex-mathml', 'position'), 'absolute', 'the source for screen readers is visible');
  await sendMessage(page, '```math\n\\int_0^\\infty e^{-x^2}\\,dx = \\frac{\\sqrt{\\pi}}{2}\n```');
  await page.locator('.katex-display .katex-html .mfrac').waitFor();
  await sendMessage(page, 'Wrong: $$\\frac{$$');
  await row(page, 'Wrong').locator('.tex-error', { hasText: '$$\\frac{$$' }).waitFor();
});
