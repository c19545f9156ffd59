// Where the focus goes in a view that it was not in before.
import { ui } from './ui.svelte.ts';

const frame = () => new Promise(requestAnimationFrame);
let arrivals = 0;

/** opened waits until the view is on the screen, which may have to be loaded first, or says that it cannot be. */
function opened(): Promise<void> {
  const there = () => document.querySelector('main h1, main > [role="alert"]') !== null;
  return new Promise((resolve) => {
    if (there()) return resolve();
    const observer = new MutationObserver(() => {
      if (!there()) return;
      observer.disconnect();
      resolve();
    });
    observer.observe(document.body, { childList: true, subtree: true });
  });
}

/**
 * arrive has screen readers say which view has opened, once and by its final name, and moves the focus there if it was
 * in the former one.
 */
export async function arrive(view: () => string): Promise<void> {
  const mine = ++arrivals;
  await frame();
  await frame(); // what takes the focus has it
  await opened();
  if (mine !== arrivals) return;
  const section = document.querySelector('main nav [aria-current="page"]')?.textContent.trim();
  ui.announce(section ? `${view()}: ${section}` : view());
  enter();
}

/**
 * enter moves the focus to the messages of the view, or to its heading, unless something has it. Otherwise the next
 * press of Tab would start at the beginning of the page.
 */
export function enter(): void {
  if ((document.activeElement ?? document.body) !== document.body) return;
  const main = document.querySelector('main');
  const to = document.getElementById('messages') ?? main?.querySelector('h1') ?? main;
  if (!to) return;
  if (!to.hasAttribute('tabindex')) to.tabIndex = -1;
  to.focus({ preventScroll: true });
}
