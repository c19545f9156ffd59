// The keyboard alone, the system's own colours, more contrast and less motion.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { furnish } from './furnish.mjs';
import { leave, places, visit } from './places.mjs';
import { call, eventually, go, World } from './world.mjs';

const world = new World();
const axe = readFileSync(fileURLToPath(new URL('../../node_modules/axe-core/axe.min.js', import.meta.url)), 'utf8');
const MOST = 40; // presses of Tab in a view
let page;
let facts;
let all;

before(async () => {
  await world.start({ modules: { channels: '{web_public_streams: true}' } });
  page = await world.open('desdemona@zulip.com', { reducedMotion: 'reduce' });
  const iago = await world.open('iago@zulip.com');
  facts = await furnish(page, iago);
  all = places(facts);
  await iago.context().close();
  await page.evaluate(axe);
});

after(() => world.stop());

/** watchFocus notes what gets the focus, and what is wrong with it: not to be seen, or covered. */
function watchFocus() {
  const told = (e) =>
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
    if (!p || !marked(p)) globalThis.unseen.add(`no mark: ${told(e)}`);
    if (!e.checkVisibility({ opacityProperty: true, visibilityProperty: true }))
      globalThis.unseen.add(`hidden: ${told(e)}`);
    // Lists that close when the focus leaves them are gone after the effects that follow.
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
      if (!free) globalThis.unseen.add(`covered: ${told(e)}`);
    });
  });
}

/** pointed returns what only a pointer can use: it looks as if it could be clicked, and no key leads to it. */
function pointed(part) {
  const keys =
    'a[href], button, input, select, textarea, summary, label, [tabindex="0"], [role="option"], [role="menuitem"]';
  return [...document.querySelector(part).querySelectorAll('*')]
    .filter((e) => ['pointer', 'zoom-in', 'grab'].includes(getComputedStyle(e).cursor))
    .filter((e) => !e.closest(keys) && !e.querySelector(keys) && !e.closest('.spoiler-header'))
    .map((e) => `${e.tagName}.${e.className}`);
}

test('keys lead to everything, and the focus is always seen', async () => {
  await page.evaluate(watchFocus);
  const faults = {};
  for (const place of all) {
    await visit(page, place);
    const expected = await page.evaluate((part) => {
      globalThis.visited.clear();
      globalThis.unseen.clear();
      const root = document.querySelector(part);
      const found = [
        ...root.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]'),
      ].filter(
        (e) => e.tabIndex >= 0 && !e.disabled && e.checkVisibility({ visibilityProperty: true }) && e.type !== 'file',
      );
      // Radio buttons and menus have one stop; arrows lead on.
      if (!root.matches('[popover], dialog')) {
        root.tabIndex = -1;
        root.focus();
      }
      return found.filter((e) => e.role !== 'menuitem' && e.type !== 'radio').length;
    }, place.part);
    const presses = Math.min(expected + 3, MOST);
    if (place.kind === 'menu') await page.keyboard.press('ArrowDown');
    else await Promise.all(Array.from({ length: presses }, () => page.keyboard.press('Tab')));
    const found = await page.evaluate(() => [globalThis.visited.size, [...globalThis.unseen]]);
    const wrong = [...found[1], ...(await page.evaluate(pointed, place.part))];
    if (place.kind !== 'menu' && found[0] < Math.min(expected, presses) - 3)
      wrong.push(`${found[0]} of ${expected} have had the focus after ${presses} keys`);
    if (wrong.length > 0) faults[place.name] = wrong;
    await leave(page, place);
  }
  assert.deepEqual(faults, {});
});

/** differs tells whether a change of an element can be seen. */
async function differs(locator, change, undo) {
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

test('the system’s own colours show focus, selection, unread marks, switches and icons', async () => {
  await page.emulateMedia({ forcedColors: 'active' });
  const missing = [];
  const look = async (name, selector, change, undo) => {
    if (!(await differs(page.locator(selector), change, undo))) missing.push(name);
  };
  const focus = (e) => e.focus({ focusVisible: true });
  const blur = (e) => e.blur();
  await go(page, `#narrow/channel/${facts.channels['Venice']}-Venice/topic/gondolas`);
  await page.locator(`article[data-message="${facts.own}"]`).waitFor();
  await page.evaluate(() => document.activeElement?.blur());
  for (const selector of [
    'main form textarea',
    'main form footer .icon-button',
    '#search',
    '.app > nav a.row',
    '.app > nav .jump',
    'main article .name',
  ])
    await look(`focus of ${selector}`, selector, focus, blur);
  const row = `article[data-message="${facts.own}"]`;
  await look('the view that is open', '.app > nav [aria-current="page"]', (e) => e.removeAttribute('aria-current'));
  await look(
    'an unread message',
    row,
    (e) => e.classList.toggle('unread'),
    (e) => e.classList.toggle('unread'),
  );
  await look(
    'a selected message',
    row,
    (e) => e.classList.toggle('selected'),
    (e) => e.classList.toggle('selected'),
  );
  await look(
    'a mention',
    row,
    (e) => e.classList.toggle('mentioned'),
    (e) => e.classList.toggle('mentioned'),
  );
  await look(
    'a badge',
    '.badge',
    (e) => e.classList.remove('badge'),
    (e) => e.classList.add('badge'),
  );
  await look('one’s own reaction', `${row} button[aria-pressed="true"]`, (e) => (e.ariaPressed = 'false'));
  await look('an icon', '.app > nav .row svg', (e) => (e.style.visibility = 'hidden'));
  await look('who is here', 'aside .dot.active', (e) => (e.style.visibility = 'hidden'));
  await look('a link in a message', `article .rendered a`, (e) => (e.style.textDecoration = 'none'));
  await page.keyboard.press('Control+k');
  await page.locator('dialog [role=option]').first().waitFor();
  await look('the option that Enter takes', 'dialog [aria-selected="true"]', (e) => (e.ariaSelected = 'false'));
  await page.keyboard.press('Escape');
  await go(page, '#settings/notifications');
  await look('a switch', 'main input[type=checkbox]:checked', (e) => (e.checked = false));
  await look('focus of a switch', 'main input[type=checkbox]', focus, blur);
  await go(page, '#organization/permissions');
  await look('focus of a picker', '.content [role=combobox]', (e) => e.focus(), blur);
  await page.emulateMedia({ forcedColors: 'none' });
  assert.deepEqual(missing, []);
});

test('who asks for more contrast gets 7 to 1', async () => {
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

test('nothing moves for whoever wants less motion', async () => {
  await page.setViewportSize({ width: 360, height: 740 });
  await go(page, '#recent');
  await page.locator('main header .menu').click();
  const moving = await page.evaluate(() => document.getAnimations().length);
  await page.setViewportSize({ width: 1300, height: 850 });
  assert.equal(moving, 0);
});

test('names are sorted as the language does', async () => {
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

test('no page has reported a problem', () => assert.deepEqual(world.problems, []));
