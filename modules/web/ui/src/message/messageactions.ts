import { calls, store } from '../client.ts';
import type { Message } from '../api/types.ts';
import type { MenuItem } from '../components/Menu.svelte';
import type { IconName } from '../design/icons.ts';
import { text } from '../texts/index.ts';
import { quoteBlock } from '../store/fences.ts';
import { conversationOf, key, type Narrow } from '../store/narrow.ts';
import { composer } from '../compose/composer.svelte.ts';
import { topicMenu } from '../sidebar/menus.ts';
import { startEditing } from './focus.ts';
import { copyText } from '../shell/clipboard.ts';
import { extensions } from '../modules/modules.svelte.ts';
import { mayAct } from '../shell/gate.ts';
import { nav } from '../shell/nav.svelte.ts';
import { durationText, fullTime } from '../format/dates.ts';
import { askFirst, attempt, ui } from '../shell/ui.svelte.ts';
import { errorText } from '../shell/errors.ts';
import { dialogs } from '../dialogs/ondemand.ts';

export function linkTo(m: Message): string {
  return location.origin + location.pathname + nav.href(conversationOf(m, store.me), m.id);
}

export function toggleStar(m: Message): void {
  const on = !m.flags.includes('starred');
  store.messages.setFlag([m.id], 'starred', on);
  void attempt(calls.flag([m.id], 'starred', on)).then((ok) => {
    if (!ok) store.messages.setFlag([m.id], 'starred', !on);
  });
}

/** quotation returns the markup that quotes a message. */
export async function quotation(m: Message): Promise<string> {
  const raw = await calls.rawContent(m.id);
  const name = store.users.get(m.sender_id)?.full_name ?? m.sender_full_name;
  return `@_**${name}|${m.sender_id}** [${text.said}](${linkTo(m)}):\n${quoteBlock(raw)}\n`;
}

/** quote inserts a quotation of a message into the compose box of its conversation. */
export async function quote(m: Message): Promise<void> {
  const c = conversationOf(m, store.me);
  try {
    const quoted = await quotation(m);
    if (!nav.isAt(c)) nav.open(c, m.id);
    composer.insert(quoted, key(c));
  } catch (e) {
    ui.toast(() => errorText(e), 'error');
  }
}

/** limitOf returns a time limit of the organization as text. */
function limitOf(setting: string): string {
  return durationText(store.realm.limit(setting) ?? 0);
}

export function remove(m: Message): void {
  const question = {
    title: () => text.deleteTitle,
    hint: () => text.deleteHint,
    action: () => text.deleteMessage,
  };
  void askFirst(question, () => calls.remove(m.id));
}

export function markUnreadFrom(m: Message): void {
  const ids = (store.shown?.ids ?? []).filter((id) => id >= m.id);
  void attempt(store.reading.markUnread(ids.length > 0 ? ids : [m.id]));
}

/** hasHistory reports whether a message has former versions, or was moved, and the organization shows that. */
export function hasHistory(m: Message): boolean {
  const policy = store.realm.text('realm_message_edit_history_visibility_policy');
  if (store.spectator || policy === 'none') return false;
  return Boolean(m.last_moved_timestamp || (policy !== 'moves' && m.last_edit_timestamp));
}

export const showHistory = (m: Message): void => ui.open(dialogs.history, { id: m.id });

/** quickActions are the actions that the tools offer beside the menu. react opens the list of emoji. */
export function quickActions(m: Message, react: () => void): MenuItem[] {
  const locked = (label: string, icon: IconName): MenuItem => ({ label, icon, run: () => void mayAct(label) });
  if (store.spectator) return [locked(text.logInToReact, 'smile-plus'), locked(text.logInToReply, 'corner-up-left')];
  const starred = m.flags.includes('starred');
  return [
    ...(store.can.react(m)
      ? [
          { label: text.react, icon: 'smile-plus' as const, run: react },
          { label: text.quote, icon: 'quote' as const, run: () => void quote(m) },
        ]
      : []),
    { label: starred ? text.unstar : text.star, icon: 'star', run: () => toggleStar(m) },
  ];
}

export function messageMenu(m: Message, narrow: Narrow): MenuItem[] {
  if (store.spectator) return [{ label: text.copyLink, icon: 'link', run: () => void copyText(linkTo(m)) }];
  const items: MenuItem[] = [];
  const c = conversationOf(m, store.me);
  if (store.can.editMessageEver(m)) {
    const limit = 'realm_message_content_edit_limit_seconds';
    const off = store.can.editMessage(m) ? undefined : text.tooLateToEdit(limitOf(limit));
    items.push({ label: text.editMessage, icon: 'pencil', off, run: () => startEditing(m.id) });
  }
  const channel = store.channels.get(m.stream_id ?? 0);
  const renames = store.can.renameTopics(channel);
  if (renames || store.can.moveMessagesOut(channel)) {
    const limit = `realm_move_messages_${renames ? 'within_stream' : 'between_streams'}_limit_seconds`;
    const inTime = store.can.renameTopicOf(m) || store.can.moveMessage(m);
    const off = inTime ? undefined : text.tooLateToMove(limitOf(limit));
    const run = () => ui.open(dialogs.move, { message: m });
    items.push({ label: text.moveMessages, icon: 'folder-input', off, run });
  }
  items.push(
    { label: text.copyLink, icon: 'link', run: () => void copyText(linkTo(m)) },
    {
      label: text.copySource,
      icon: 'code',
      run: () => void calls.rawContent(m.id).then(copyText, (e) => ui.toast(() => errorText(e), 'error')),
    },
    { label: text.markUnread, icon: 'mail-open', run: () => markUnreadFrom(m) },
    {
      label: text.remindMe,
      needs: 'scheduled',
      icon: 'bell',
      run: () =>
        ui.open(dialogs.time, () => ({
          title: text.remindMe,
          action: text.remindMe,
          withNote: true,
          run: (at: number, note: string) =>
            attempt(calls.remind(m.id, at, note), () => text.reminderDone(fullTime(at))),
        })),
    },
  );
  if (hasHistory(m)) items.push({ label: text.viewHistory, icon: 'history', run: () => showHistory(m) });
  if (store.realm.flag('realm_enable_read_receipts')) {
    items.push({ label: text.viewReaders, icon: 'eye', run: () => ui.open(dialogs.readers, { id: m.id }) });
  }
  if (c.kind === 'topic' && narrow.kind !== 'topic') {
    items.push(
      ...topicMenu(c.channel, c.topic).filter((i) => i.label === text.resolve || i.label === text.unresolve),
    );
  }
  if (m.sender_id !== store.me && store.realm.number('realm_moderation_request_channel_id', -1) > 0) {
    const run = () => ui.open(dialogs.report, { id: m.id });
    items.push({ label: text.report, needs: ['reports', 'channels'], icon: 'triangle-alert', run });
  }
  items.push(...extensions.actionsFor(m));
  if (store.can.deleteMessageEver(m)) {
    const limit = 'realm_message_content_delete_limit_seconds';
    const off = store.can.deleteMessage(m) ? undefined : text.tooLateToDelete(limitOf(limit));
    items.push({ label: text.deleteMessage, icon: 'trash-2', danger: true, off, run: () => remove(m) });
  }
  return items;
}
