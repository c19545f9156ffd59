import { http, store } from '../client.ts';
import type { Presence } from '../api/types.ts';

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
