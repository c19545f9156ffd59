// Loads on demand what helps those who use the keyboard or a screen reader.
import type { PersonalCatalogue } from '../texts/personal.ts';
import { ui } from './ui.svelte.ts';

const ignored = () => undefined; // without a connection, it is not worth an error

/** say has screen readers say what an action has done, where nothing that has the focus shows it. */
export function say(what: (spoken: PersonalCatalogue) => string): void {
  import('./announce.ts').then(({ spoken }) => ui.announce(what(spoken)), ignored);
}

/** arrived follows the opening of a view. */
export function arrived(view: () => string): void {
  import('./arrive.ts').then(({ arrive }) => arrive(view), ignored);
}

/** leave moves the focus from a field to the view. */
export function leave(field: HTMLElement): void {
  field.blur();
  import('./arrive.ts').then(({ enter }) => enter(), ignored);
}
