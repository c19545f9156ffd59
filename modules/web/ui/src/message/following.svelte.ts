import { untrack } from 'svelte';
import type { Term } from '../api/types.ts';
import { store } from '../client.ts';
import type { MessageList } from '../store/lists.ts';

const REFRESH_INTERVAL = 30_000; // milliseconds

/** searched returns the channel to which a search is limited. */
function searched(terms: readonly Term[]): number | undefined {
  const of = terms.find((t) => t.operator === 'channel' && !t.negated)?.operand;
  return typeof of === 'number' ? of : undefined;
}

const isWide = (t: Term) => t.operator === 'channels' && !t.negated;

/**
 * keepCurrent keeps a list current whose messages do not come through the user's event queue: spectators have none, and
 * members receive nothing from channels that they have not joined. Only a visible page asks for news.
 */
export function keepCurrent(shown: () => MessageList | undefined): void {
  let visible = $state(!document.hidden);
  const list = $derived(shown());
  const id = $derived.by(() => {
    const n = list?.narrow;
    if (n?.kind === 'search') return searched(n.terms);
    return n?.kind === 'channel' || n?.kind === 'topic' ? n.channel : undefined;
  });
  /** wide is true for searches in many channels. */
  const wide = $derived(list?.narrow.kind === 'search' && list.narrow.terms.some(isWide));
  const joined = $derived(id === undefined || store.channels.subscribed.has(id));
  const readable = $derived(id !== undefined && store.access.reads(id));
  /** name is the channel to follow. Guests cannot follow one, and a protected history is nobody's to follow. */
  const name = $derived.by(() => {
    const channel = id === undefined ? undefined : store.channels.get(id);
    const can = !store.spectator && store.can.actAsMember() && store.can.seeHistory(channel);
    return can ? channel?.name : undefined;
  });
  const online = $derived(store.connection.state === 'online');
  const needed = $derived(visible && online && (store.spectator || wide || (readable && !joined)));

  $effect(() => {
    const change = () => (visible = !document.hidden);
    document.addEventListener('visibilitychange', change);
    return () => document.removeEventListener('visibilitychange', change);
  });

  $effect(() => {
    const current = list;
    if (!current || !needed) return;
    const channel = name;
    return untrack(() =>
      store.follow.start({
        channel,
        interval: REFRESH_INTERVAL,
        refresh: () => store.lists.refresh(current, store.position),
      }),
    );
  });

  // Joining a channel begins with what the user has missed.
  let before: { list: MessageList | undefined; joined: boolean } | undefined;
  $effect(() => {
    const missed = before && before.list === list && !before.joined && joined;
    before = { list, joined };
    if (missed && list) void untrack(() => store.lists.refresh(list, store.position));
  });
}
