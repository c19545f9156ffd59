// The text of a page as assistive technology presents it, one line for each control, image and piece of text.

/**
 * passing matches what depends on the past of a page and not on the state that it shows: announcements, where it is
 * scrolled to, and which messages were unread when it was opened.
 */
const passing = '.toasts, .new, .down, .visually-hidden[aria-live]';

/** accessible returns the lines of a page. */
export const accessible = (page) => page.evaluate(read, passing);

/** read runs in the page. */
function read(passing) {
  const lines = [];
  const controls = 'a, button, input, select, textarea, img, progress, [role]';
  const names = ['aria-label', 'alt', 'placeholder', 'title', 'href', 'aria-roledescription'];
  const states = ['checked', 'selected', 'expanded', 'pressed', 'current', 'invalid', 'busy', 'disabled'];

  const describe = (e) => {
    const out = [e.getAttribute('role') ?? e.localName];
    for (const name of names) if (e.hasAttribute(name)) out.push(`${name}=${e.getAttribute(name)}`);
    for (const s of states) {
      const value = e.getAttribute(`aria-${s}`);
      if (value !== null && value !== 'false') out.push(`${s}=${value}`);
    }
    if (e.disabled) out.push('disabled');
    if (e.type === 'checkbox' || e.type === 'radio') out.push(e.checked ? 'on' : 'off');
    else if (e.localName === 'select') out.push(`value=${[...e.selectedOptions].map((o) => o.text).join('+')}`);
    else if ('value' in e && e.localName !== 'button' && e.localName !== 'li') out.push(`value=${e.value}`);
    return out.join(' ');
  };

  /** repeats reports whether only the mark above makes a message name its sender again. */
  const repeats = (article) => {
    const mark = article.previousElementSibling;
    const above = mark?.matches('.new') ? mark.previousElementSibling : null;
    const sender = (e) => e.ariaLabel?.replace(/, [^,]*$/, '');
    return above !== null && above.matches('article') && sender(above) === sender(article);
  };

  const walk = (node) => {
    if (node.nodeType === Node.TEXT_NODE) {
      const text = node.data.replace(/\s+/g, ' ').trim();
      if (text) lines.push(text);
      return;
    }
    if (node.nodeType !== Node.ELEMENT_NODE) return;
    if (node.matches(passing) || node.ariaHidden === 'true' || node.localName === 'option') return;
    if (!node.checkVisibility({ visibilityProperty: true })) return;
    if (node.matches('article')) lines.push(`message ${node.ariaLabel}`);
    else if (node.matches(controls)) lines.push(describe(node));
    // The senders of messages are named by their labels; the rest is in the first of a run.
    if (node.matches('article header') && repeats(node.closest('article'))) return;
    if (node.matches('article .gutter')) return;
    for (const child of node.childNodes) walk(child);
  };
  walk(document.body);
  return lines;
}

/** difference returns the lines that are only in one of two texts, or an empty text. */
export function difference(followed, fresh) {
  const [m, n] = [followed.length, fresh.length];
  const common = Array.from({ length: m + 1 }, () => new Uint16Array(n + 1));
  for (let i = m - 1; i >= 0; i--)
    for (let j = n - 1; j >= 0; j--)
      common[i][j] =
        followed[i] === fresh[j] ? common[i + 1][j + 1] + 1 : Math.max(common[i + 1][j], common[i][j + 1]);
  const out = [];
  for (let i = 0, j = 0; i < m || j < n;) {
    if (i < m && j < n && followed[i] === fresh[j]) [i, j] = [i + 1, j + 1];
    else if (j === n || (i < m && common[i + 1][j] >= common[i][j + 1])) out.push(`  open page: ${followed[i++]}`);
    else out.push(`  reloaded:  ${fresh[j++]}`);
  }
  return out.join('\n');
}
