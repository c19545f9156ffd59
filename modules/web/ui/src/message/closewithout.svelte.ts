import { store } from '../client.ts';
import { text } from '../texts/index.ts';
import { ui } from '../shell/ui.svelte.ts';

/** closeWithout closes the dialog that calls it once its message was deleted or can no longer be read, and says so. */
export function closeWithout(message: () => number | undefined): void {
  $effect(() => {
    const id = message();
    if (id === undefined || !store.messages.removed.has(id)) return;
    ui.close();
    ui.toast(() => text.missing, 'error');
  });
}
