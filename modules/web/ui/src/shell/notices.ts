// How the user learns of new messages while looking elsewhere: notifications, and the count beside the page's name.
import { store } from '../client.ts';
import type { Message } from '../api/types.ts';
import { Policy } from '../store/channels.ts';
import { conversationOf } from '../store/narrow.ts';
import { conversationName, peopleNames, personName, plainText } from '../format/names.ts';
import { nav } from './nav.svelte.ts';
import { silenced } from './quiet.ts';
import { ui } from './ui.svelte.ts';

/** Notice is how a message is announced. */
interface Notice {
  desktop: boolean;
  sound: boolean;
}

/** open holds the notifications on the screen by message. */
const open = new Map<number, Notification>();

/** notify announces a message if the user wants that: to screen readers while the page has the focus. */
export function notify(m: Message, flags: readonly string[]): void {
  if (document.hasFocus()) {
    if (!store.shown?.ids.includes(m.id)) void speak(m, flags);
    return;
  }
  if (!store.connection.announces) return; // another tab of this browser does, or has the focus
  if (isSilenced(store.now)) return;
  const notice = noticeOf(m, flags);
  if (notice.sound) void sound();
  if (notice.desktop) show(m);
}

let announcer: typeof import('./announce.ts') | undefined;

async function speak(m: Message, flags: readonly string[]): Promise<void> {
  try {
    announcer ??= await import('./announce.ts');
    announcer.announce(m, flags);
  } catch {
    // Without a connection, there are no messages either.
  }
}

/** isSilenced reports whether the user's notifications are silenced at a time, in seconds. */
export function isSilenced(at: number): boolean {
  return silenced(store.personal.quiet, at, String(store.personal.settings.timezone ?? ''));
}

const isAllowed = () => 'Notification' in globalThis && Notification.permission === 'granted';

function show(m: Message): void {
  if (!isAllowed()) return;
  const conversation = conversationOf(m, store.me);
  const shows = store.personal.flag('pm_content_in_desktop_notifications') || m.type === 'stream';
  // The page plays the sound that the user has chosen.
  const n = new Notification(noticeTitle(m), {
    body: shows ? plainText(m.content, 240) : '',
    tag: `${m.id}`,
    silent: true,
  });
  open.set(m.id, n);
  n.onclose = () => open.delete(m.id);
  n.onclick = () => {
    focus();
    nav.open(conversation, m.id);
    n.close();
  };
}

/** inform shows a notification of a module, or while the page has the focus a short message. */
export function inform(title: string, body: string, clicked: () => void): void {
  if (isSilenced(store.now)) return;
  if (document.hasFocus()) {
    ui.toast(() => [title, body].filter(Boolean).join(' – '));
    return;
  }
  if (!store.connection.announces) return;
  void sound();
  if (!store.personal.flag('enable_desktop_notifications') || !isAllowed()) return;
  const n = new Notification(title, { body, silent: true });
  n.onclick = () => {
    focus();
    clicked();
    n.close();
  };
}

/** withdraw takes back how messages were announced that were deleted, or that the user can no longer read. */
export function withdraw(ids: readonly number[]): void {
  ui.announced = ui.announced.filter((a) => a.message === undefined || !ids.includes(a.message));
  for (const id of ids) open.get(id)?.close();
  void closePushed(new Set(ids.map(String)));
}

/** closePushed closes notifications that the service worker has shown. */
async function closePushed(tags: ReadonlySet<string>): Promise<void> {
  const registration = await navigator.serviceWorker?.getRegistration();
  for (const n of (await registration?.getNotifications()) ?? []) if (tags.has(n.tag)) n.close();
}

const PAUSE = 1000; // milliseconds between sounds

let last = 0;

/** sound plays the chosen sound, once for messages in quick succession. */
async function sound(): Promise<void> {
  const name = String(store.personal.settings.notification_sound ?? 'none');
  const now = Date.now();
  if (!store.personal.flag('enable_sounds') || name === 'none' || now - last < PAUSE) return;
  last = now;
  try {
    await (await import('./sounds.ts')).play(name);
  } catch {
    // Browsers without audio output stay silent.
  }
}

/** noticeTitle names the sender, and the channel and topic or the other participants. */
function noticeTitle(m: Message): string {
  const sender = personName(m.sender_id);
  const c = conversationOf(m, store.me);
  if (c.kind === 'topic') return `${sender} – ${conversationName(c)}`;
  const others = c.users.filter((id) => id !== m.sender_id);
  return others.length > 0 ? `${sender} – ${peopleNames(others)}` : sender;
}

/** noticeOf returns how the user wants to learn of a message. Muted people and topics are never announced. */
function noticeOf(m: Message, flags: readonly string[]): Notice {
  const s = store.personal;
  const [id, topic] = [m.stream_id ?? 0, m.subject];
  const none = { desktop: false, sound: false };
  if (m.sender_id === store.me || flags.includes('read') || store.users.muted.has(m.sender_id)) return none;
  const own = { desktop: s.flag('enable_desktop_notifications'), sound: true };
  if (m.type === 'private' || flags.includes('mentioned') || flags.includes('has_alert_word')) return own;
  const channel = store.channels.subscribed.get(id);
  if (!channel || !store.channels.inHome(id, topic)) return none;
  const followed = store.channels.policy(id, topic) === Policy.followed;
  if (flags.some((f) => f.endsWith('wildcard_mentioned'))) {
    const wanted = channel.wildcard_mentions_notify ?? s.flag('wildcard_mentions_notify');
    if (wanted || (followed && s.flag('enable_followed_topic_wildcard_mentions_notify'))) return own;
  }
  const desktop = channel.desktop_notifications ?? s.flag('enable_stream_desktop_notifications');
  const sound = channel.audible_notifications ?? s.flag('enable_stream_audible_notifications');
  return {
    desktop: desktop || (followed && s.flag('enable_followed_topic_desktop_notifications')),
    sound: sound || (followed && s.flag('enable_followed_topic_audible_notifications')),
  };
}

/** iconCount returns the number of unread messages shown in the title and on icons, as the user has chosen. */
export function iconCount(): number {
  const { unread } = store;
  switch (store.personal.settings.desktop_icon_count_display) {
    case 2:
      return unread.pressing(unread.followed);
    case 3:
      return unread.pressing(unread.nowhere);
    case 4:
      return 0;
    default:
      return unread.total(unread.home);
  }
}
