/** Creates an element. Strings among children become text, never HTML. */
export function element(name, properties = {}, ...children) {
  const e = Object.assign(document.createElement(name), properties);
  e.append(...children);
  return e;
}
