import { calls, store } from '../client.ts';
import type { Message } from '../api/types.ts';
import { conversationOf } from '../store/narrow.ts';
import { text } from '../texts/index.ts';
import { composer } from '../compose/composer.svelte.ts';
import { mayAct } from './gate.ts';
import JumpDialog from '../dialogs/JumpDialog.svelte';
import { markUnreadFrom, mayEdit, quote, toggleStar } from '../message/messageactions.ts';
import { home, nav } from './nav.svelte.ts';
import ShortcutsDialog from '../dialogs/ShortcutsDialog.svelte';
import { attempt, ui } from './ui.svelte.ts';

/** current returns the message that shortcuts act on: the selected one, or else the last fully visible one. */
function current(): Message | undefined {
  if (ui.selected !== undefined) return store.messages.get(ui.selected);
  const box = document.getElementById('messages');
  if (!box) return undefined;
  const { bottom } = box.getBoundingClientRect();
  const rows = [...box.querySelectorAll<HTMLElement>('[data-message]')];
  const row = rows.findLast((r) => r.getBoundingClientRect().bottom <= bottom + 2);
  return row && store.messages.get(Number(row.dataset.message));
}

function step(by: 1 | -1): void {
  const ids = store.shown?.ids ?? [];
  const from = ui.selected ?? current()?.id;
  if (from === undefined) return;
  const next = ui.selected === undefined ? from : ids[ids.indexOf(from) + by];
  if (next !== undefined) ui.selected = next;
}

function nextUnread(kind: 'topic' | 'dm'): void {
  const found = store.unread
    .all()
    .reverse()
    .find(
      ({ conversation: c }) =>
        c.kind === kind &&
        (c.kind === 'dm' || store.channels.inHome(c.channel, c.topic)) &&
        nav.href(c) !== location.hash.replace(/\/near\/\d+$/, ''),
    );
  if (found) nav.open(found.conversation);
}

function toggleThumb(m: Message): void {
  const reaction = { emoji_name: 'thumbs_up', emoji_code: '1f44d', reaction_type: 'unicode_emoji' };
  const own = m.reactions.some((r) => r.user_id === store.me && r.emoji_code === reaction.emoji_code);
  void attempt(calls.react(m.id, reaction, !own));
}

const withMessage = (run: (m: Message) => void) => () => {
  const m = current();
  if (m) run(m);
};

const keys: Record<string, () => void> = {
  j: () => step(1),
  k: () => step(-1),
  ArrowDown: () => step(1),
  ArrowUp: () => step(-1),
  r: withMessage((m) => {
    const c = conversationOf(m, store.me);
    if (nav.route.view === 'messages' && nav.href(nav.route.narrow) === nav.href(c)) composer.focus();
    else nav.open(c, m.id);
  }),
  Enter: () => keys.r!(),
  c: () => {
    if (!composer.focus()) nav.newDirect();
  },
  x: () => nav.newDirect(),
  n: () => nextUnread('topic'),
  p: () => nextUnread('dm'),
  '/': () => document.getElementById('search')?.focus(),
  s: withMessage((m) => nav.open(conversationOf(m, store.me), m.id)),
  S: withMessage((m) => {
    if (m.stream_id !== undefined) nav.open({ kind: 'channel', channel: m.stream_id }, m.id);
  }),
  '+': withMessage(toggleThumb),
  '>': withMessage((m) => void quote(m)),
  e: withMessage((m) => {
    if (mayEdit(m)) ui.editing = m.id;
  }),
  U: withMessage(markUnreadFrom),
  End: () => {
    const shown = store.shown;
    if (!shown) return;
    if (shown.foundNewest) ui.selected = shown.ids.at(-1);
    else void store.lists.load(shown, 'newest');
  },
  i: () => nav.goHash('#inbox'),
  t: () => nav.goHash('#recent'),
  a: () => nav.goHash('#feed'),
  '*': () => nav.goHash('#narrow/is/starred'),
  '@': () => nav.goHash('#narrow/is/mentioned'),
  d: () => nav.goHash('#drafts'),
  '?': () => ui.open(ShortcutsDialog),
  Escape: () => {
    if (ui.editing !== undefined) ui.editing = undefined;
    else if (ui.selected !== undefined) ui.selected = undefined;
    else if (store.personal.flag('web_escape_navigates_to_home_view')) nav.go(home());
  },
};

/** spectatorKeys lists the keys that spectators can use. All others open the login dialog. */
const spectatorKeys = new Set(['j', 'k', 'ArrowDown', 'ArrowUp', '/', 's', 'S', 'End', 't', 'a', '?', 'Escape']);

/** composeKeys lists the keys that lead into the compose box. */
const composeKeys = new Set(['r', 'Enter', 'c', 'x', '>']);

const writing = (e: KeyboardEvent) =>
  e.target instanceof HTMLElement && e.target.closest('input, textarea, select, [contenteditable]') !== null;

/** onkeydown handles keys that no field or dialog has consumed. */
export function onkeydown(e: KeyboardEvent): void {
  if (!store.ready || e.defaultPrevented) return;
  const control = e.ctrlKey || e.metaKey;
  if (control && !e.altKey && e.key.toLowerCase() === 'k') {
    e.preventDefault();
    if (mayAct(text.logInFirst)) ui.open(JumpDialog);
    return;
  }
  if (ui.dialog || ui.asked || writing(e) || e.altKey) return;
  if (control && e.key === 's') {
    e.preventDefault();
    if (mayAct(text.logInFirst)) withMessage(toggleStar)();
    return;
  }
  if (control) return;
  // A focused button or link handles Enter itself.
  const focused = document.activeElement;
  if (e.key === 'Enter' && focused instanceof HTMLElement && focused.closest('button, a')) return;
  if (e.key.startsWith('Arrow') && nav.route.view !== 'messages') return;
  const run = keys[e.key];
  if (!run) return;
  e.preventDefault();
  if (!spectatorKeys.has(e.key) && !mayAct(text.logInFirst)) return;
  if (composeKeys.has(e.key)) run();
  else nav.quietly(run);
}
