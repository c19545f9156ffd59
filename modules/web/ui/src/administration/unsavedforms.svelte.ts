import { untrack } from 'svelte';
import { session } from '../session.ts';
import { nav } from '../shell/nav.svelte.ts';

/** NEW is the name of a section's form for adding an item. Other forms belong to the open item. */
export const NEW = 'new';

/**
 * UnsavedForms holds unsaved input of administration forms, so that it survives a visit to another section. The
 * browser asks for confirmation before the page is closed.
 */
class UnsavedForms {
  private values = new Map<string, unknown>();

  constructor() {
    addEventListener('beforeunload', (e) => {
      if (this.values.size > 0 && !session.isLeaving()) e.preventDefault();
    });
  }

  /** load returns the unsaved input of a form. Call it during component initialization. */
  load<T>(name: string): T | undefined {
    return this.values.get(formKey(name)) as T | undefined;
  }

  /**
   * track stores a form's input whenever it changes; unsaved returns undefined if there is nothing to save. Call it
   * during component initialization. The result deletes the input, for forms that close.
   */
  track(name: string, unsaved: () => unknown): () => void {
    const key = formKey(name);
    $effect(() => {
      const now = unsaved();
      if (now === undefined) this.values.delete(key);
      else this.values.set(key, now);
    });
    return () => this.values.delete(key);
  }

  /** clear discards all input, when there is nothing left to save it to. */
  clear(): void {
    this.values.clear();
  }

  /** editedItem returns the ID of a list item with unsaved input in a form whose name starts with prefix. */
  editedItem(prefix: string): number | undefined {
    const start = formKey(prefix);
    for (const key of this.values.keys()) {
      if (key.startsWith(start)) return Number.parseInt(key.slice(start.length), 10);
    }
    return undefined;
  }
}

/** formKey returns a key unique to the section, item and form. The item in the URL can also be a setting's name. */
function formKey(name: string): string {
  return untrack(() => {
    const route = nav.route;
    if (route.view !== 'organization' && route.view !== 'settings') return name;
    return `${route.view}/${route.section}/${name === NEW ? '' : Number(route.item) || ''}/${name}`;
  });
}

export const unsavedForms = new UnsavedForms();
