/**
 * measure runs in the page and returns the layout faults inside an element: content that is wider than the window,
 * clipped, overlapping, or too small to be hit. User-supplied names may be clipped (dir="auto", bdi).
 */
export function measure({ part, target = 24, strict = false }) {
  const root = document.querySelector(part);
  const faults = [];
  const describe = (e) => {
    const of = e.closest('[class], [id]') ?? e;
    return `${e.tagName.toLowerCase()}.${[...of.classList].filter((c) => !c.startsWith('svelte-')).join('.')} “${(
      e.ariaLabel ??
      e.textContent ??
      ''
    )
      .trim()
      .slice(0, 50)}”`;
  };
  const seen = (e) =>
    e.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
    !e.closest('.visually-hidden, [hidden]') &&
    ![e, e.parentElement].some((part) => getComputedStyle(part).clipPath.startsWith('inset'));
  const style = new Map();
  const css = (e) => {
    let s = style.get(e);
    if (!s) style.set(e, (s = getComputedStyle(e)));
    return s;
  };
  // Tables, code, formulas and images may scroll horizontally (WCAG 1.4.10).
  const wideByNature = 'table, pre, .katex, .katex-display, .picture, .codehilite';

  const over = document.documentElement.scrollWidth - innerWidth;
  if (over > 1) faults.push(`the page is ${over} px too wide`);
  for (const e of [root, ...root.querySelectorAll('*')]) {
    if (!['auto', 'scroll'].includes(css(e).overflowX) || e.closest(wideByNature) || !seen(e)) continue;
    if (e.matches('input, textarea, select, .pills')) continue; // fields, which have one line
    if (e.scrollWidth > e.clientWidth + 1)
      faults.push(`scrolls sideways by ${e.scrollWidth - e.clientWidth}: ${describe(e)}`);
  }

  /** shownIn returns the area in which an element can be visible, and whether the rest can be scrolled into view. */
  const shownIn = (e) => {
    let box = { left: -Infinity, right: Infinity, top: -Infinity, bottom: Infinity };
    let scrolls = false;
    for (let p = e; p && p !== document.documentElement; p = p.parentElement) {
      const s = css(p);
      if (s.overflowX !== 'visible' || s.overflowY !== 'visible') {
        const r = p.getBoundingClientRect();
        if (/auto|scroll/.test(s.overflowY)) scrolls = true;
        box = {
          left: Math.max(box.left, r.left),
          right: Math.min(box.right, r.right),
          top: Math.max(box.top, r.top),
          bottom: Math.min(box.bottom, r.bottom),
          ...(scrolls && { scrolled: true }),
        };
      }
      if (s.position === 'fixed') break;
    }
    return box;
  };
  /** layer returns the closest positioned ancestor, which may overlap the rest of the page on purpose. */
  const layer = (e) => {
    for (let p = e; p; p = p.parentElement) if (['absolute', 'fixed', 'sticky'].includes(css(p).position)) return p;
    return null;
  };

  const texts = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode;
    const e = node.parentElement;
    if (!node.data.trim() || e.closest('option, script, style, svg, .katex') || !seen(e)) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const rects = [...range.getClientRects()].filter((r) => r.width > 0 && r.height > 0);
    if (rects.length === 0) continue;
    const own = e.closest('[dir="auto"], bdi, .rendered') !== null;
    const box = shownIn(e);
    for (const r of rects) {
      const [cutX, cutY] = [
        Math.max(box.left - r.left, r.right - box.right),
        box.scrolled ? 0 : Math.max(box.top - r.top, r.bottom - box.bottom),
      ];
      if (!own && !e.closest(wideByNature) && (cutX > 2 || cutY > 5))
        faults.push(`clipped by ${Math.round(Math.max(cutX, cutY))}: ${describe(e)}`);
      if (!e.closest(wideByNature) && (r.left < -1 || r.right > innerWidth + 1) && !box.scrolled && !own)
        faults.push(`outside the window: ${describe(e)}`);
      if (r.bottom > box.top && r.top < box.bottom && r.right > box.left && r.left < box.right) {
        texts.push({
          r: {
            left: Math.max(r.left, box.left),
            right: Math.min(r.right, box.right),
            top: Math.max(r.top, box.top),
            bottom: Math.min(r.bottom, box.bottom),
          },
          e,
          layer: layer(e),
        });
      }
    }
  }
  texts.sort((a, b) => a.r.top - b.r.top);
  for (const [i, a] of texts.entries()) {
    for (let j = i + 1; j < texts.length && texts[j].r.top < a.r.bottom - 3; j++) {
      const b = texts[j];
      if (a.e === b.e || a.layer !== b.layer) continue;
      const x = Math.min(a.r.right, b.r.right) - Math.max(a.r.left, b.r.left);
      const y = Math.min(a.r.bottom, b.r.bottom) - Math.max(a.r.top, b.r.top);
      if (x > 2 && y > 4) faults.push(`${describe(a.e)} overlaps ${describe(b.e)}`);
    }
  }

  const interactive =
    'a[href], button, input, select, textarea, summary, [role="option"], [role="menuitem"], [tabindex="0"]';
  const all = [...root.querySelectorAll(interactive)].filter(
    (e) =>
      seen(e) &&
      !e.closest('[aria-hidden="true"]') &&
      e.type !== 'file' &&
      e.type !== 'hidden' &&
      !e.matches('[role="region"], [role="group"], .scroll, article'), // focusable for their keys only
  );
  const boxes = all.map((e) => {
    const r = (e.closest('label') ?? e).getBoundingClientRect();
    const at = shownIn(e);
    return { e, r, whole: r.top >= at.top - 1 && r.bottom <= at.bottom + 1 && r.bottom > 0 && r.top < innerHeight };
  });
  for (const [i, a] of boxes.entries()) {
    for (const b of boxes.slice(i + 1)) {
      if (!a.whole || !b.whole || layer(a.e) !== layer(b.e) || a.e.contains(b.e) || b.e.contains(a.e)) continue;
      if ([a.e, b.e].some((e) => css(e).display === 'inline' || e.matches('.name, .time, .crumb'))) continue;
      const x = Math.min(a.r.right, b.r.right) - Math.max(a.r.left, b.r.left);
      const y = Math.min(a.r.bottom, b.r.bottom) - Math.max(a.r.top, b.r.top);
      if (x > 2 && y > 2) faults.push(`${describe(a.e)} covers ${describe(b.e)}`);
    }
  }
  for (const { e, r, whole } of boxes) {
    if (!whole || r.width === 0 || (r.width >= target - 0.5 && r.height >= target - 0.5)) continue;
    // Exempt inline links, and names and times of messages, whose actions are available elsewhere.
    if (
      css(e).display === 'inline' ||
      e.closest('.rendered p, .rendered li, p') ||
      (strict && e.matches('.name, .time, .edited'))
    )
      continue;
    const [x, y] = [(r.left + r.right) / 2, (r.top + r.bottom) / 2];
    const near = boxes.find(({ e: o, r: q, whole: w }) => {
      if (!w || o === e || e.contains(o) || o.contains(e) || layer(o) !== layer(e)) return false;
      const dx = Math.max(q.left - x, 0, x - q.right);
      const dy = Math.max(q.top - y, 0, y - q.bottom);
      return Math.hypot(dx, dy) < target / 2;
    });
    if (strict || near)
      faults.push(
        `${Math.round(r.width)}×${Math.round(r.height)}: ${describe(e)}${near ? ` next to ${describe(near.e)}` : ''}`,
      );
  }
  return [...new Set(faults)].slice(0, 12);
}

/**
 * reach runs in the page and returns what a reader cannot reach or read in the view: the page must not scroll
 * horizontally, the title must be readable, and the button that sends must be inside the window, with nothing above it.
 */
export function reach() {
  const faults = [];
  const over = document.documentElement.scrollWidth - innerWidth;
  if (over > 1) faults.push(`the page is ${over} px too wide`);
  const em = parseFloat(getComputedStyle(document.documentElement).fontSize);
  const modal = document.querySelector('dialog[open], :popover-open, nav.open, main .search:focus-within');

  const title = document.querySelector('main header h1');
  if (title && !modal) {
    const text = document.createRange();
    text.selectNodeContents(title);
    const whole = text.getBoundingClientRect();
    const { left, right, top, bottom, width } = title.getBoundingClientRect();
    if (Math.min(width, right, innerWidth - left) < Math.min(whole.width, 4.5 * em) - 1)
      faults.push(`the title is ${Math.round(width)} px wide: “${title.textContent}”`);
    if (top < -1 || bottom > innerHeight + 1) faults.push(`the title is outside the window: “${title.textContent}”`);
  }

  // A low screen has room for one box: while a message is edited, its button is the one that is needed.
  const buttons = [...document.querySelectorAll('main form footer > .primary')];
  const send = buttons.findLast((e) => e.checkVisibility());
  if (buttons.length > 0 && !send) faults.push('Send is not shown');
  if (send) {
    const { left, right, top, bottom } = send.getBoundingClientRect();
    if (left < -1 || top < -1 || right > innerWidth + 1 || bottom > innerHeight + 1)
      faults.push(`Send is outside the window: ${[left, top, right, bottom].map(Math.round)}`);
    const at = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    if (!modal && !send.contains(at)) faults.push(`${at?.className || at?.tagName} covers Send`);
  }

  // It floats above the messages, wherever they are scrolled to.
  const jump = document.querySelector('main .down')?.getBoundingClientRect();
  const beside = (r) => r.width === 0 || r.right <= jump.left || r.left >= jump.right;
  const tools = [...document.querySelectorAll('#messages article .tools')];
  if (jump && !tools.every((e) => beside(e.getBoundingClientRect())))
    faults.push('the button to the newest message covers the tools of messages');
  return faults;
}

/** covered runs in the page and returns the visible text of messages under an element. */
export function covered(over) {
  const r = over.getBoundingClientRect();
  const faults = [];
  const walker = document.createTreeWalker(document.querySelector('#messages'), NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const { currentNode: node } = walker;
    const e = node.parentElement;
    if (!node.data.trim() || over.contains(e) || !e.closest('article')) continue;
    if (e.closest('.visually-hidden, .katex-mathml, [aria-hidden="true"]')) continue;
    if (!e.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const { left, right } = (e.closest('pre, table, .katex-display') ?? e.closest('article')).getBoundingClientRect();
    for (const t of range.getClientRects()) {
      const x = Math.min(r.right, t.right, right) - Math.max(r.left, t.left, left); // what is scrolled away is hidden
      const y = Math.min(r.bottom, t.bottom) - Math.max(r.top, t.top);
      if (x > 1 && y > 1) faults.push(`${Math.round(x)}×${Math.round(y)} of “${node.data.trim().slice(0, 40)}”`);
    }
  }
  return faults;
}
