import { http, store } from '../client.ts';
import type { Presence } from '../api/types.ts';

const IDLE_AFTER = 5 * 60_000; // milliseconds
const INTERVAL = 55_000; // milliseconds

let acted = Date.now();
/** input is whether the user has acted since the last report. */
let input = true;

/** watchActivity notes when the user acts, also without a connection. */
export function watchActivity(): () => void {
  const act = () => {
    acted = Date.now();
    input = true;
  };
  const events = ['pointerdown', 'keydown', 'wheel'] as const;
  for (const e of events) addEventListener(e, act, { passive: true });
  return () => {
    for (const e of events) removeEventListener(e, act);
  };
}

/** reportPresence reports the user's presence to the server and fetches that of others, now and regularly. */
export function reportPresence(): () => void {
  void report();
  const timer = setInterval(() => void report(), INTERVAL);
  return () => clearInterval(timer);
}

async function report(): Promise<void> {
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
}
