import { onDestroy, untrack } from 'svelte';
import { calls, store } from '../../client.ts';
import { channelName, personName } from '../../format/names.ts';
import { errorText } from '../../shell/errors.ts';
import { showUndo } from '../../shell/ui.svelte.ts';
import { leaveChannel } from '../../sidebar/menus.ts';
import { text } from '../../texts/index.ts';

/**
 * Subscribers holds the subscribers of a channel. Create it during the initialization of a component. Only their number
 * is known without asking, so they are fetched again when it changes.
 */
export class Subscribers {
  ids = $state.raw<number[] | undefined>();
  #failure = $state.raw<unknown>();
  #channel: () => number;
  #asked = 0;
  #gone = false; // with the component; its channel must not be read then

  constructor(channel: () => number) {
    this.#channel = channel;
    const count = $derived(store.channels.get(channel())?.subscriber_count);
    $effect(() => {
      void count;
      void channel();
      untrack(() => void this.#load());
    });
    onDestroy(() => (this.#gone = true));
  }

  /** problem is why they could not be fetched. */
  get problem(): string {
    return this.#failure === undefined ? '' : errorText(this.#failure);
  }

  async #load(): Promise<void> {
    if (this.#gone) return;
    const mine = ++this.#asked; // a slow response must not replace a newer one
    try {
      const ids = await calls.subscribers(this.#channel());
      if (mine !== this.#asked) return;
      this.ids = ids;
      this.#failure = undefined;
    } catch (e) {
      if (mine === this.#asked) this.#failure = e;
    }
  }

  async add(users: number[]): Promise<void> {
    await calls.subscribe(channelName(this.#channel()), users);
    await this.#load();
  }

  /** remove offers to undo it. */
  async remove(user: number): Promise<void> {
    const id = this.#channel();
    if (user === store.me) {
      leaveChannel(id);
      return;
    }
    await calls.unsubscribe(channelName(id), [user]);
    showUndo(
      () => text.removedNamed(personName(user)),
      () => calls.subscribe(channelName(id), [user]).then(() => this.#load()),
    );
    await this.#load();
  }
}
