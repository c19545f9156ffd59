// Formulas are drawn by the server, with the fonts of the client.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eventually, go, row, say, World } from './world.mjs';

const world = new World();
let page;

before(async () => {
  await world.start();
  page = await world.open('desdemona@zulip.com');
});

after(() => world.stop());

test('a formula is drawn, and one that is wrong shows its source', async () => {
  await go(page, '#narrow/channel/4-Venice/topic/math');
  await say(page, 'Euler: $$e^{i\\pi} + 1 = 0$$');
  await row(page, 'Euler').locator('.katex-html .base').first().waitFor();
  await eventually(() => page.evaluate(() => document.fonts.check('12px KaTeX_Math')));
  const [formula, line] = await row(page, 'Euler').evaluate((e) => {
    const style = (selector) => getComputedStyle(e.querySelector(selector));
    return [style('.katex-html .mathnormal').fontFamily, style('.katex-mathml').position];
  });
  assert.match(formula, /KaTeX_Math/);
  assert.equal(line, 'absolute', 'the source for screen readers is shown to all');
  await say(page, '```math\n\\int_0^\\infty e^{-x^2}\\,dx = \\frac{\\sqrt{\\pi}}{2}\n```');
  await page.locator('.katex-display .katex-html .mfrac').waitFor();
  await say(page, 'Wrong: $$\\frac{$$');
  await row(page, 'Wrong').locator('.tex-error', { hasText: '$$\\frac{$$' }).waitFor();
});

test('no page has reported a problem', () => assert.deepEqual(world.problems, []));
