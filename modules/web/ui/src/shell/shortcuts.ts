import { tick } from 'svelte';
import { calls, store } from '../client.ts';
import type { Message, Needs, Reaction } from '../api/types.ts';
import { Policy } from '../store/channels.ts';
import { conversationOf, key, people, type Conversation } from '../store/narrow.ts';
import { composer } from '../compose/composer.svelte.ts';
import { forward } from '../compose/share.ts';
import JumpDialog from '../dialogs/JumpDialog.svelte';
import { toggle } from '../message/condensing.svelte.ts';
import { editLast, startEditing } from '../message/focus.ts';
import { markUnreadFrom, quote, toggleStar } from '../message/messageactions.ts';
import { topicMenu } from '../sidebar/menus.ts';
import { text } from '../texts/index.ts';
import { emojiName } from '../format/emojiname.svelte.ts';
import { say } from './assist.ts';
import { inMenu, press, scroll, step, toFirst, toLast, withMessage } from './current.ts';
import { home, nav } from './nav.svelte.ts';
import { attempt, ui } from './ui.svelte.ts';
import { dialogs } from '../dialogs/ondemand.ts';

/** Shortcut is an action that keys start. */
export interface Shortcut {
  /** keys are named like KeyboardEvent.key, with Ctrl+ or Shift+ only where that does not change the name. */
  keys: readonly string[];
  label: () => string;
  group: 'navigation' | 'reading' | 'writing' | 'messages';
  run: () => unknown;
  /** needs is the module of the server without which there is no such shortcut. */
  needs?: Needs;
  /** spectators marks what works without an account. Other keys open the login dialog. */
  spectators?: true;
  /** writes marks what leads into the compose box. */
  writes?: true;
  /** anywhere marks what also works while writing. */
  anywhere?: true;
  /** scrolls marks keys that other views than lists of messages leave to the browser. */
  scrolls?: true;
}

/** nextUnread opens the oldest unread conversation that matches, other than the one on the screen. */
function nextUnread(matches: (c: Conversation) => boolean): void {
  const found = store.unread
    .all()
    .reverse()
    .find(({ conversation: c }) => matches(c) && !nav.isAt(c));
  if (found) nav.open(found.conversation);
}

const isTopic = (c: Conversation) => c.kind === 'topic' && store.channels.inHome(c.channel, c.topic);

function isFollowed(c: Conversation): boolean {
  return c.kind === 'topic' && store.channels.policy(c.channel, c.topic) === Policy.followed;
}

/** reply opens the compose box of a conversation, and inserts text. */
function reply(c: Conversation, near: number | undefined, inserted = ''): void {
  if (!nav.isAt(c)) nav.open(c, near);
  if (inserted) composer.insert(inserted, key(c));
  else composer.focus();
}

function react(m: Message, r: Omit<Reaction, 'user_id'>): void {
  if (!store.can.react(m)) return;
  const own = m.reactions.some((o) => o.user_id === store.me && o.emoji_code === r.emoji_code);
  const { emoji_name, emoji_code, reaction_type } = r;
  void attempt(calls.react(m.id, { emoji_name, emoji_code, reaction_type }, !own)).then((ok) => {
    if (ok) say((t) => (own ? t.spokenUnreacted : t.spokenReacted)(emojiName(r)));
  });
}

function star(m: Message): void {
  const starred = m.flags.includes('starred');
  toggleStar(m);
  say((t) => (starred ? t.spokenUnstarred : t.spokenStarred));
}

const thumb = { emoji_name: 'thumbs_up', emoji_code: '1f44d', reaction_type: 'unicode_emoji' };

/** cycle opens the next or the previous channel of the sidebar. */
function cycle(by: 1 | -1): void {
  const channels = store.channels.foldered().flatMap((f) => f.list.map((c) => c.stream_id));
  const n = nav.narrow;
  const at = n?.kind === 'channel' || n?.kind === 'topic' ? channels.indexOf(n.channel) : -1;
  const next = at < 0 ? (by > 0 ? 0 : channels.length - 1) : (at + by + channels.length) % channels.length;
  if (channels[next] !== undefined) nav.open({ kind: 'channel', channel: channels[next] });
}

/** showConversation opens a message's conversation, or from there its channel. */
function showConversation(m: Message): void {
  const c = conversationOf(m, store.me);
  if (c.kind === 'topic' && nav.isAt(c)) nav.open({ kind: 'channel', channel: c.channel }, m.id);
  else nav.open(c, m.id);
}

function toggleMuted(m: Message): void {
  const c = conversationOf(m, store.me);
  if (c.kind !== 'topic') return;
  topicMenu(c.channel, c.topic)
    .find((i) => i.label === text.mute || i.label === text.unmute)
    ?.run();
}

function escape(): void {
  if (ui.editing !== undefined) ui.editing = undefined;
  else if (ui.selected !== undefined) ui.selected = undefined;
  else if (store.personal.flag('web_escape_navigates_to_home_view')) nav.go(home());
}

/** reach uses a control. Out of sight, it opens the list of channels or people, or the dialog that finds everybody. */
const reach = (selector: string, use: (control: HTMLElement) => void) => async (): Promise<void> => {
  const control = document.querySelector<HTMLElement>(selector);
  const sidebar = control?.closest('nav');
  const seen = () => control?.checkVisibility({ visibilityProperty: true });
  // On narrow screens it may be visible because it is about to close.
  if (sidebar && (!seen() || getComputedStyle(sidebar).position === 'fixed')) {
    ui.leftOpen = true;
    await tick();
    // Nothing in it accepts the focus before it has moved in.
    await Promise.allSettled(sidebar.getAnimations().map((a) => a.finished));
  }
  if (control?.closest('aside')?.checkVisibility()) {
    ui.showPeople(true);
    await tick();
  }
  if (control && seen()) use(control);
  else ui.open(JumpDialog);
};

const focus = (selector: string) => reach(selector, (field) => field.focus());
const hash = (to: string) => (): void => nav.goHash(to);

export const showShortcuts = (): void => ui.open(dialogs.shortcuts, { shortcuts });

/** shortcuts is the table of all keys. The dialog lists them in this order. */
export const shortcuts: readonly Shortcut[] = [
  {
    keys: ['Ctrl+k'],
    label: () => text.jump,
    group: 'navigation',
    run: () => ui.open(JumpDialog),
    anywhere: true,
    writes: true,
  },
  {
    keys: ['/'],
    label: () => text.search,
    group: 'navigation',
    run: focus('#search'),
    spectators: true,
    writes: true,
  },
  {
    keys: ['q'],
    label: () => text.filterOwnChannels,
    group: 'navigation',
    needs: 'channels',
    run: focus('#channel-filter'),
    writes: true,
  },
  { keys: ['w'], label: () => text.filterPeople, group: 'navigation', run: focus('#people-filter'), writes: true },
  {
    keys: ['n'],
    label: () => text.keyNextTopic,
    group: 'navigation',
    needs: 'channels',
    run: () => nextUnread(isTopic),
  },
  {
    keys: ['N'],
    label: () => text.keyNextFollowed,
    group: 'navigation',
    needs: ['channels', 'topics'],
    run: () => nextUnread(isFollowed),
  },
  {
    keys: ['p'],
    label: () => text.keyNextDirect,
    group: 'navigation',
    run: () => nextUnread((c) => c.kind === 'dm'),
  },
  { keys: ['P'], label: () => text.allDirect, group: 'navigation', run: hash('#narrow/is/dm') },
  { keys: ['A'], label: () => text.keyPreviousChannel, group: 'navigation', needs: 'channels', run: () => cycle(-1) },
  { keys: ['D'], label: () => text.keyNextChannel, group: 'navigation', needs: 'channels', run: () => cycle(1) },
  { keys: ['I'], label: () => text.inbox, group: 'navigation', run: hash('#inbox') },
  { keys: ['t'], label: () => text.recent, group: 'navigation', run: hash('#recent'), spectators: true },
  { keys: ['a'], label: () => text.feed, group: 'navigation', run: hash('#feed'), spectators: true },
  { keys: ['*'], label: () => text.starred, group: 'navigation', run: hash('#narrow/is/starred') },
  { keys: ['d'], label: () => text.drafts, group: 'navigation', needs: 'drafts', run: hash('#drafts') },
  {
    keys: ['Y'],
    label: () => text.setStatus,
    group: 'navigation',
    needs: 'status',
    run: () => ui.open(dialogs.status),
  },
  {
    keys: ['g'],
    label: () => text.menu,
    group: 'navigation',
    run: reach('.app > nav > header [aria-haspopup="menu"]', (menu) => menu.click()),
  },
  { keys: ['?'], label: () => text.shortcuts, group: 'navigation', run: showShortcuts, spectators: true },
  { keys: ['Escape', 'Ctrl+['], label: () => text.keyEscape, group: 'navigation', run: escape, spectators: true },

  {
    keys: ['j', 'ArrowDown'],
    label: () => text.keyNextMessage,
    group: 'reading',
    run: () => step(1),
    spectators: true,
    scrolls: true,
  },
  {
    keys: ['k', 'ArrowUp'],
    label: () => text.keyPreviousMessage,
    group: 'reading',
    run: () => step(-1),
    spectators: true,
    scrolls: true,
  },
  {
    keys: ['J', 'PageDown', ' '],
    label: () => text.keyScrollDown,
    group: 'reading',
    run: () => scroll(1),
    spectators: true,
    scrolls: true,
  },
  {
    keys: ['K', 'PageUp', 'Shift+ '],
    label: () => text.keyScrollUp,
    group: 'reading',
    run: () => scroll(-1),
    spectators: true,
    scrolls: true,
  },
  {
    keys: ['Home'],
    label: () => text.keyFirst,
    group: 'reading',
    run: () => void toFirst(),
    spectators: true,
    scrolls: true,
  },
  {
    keys: ['G', 'End'],
    label: () => text.jumpToNewest,
    group: 'reading',
    run: () => void toLast(),
    spectators: true,
    scrolls: true,
  },
  {
    keys: ['Ctrl+p'],
    label: () => text.keyPrint,
    group: 'reading',
    run: () => void import('../message/printing.ts').then(({ printAll }) => printAll(), print),
    spectators: true,
    anywhere: true,
  },
  { keys: ['s'], label: () => text.keyTopic, group: 'reading', run: withMessage(showConversation), spectators: true },
  {
    keys: ['S'],
    label: () => text.keyChannel,
    group: 'reading',
    needs: 'channels',
    run: withMessage((m) => {
      if (m.stream_id !== undefined) nav.open({ kind: 'channel', channel: m.stream_id }, m.id);
    }),
    spectators: true,
  },
  {
    keys: ['z'],
    label: () => text.keyZoom,
    group: 'reading',
    run: withMessage((m) => nav.open(conversationOf(m, store.me), m.id)),
    spectators: true,
  },

  {
    keys: ['r', 'Enter'],
    label: () => text.keyReply,
    group: 'writing',
    run: withMessage((m) => reply(conversationOf(m, store.me), m.id)),
    writes: true,
  },
  {
    keys: ['R'],
    label: () => text.keyReplyDirect,
    group: 'writing',
    run: withMessage((m) => reply({ kind: 'dm', users: people([m.sender_id], store.me) }, undefined)),
    writes: true,
  },
  {
    keys: ['@'],
    label: () => text.keyReplyMention,
    group: 'writing',
    run: withMessage((m) => {
      const name = store.users.get(m.sender_id)?.full_name ?? m.sender_full_name;
      reply(conversationOf(m, store.me), m.id, `@**${name}|${m.sender_id}** `);
    }),
    writes: true,
  },
  {
    keys: ['>'],
    label: () => text.quote,
    group: 'writing',
    run: withMessage((m) => void quote(m)),
    writes: true,
  },
  {
    keys: ['<'],
    label: () => text.forward,
    group: 'writing',
    run: withMessage((m) => void forward(m)),
    writes: true,
  },
  {
    keys: ['c'],
    label: () => text.keyCompose,
    group: 'writing',
    run: () => {
      if (!composer.focus()) nav.newDirect();
    },
    writes: true,
  },
  { keys: ['x'], label: () => text.newDirect, group: 'writing', run: () => nav.newDirect(), writes: true },
  { keys: ['ArrowLeft'], label: () => text.keyEditLast, group: 'writing', run: editLast, scrolls: true },

  {
    keys: ['e'],
    label: () => text.editMessage,
    group: 'messages',
    run: withMessage((m) => {
      if (store.can.editMessage(m)) startEditing(m.id);
    }),
  },
  {
    keys: ['m'],
    label: () => text.moveMessages,
    group: 'messages',
    needs: 'channels',
    run: inMenu(() => text.moveMessages),
  },
  { keys: ['H'], label: () => text.viewHistory, group: 'messages', run: inMenu(() => text.viewHistory) },
  { keys: ['V'], label: () => text.viewReaders, group: 'messages', run: inMenu(() => text.viewReaders) },
  {
    keys: ['u'],
    label: () => text.keySender,
    group: 'messages',
    run: withMessage((m) => ui.open(dialogs.person, { user: m.sender_id })),
  },
  {
    keys: ['v'],
    label: () => text.keyImages,
    group: 'messages',
    run: press('.message_inline_image a, img.inline-image'),
    spectators: true,
  },
  { keys: ['Ctrl+s'], label: () => text.star, group: 'messages', run: withMessage(star) },
  { keys: ['+'], label: () => text.keyThumb, group: 'messages', run: withMessage((m) => react(m, thumb)) },
  {
    keys: ['='],
    label: () => text.keyFirstReaction,
    group: 'messages',
    run: withMessage((m) => m.reactions[0] && react(m, m.reactions[0])),
  },
  { keys: [':'], label: () => text.react, group: 'messages', run: press('.tools [aria-haspopup="dialog"]') },
  { keys: ['-'], label: () => text.keyCollapse, group: 'messages', run: withMessage(toggle) },
  { keys: ['U'], label: () => text.markUnread, group: 'messages', run: withMessage(markUnreadFrom) },
  {
    keys: ['M'],
    label: () => text.keyMute,
    group: 'messages',
    needs: ['channels', 'topics'],
    run: withMessage(toggleMuted),
  },
  { keys: ['i'], label: () => text.more, group: 'messages', run: press('.tools [aria-haspopup="menu"]') },
];
