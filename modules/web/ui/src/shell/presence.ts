import { http, store } from '../client.ts';
import type { Message, Presence } from '../api/types.ts';
import { conversationOf } from '../store/narrow.ts';
import { Policy } from '../store/channels.ts';
import { conversationName, personName, plainText } from '../format/names.ts';
import { nav } from './nav.svelte.ts';
import { ui } from './ui.svelte.ts';

const IDLE_AFTER = 5 * 60_000; // milliseconds

/** watchPresence reports the user's presence to the server and fetches that of others. */
export function watchPresence(): () => void {
  let acted = Date.now();
  let input = true;
  const act = () => {
    acted = Date.now();
    input = true;
  };
  const ping = async () => {
    ui.minute = store.now;
    if (!store.ready || store.connection.state !== 'online') return;
    try {
      const answer = await http.call<{ presences: Record<string, Presence>; presence_last_update_id: number }>(
        'POST',
        '/users/me/presence',
        {
          status: Date.now() - acted < IDLE_AFTER && !document.hidden ? 'active' : 'idle',
          new_user_input: input,
          last_update_id: store.users.presenceUpdateID,
        },
      );
      input = false;
      store.users.presenceUpdateID = answer.presence_last_update_id;
      store.users.mergePresences(answer.presences);
    } catch {
      // The next report follows within a minute.
    }
  };
  const events = ['pointerdown', 'keydown', 'wheel'] as const;
  for (const e of events) addEventListener(e, act, { passive: true });
  const timer = setInterval(() => void ping(), 55_000);
  const first = setTimeout(() => void ping(), 2_000);
  return () => {
    clearInterval(timer);
    clearTimeout(first);
    for (const e of events) removeEventListener(e, act);
  };
}

/** notify shows a desktop notification for a message if the user wants one and the page has no focus. */
export function notify(m: Message, flags: readonly string[]): void {
  if (m.sender_id === store.me || flags.includes('read') || document.hasFocus()) return;
  if (!('Notification' in globalThis) || Notification.permission !== 'granted' || !wanted(m, flags)) return;
  const conversation = conversationOf(m, store.me);
  const n = new Notification(`${personName(m.sender_id)} – ${conversationName(conversation)}`, {
    body:
      store.personal.flag('pm_content_in_desktop_notifications') || m.type === 'stream'
        ? plainText(m.content, 240)
        : '',
    tag: `${m.id}`,
    silent: !store.personal.flag('enable_sounds'),
  });
  n.onclick = () => {
    focus();
    nav.open(conversation, m.id);
    n.close();
  };
}

function wanted(m: Message, flags: readonly string[]): boolean {
  const s = store.personal;
  if (m.type === 'private') return s.flag('enable_desktop_notifications');
  if (flags.includes('mentioned')) return s.flag('enable_desktop_notifications');
  const channel = store.channels.subscribed.get(m.stream_id ?? 0);
  const policy = store.channels.policy(m.stream_id ?? 0, m.subject);
  if (policy === Policy.followed) return s.flag('enable_followed_topic_desktop_notifications');
  if (!channel || !store.channels.inHome(m.stream_id ?? 0, m.subject)) return false;
  return channel.desktop_notifications ?? s.flag('enable_stream_desktop_notifications');
}
