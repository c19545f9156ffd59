// Where the focus goes in a view that it was not in before.
import { speak } from './announce.ts';

const frame = () => new Promise(requestAnimationFrame);
let arrivals = 0;

/** arrive has screen readers say which view has opened, and moves the focus there if it was in the former one. */
export async function arrive(view: () => string): Promise<void> {
  const mine = ++arrivals;
  await frame();
  await frame(); // pages that are loaded on demand have appeared
  if (mine !== arrivals) return;
  if (document.activeElement?.closest('form.compose')) return; // the name of the text box says where it leads
  const section = document.querySelector('main nav [aria-current="page"]')?.textContent.trim();
  speak(section ? `${view()}: ${section}` : view());
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
