import { untrack } from 'svelte';
import { nav } from '../views/nav.svelte.ts';

/** NEW is the name of the form with which a section adds something. Other forms belong to what is open in the section. */
export const NEW = 'new';

/**
 * Kept holds what has been typed into forms of the administration and not been saved, so that it is there again for those
 * who look at another section. Who leaves the page is asked.
 */
class Kept {
  private values = new Map<string, unknown>();

  constructor() {
    addEventListener('beforeunload', (e) => {
      if (this.values.size > 0) e.preventDefault();
    });
  }

  /** before returns what the form of this name was left with. It is called while a component begins. */
  before<T>(name: string): T | undefined {
    return this.values.get(place(name)) as T | undefined;
  }

  /**
   * keep remembers what a form is left with; unsaved returns nothing if there is nothing to save. It is called while a
   * component begins. It returns what forgets it, for forms that close.
   */
  keep(name: string, unsaved: () => unknown): () => void {
    const key = place(name);
    $effect(() => {
      const now = unsaved();
      if (now === undefined) this.values.delete(key);
      else this.values.set(key, now);
    });
    return () => this.values.delete(key);
  }

  /** clear forgets all forms, when nothing is left that they could be saved to. */
  clear(): void {
    this.values.clear();
  }

  /** edited returns which thing in a list has a form that was left, among the forms whose names begin so. */
  edited(prefix: string): number | undefined {
    const start = place(prefix);
    for (const key of this.values.keys()) {
      if (key.startsWith(start)) return Number.parseInt(key.slice(start.length), 10);
    }
    return undefined;
  }
}

/** place tells a form apart from those of other sections and other things. Addresses may also name a setting. */
function place(name: string): string {
  return untrack(() => {
    const route = nav.route;
    if (route.view !== 'organization') return name;
    return `${route.section}/${name === NEW ? '' : Number(route.item) || ''}/${name}`;
  });
}

export const kept = new Kept();
