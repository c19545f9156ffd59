// Modules render their parts in shadow trees. To a listener outside of one, the target of an event, like the element
// that has the focus, is the tree's host.

/** origin returns the element at which an event began, which may be in a shadow tree. */
export function origin(e: Event): Element | undefined {
  const [at] = e.composedPath();
  return at instanceof Element ? at : undefined;
}

/** focused returns the element that has the focus, which may be in a shadow tree. */
export function focused(): Element | null {
  let at = document.activeElement;
  while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
  return at;
}
