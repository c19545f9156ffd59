// Keyboard-only use, forced colors, high contrast and reduced motion.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { seed } from '../e2e/seed.mjs';
import { leave, places, settings, visit } from '../e2e/places.mjs';
import { call, eventually, go, Harness } from '../e2e/harness.mjs';

const harness = new Harness();
const axe = readFileSync(fileURLToPath(new URL('../../node_modules/axe-core/axe.min.js', import.meta.url)), 'utf8');
const MAX_PRESSES = 40; // presses of Tab per view
let page;
let seeded;
let all;

before(async () => {
  await harness.start({ modules: settings });
  page = await harness.open('desdemona@zulip.com', { reducedMotion: 'reduce' });
  const iago = await harness.open('iago@zulip.com');
  seeded = await seed(page, iago);
  all = places(seeded);
  await iago.context().close();
  await page.evaluate(axe);
});

after(() => harness.stop());

/** watchFocus records which elements receive the focus, and those that are invisible or covered. */
function watchFocus() {
  const describe = (e) =>
    `${e.tagName.toLowerCase()}.${[...e.classList][0] ?? ''} “${(e.ariaLabel ?? e.textContent).trim().slice(0, 40)}”`;
  globalThis.visited = new Set();
  globalThis.unseen = new Set();
  const marked = (e) => {
    const s = getComputedStyle(e);
    return s.outlineStyle !== 'none' || s.boxShadow !== 'none';
  };
  document.addEventListener('focusin', ({ target: e }) => {
    if (!(e instanceof HTMLElement) || globalThis.visited.has(e)) return;
    globalThis.visited.add(e);
    let p = e;
    for (let i = 0; p && i < 4 && !marked(p); i++) p = p.parentElement;
    if (!p || !marked(p)) globalThis.unseen.add(`no mark: ${describe(e)}`);
    if (!e.checkVisibility({ opacityProperty: true, visibilityProperty: true }))
      globalThis.unseen.add(`hidden: ${describe(e)}`);
    // Lists that close on blur disappear only after the effects have run.
    setTimeout(() => {
      if (document.activeElement !== e) return;
      const r = e.getBoundingClientRect();
      const points = [
        [0.5, 0.5],
        [0.1, 0.5],
        [0.9, 0.5],
        [0.5, 0.9],
      ];
      const free = points.some(([x, y]) => {
        const top = document.elementFromPoint(r.left + r.width * x, r.top + r.height * y);
        return top && (e.contains(top) || top.contains(e) || top.closest('label')?.contains(e));
      });
      if (!free) globalThis.unseen.add(`covered: ${describe(e)}`);
    });
  });
}

/** pointerOnly returns the elements that look clickable but cannot be reached by keyboard. */
function pointerOnly(part) {
  const keys =
    'a[href], button, input, select, textarea, summary, label, [tabindex="0"], [role="option"], [role="menuitem"]';
  return (
    [...document.querySelector(part).querySelectorAll('*')]
      .filter((e) => ['pointer', 'zoom-in', 'grab'].includes(getComputedStyle(e).cursor))
      // What the viewer's stage does by a click or by dragging, its buttons and keys do, too.
      .filter((e) => !e.closest(keys) && !e.querySelector(keys) && !e.closest('.spoiler-header, .stage'))
      .map((e) => `${e.tagName}.${e.className}`)
  );
}

test('every control is reachable by keyboard, with visible focus', async () => {
  const faults = {};
  for (const place of all) {
    await visit(page, place);
    // Some load the page again.
    if (!(await page.evaluate(() => 'visited' in globalThis))) await page.evaluate(watchFocus);
    const expected = await page.evaluate((part) => {
      globalThis.visited.clear();
      globalThis.unseen.clear();
      const root = document.querySelector(part);
      const found = [
        ...root.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]'),
      ].filter(
        (e) => e.tabIndex >= 0 && !e.disabled && e.checkVisibility({ visibilityProperty: true }) && e.type !== 'file',
      );
      // Radio groups and menus have a single tab stop.
      if (!root.matches('[popover], dialog')) {
        root.tabIndex = -1;
        root.focus();
        globalThis.unseen.clear(); // only this test gives it the focus
      }
      return found.filter((e) => e.role !== 'menuitem' && e.type !== 'radio').length;
    }, place.part);
    const presses = Math.min(expected + 3, MAX_PRESSES);
    if (place.kind === 'menu') await page.keyboard.press('ArrowDown');
    else await Promise.all(Array.from({ length: presses }, () => page.keyboard.press('Tab')));
    const found = await page.evaluate(() => [globalThis.visited.size, [...globalThis.unseen]]);
    const wrong = [...found[1], ...(await page.evaluate(pointerOnly, place.part))];
    if (place.kind !== 'menu' && found[0] < Math.min(expected, presses) - 3)
      wrong.push(`${found[0]} of ${expected} were focused after ${presses} key presses`);
    if (wrong.length > 0) faults[place.name] = wrong;
    await leave(page, place);
  }
  assert.deepEqual(faults, {});
});

/** changesVisibly reports whether a change of an element is visible. */
async function changesVisibly(locator, change, undo) {
  const element = locator.first();
  await element.scrollIntoViewIfNeeded();
  const box = await element.boundingBox();
  const clip = { x: Math.max(0, box.x - 4), y: Math.max(0, box.y - 4), width: box.width + 8, height: box.height + 8 };
  const shot = () => page.screenshot({ clip, animations: 'disabled' });
  const one = await shot();
  await element.evaluate(change);
  const two = await shot();
  if (undo) await element.evaluate(undo);
  return !one.equals(two);
}

test('forced colors show focus, selection, unread marks, switches and icons', async () => {
  await page.emulateMedia({ forcedColors: 'active' });
  const missing = [];
  const check = async (name, selector, change, undo) => {
    if (!(await changesVisibly(page.locator(selector), change, undo))) missing.push(name);
  };
  const focus = (e) => e.focus({ focusVisible: true });
  const blur = (e) => e.blur();
  await go(page, `#narrow/channel/${seeded.channels['Venice']}-Venice/topic/gondolas`);
  await page.locator(`article[data-message="${seeded.own}"]`).waitFor();
  await page.evaluate(() => document.activeElement?.blur());
  for (const selector of [
    'main form textarea',
    'main form footer .icon-button',
    '#search',
    '.app > nav a.row',
    '.app > nav .jump',
    'main article .name',
  ])
    await check(`focus of ${selector}`, selector, focus, blur);
  const row = `article[data-message="${seeded.own}"]`;
  await check('the current view', '.app > nav [aria-current="page"]', (e) => e.removeAttribute('aria-current'));
  await check(
    'an unread message',
    row,
    (e) => e.classList.toggle('unread'),
    (e) => e.classList.toggle('unread'),
  );
  await check(
    'a selected message',
    row,
    (e) => e.classList.toggle('selected'),
    (e) => e.classList.toggle('selected'),
  );
  await check(
    'a mention',
    row,
    (e) => e.classList.toggle('mentioned'),
    (e) => e.classList.toggle('mentioned'),
  );
  await check(
    'a badge',
    '.badge',
    (e) => e.classList.remove('badge'),
    (e) => e.classList.add('badge'),
  );
  await check('the user’s own reaction', `${row} button[aria-pressed="true"]`, (e) => (e.ariaPressed = 'false'));
  await check('an icon', '.app > nav .row svg', (e) => (e.style.visibility = 'hidden'));
  await check('a presence indicator', 'aside .dot.active', (e) => (e.style.visibility = 'hidden'));
  await check('a link in a message', `article .rendered a`, (e) => (e.style.textDecoration = 'none'));
  await page.keyboard.press('Control+k');
  await page.locator('dialog [role=option]').first().waitFor();
  await check('the selected option', 'dialog [aria-selected="true"]', (e) => (e.ariaSelected = 'false'));
  await page.keyboard.press('Escape');
  await go(page, '#settings/notifications');
  await check('a switch', 'main input[type=checkbox]:checked', (e) => (e.checked = false));
  await check('focus of a switch', 'main input[type=checkbox]', focus, blur);
  await go(page, '#organization/permissions');
  await check('focus of a picker', '.content [role=combobox]', (e) => e.focus(), blur);
  await page.emulateMedia({ forcedColors: 'none' });
  assert.deepEqual(missing, []);
});

test('high contrast reaches 7:1', async () => {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe);
  const faults = [];
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ contrast: 'more', colorScheme });
    for (const name of ['inbox', 'topic', 'settings display', 'organization permissions']) {
      const place = all.find((p) => p.name === name);
      await visit(page, place);
      const { violations } = await page.evaluate(() =>
        globalThis.axe.run(document.body, {
          runOnly: { type: 'rule', values: ['color-contrast-enhanced'] },
          preload: false,
        }),
      );
      for (const v of violations)
        faults.push(...v.nodes.slice(0, 5).map((n) => `${colorScheme} ${name} ${n.target} ${n.any[0]?.message}`));
    }
  }
  await page.emulateMedia({ contrast: null, colorScheme: 'light' });
  assert.deepEqual(faults, []);
});

test('reduced motion disables animations', async () => {
  await page.setViewportSize({ width: 360, height: 740 });
  await go(page, '#recent');
  await page.locator('main header .menu').click();
  const moving = await page.evaluate(() => document.getAnimations().length);
  await page.setViewportSize({ width: 1300, height: 850 });
  assert.equal(moving, 0);
});

test('names are sorted by the rules of the language', async () => {
  for (const name of ['Ñandú', 'Nzimbu'])
    await call(page, 'POST', '/users/me/subscriptions', { subscriptions: [{ name, description: '' }] });
  const names = () =>
    page
      .locator('main li a')
      .evaluateAll((links) => links.map((a) => a.textContent.trim()).filter((n) => /^(Ñan|Nzi)/.test(n)));
  await go(page, '#channels/all');
  for (const [language, order] of [
    ['es', 'Nzimbu Ñandú'],
    ['en', 'Ñandú Nzimbu'],
  ]) {
    await call(page, 'PATCH', '/settings', { default_language: language });
    await eventually(async () => (await names()).join(' ') === order);
  }
});
