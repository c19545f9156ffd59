import { store } from '../client.ts';
import { ui } from '../shell/ui.svelte.ts';

/** closeWithout closes the dialog that calls it once its message was deleted or can no longer be read. */
export function closeWithout(message: () => number | undefined): void {
  $effect(() => {
    const id = message();
    if (id !== undefined && store.messages.removed.has(id)) ui.close();
  });
}
