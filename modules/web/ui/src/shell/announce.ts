// What screen readers say that nothing at the focus shows, such as messages that arrive outside of the open view.
import { store } from '../client.ts';
import type { Message } from '../api/types.ts';
import { conversationName, personName, plainText } from '../format/names.ts';
import { conversationOf } from '../store/narrow.ts';
import { personal } from '../texts/personal.ts';
import { ui } from './ui.svelte.ts';

const LENGTH = 120; // characters of a message

/** announce has a screen reader say who wrote what and where, if the user wants to hear of such messages. */
export function announce(m: Message, flags: readonly string[]): void {
  if (m.sender_id === store.me || flags.includes('read') || store.users.muted.has(m.sender_id)) return;
  const mentioned = flags.some((f) => f.endsWith('mentioned'));
  const wanted = store.spoken;
  if (wanted === 'none') return;
  if (m.type !== 'private' && !mentioned) {
    if (wanted !== 'all' || !store.channels.inHome(m.stream_id ?? 0, m.subject)) return;
  }
  const [name, said] = [personName(m.sender_id), plainText(m.content, LENGTH)];
  const place = conversationName(conversationOf(m, store.me));
  const announcement =
    m.type === 'private'
      ? personal.spokenDirect(name, said)
      : mentioned
        ? personal.spokenMention(name, place, said)
        : personal.spokenElsewhere(name, place, said);
  ui.announce(announcement, m.id);
}

export { personal as spoken };
