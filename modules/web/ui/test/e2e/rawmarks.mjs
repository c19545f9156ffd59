/**
 * rawMarks runs in the page and returns the texts and attributes in which a resolved topic has the mark of its full
 * name instead of the icon. What users type themselves keeps it.
 */
export function rawMarks() {
  const MARK = '✔ ';
  const attributes = ['aria-label', 'aria-description', 'title', 'placeholder', 'alt', 'value', 'label'];
  const found = document.title.includes(MARK) ? [`title: ${document.title}`] : [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode;
    const e = node instanceof Element ? node : node.parentElement;
    if (e.closest('textarea, script, style')) continue;
    const texts =
      node instanceof Element ? [...attributes.map((a) => node.getAttribute(a)), node.value] : [node.textContent];
    for (const text of texts)
      if (String(text ?? '').includes(MARK)) found.push(`${e.tagName.toLowerCase()}.${e.className}: ${text}`);
  }
  return found;
}
