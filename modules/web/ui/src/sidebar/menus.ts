import { calls, store } from '../client.ts';
import type { NavigationView } from '../api/types.ts';
import type { MenuItem } from '../components/Menu.svelte';
import { text } from '../texts/index.ts';
import { Policy } from '../store/channels.ts';
import { isResolved, plainTopic, RESOLVED } from '../store/messages.ts';
import { key, terms, type Conversation, type Narrow } from '../store/narrow.ts';
import NameDialog from '../dialogs/NameDialog.svelte';
import { channelName } from '../format/names.ts';
import { say } from '../shell/assist.ts';
import { copyText } from '../shell/clipboard.ts';
import { nav } from '../shell/nav.svelte.ts';
import { changingItems } from './topicactions.ts';
import { askFirst, attempt, offerUndo, ui } from '../shell/ui.svelte.ts';
import { dialogs } from '../dialogs/ondemand.ts';

/** markRead marks all messages of a narrow as read, in as many requests as the server needs. */
export async function markRead(narrow: Narrow): Promise<void> {
  const inside = (c: Conversation) =>
    narrow.kind === 'channel' ? c.kind === 'topic' && c.channel === narrow.channel : key(c) === key(narrow);
  await readAll(
    store.unread.ids(inside),
    (async () => {
      for (let more = true; more;) {
        const answer = await calls.markNarrowRead(terms(narrow));
        more = !answer.found_newest && answer.last_processed_id !== null;
      }
    })(),
  );
}

export async function markAllRead(): Promise<void> {
  await readAll(
    store.unread.ids(() => true),
    calls.markAllRead(),
  );
}

/** readAll attempts work that marks the given messages as read, and offers to mark them as unread again. */
async function readAll(ids: number[], work: Promise<unknown>): Promise<void> {
  if (ids.length === 0) await attempt(work);
  else
    await offerUndo(
      work,
      () => text.markedRead(ids.length),
      () => store.reading.markUnread(ids),
    );
}

const copyNarrow = (n: Narrow): MenuItem => ({
  label: text.copyLink,
  icon: 'link',
  run: () => void copyText(location.origin + location.pathname + nav.href(n)),
});

export function channelMenu(id: number): MenuItem[] {
  const sub = store.channels.subscribed.get(id);
  const channel = store.channels.get(id);
  if (!channel) return [];
  if (store.spectator) return [copyNarrow({ kind: 'channel', channel: id })];
  if (!sub)
    return [
      { label: text.channelSettings, icon: 'settings', run: () => ui.open(dialogs.channel, { channel: id }) },
      ...(store.can.join(channel)
        ? [{ label: text.join, icon: 'plus' as const, run: () => void attempt(calls.subscribe(channel.name)) }]
        : []),
    ];
  return [
    { label: text.markTopicRead, icon: 'mail-open', run: () => void markRead({ kind: 'channel', channel: id }) },
    {
      label: sub.pin_to_top ? text.unpin : text.pin,
      icon: 'pin',
      run: () => void (sub.pin_to_top ? unpin(id) : attempt(calls.setSubscription(id, 'pin_to_top', true))),
    },
    {
      label: sub.is_muted ? text.unmute : text.mute,
      icon: sub.is_muted ? 'bell' : 'bell-off',
      run: () => void attempt(calls.setSubscription(id, 'is_muted', !sub.is_muted)),
    },
    { label: text.channelSettings, icon: 'settings', run: () => ui.open(dialogs.channel, { channel: id }) },
    copyNarrow({ kind: 'channel', channel: id }),
    { label: text.leave, icon: 'log-out', danger: true, run: () => leaveChannel(id) },
  ];
}

function unpin(id: number): Promise<boolean> {
  return offerUndo(
    calls.setSubscription(id, 'pin_to_top', false),
    () => text.unpinnedChannel(channelName(id)),
    () => calls.setSubscription(id, 'pin_to_top', true),
  );
}

/**
 * leaveChannel unsubscribes from a channel. It asks first if only members can let the user in again, and otherwise
 * offers to undo it.
 */
export function leaveChannel(id: number): void {
  const channel = store.channels.get(id);
  if (!channel) return;
  const leave = () => calls.unsubscribe(channel.name);
  if (channel.invite_only || !store.can.actAsMember()) {
    const question = {
      title: () => text.leaveNamed(channelName(id)),
      hint: () => text.leaveHint,
      action: () => text.leave,
    };
    void askFirst(question, leave);
    return;
  }
  const unread = store.unread.ids((c) => c.kind === 'topic' && c.channel === id);
  void offerUndo(
    leave(),
    () => text.leftChannel(channelName(id)),
    async () => {
      // The name may be another one by then, and subscribing to the old one would create a channel.
      await calls.subscribe(channelName(id));
      await store.reading.markUnread(unread);
    },
  );
}

/** toggleResolved marks a whole topic as resolved or unresolved. The API addresses the topic by one of its messages. */
export async function toggleResolved(channel: number, topic: string): Promise<void> {
  await attempt(
    (async () => {
      const id = await calls.firstMessage(terms({ kind: 'topic', channel, topic }));
      if (id === undefined) return;
      const next = isResolved(topic) ? plainTopic(topic) : RESOLVED + topic;
      await calls.move(id, { topic: next, propagate_mode: 'change_all', send_notification_to_old_thread: false });
      if (nav.isAt({ kind: 'topic', channel, topic })) nav.open({ kind: 'topic', channel, topic: next });
    })(),
  );
}

/** conversationMenu returns the entries that every conversation has. */
export function conversationMenu(narrow: Narrow): MenuItem[] {
  return [{ label: text.markTopicRead, icon: 'mail-open', run: () => void markRead(narrow) }, copyNarrow(narrow)];
}

export function topicMenu(channel: number, topic: string): MenuItem[] {
  if (store.spectator) return [copyNarrow({ kind: 'topic', channel, topic })];
  const policy = store.channels.policy(channel, topic);
  const set = (next: number) => void attempt(calls.setPolicy(channel, topic, next));
  const mute = (on: boolean, next: number) => {
    set(next);
    say((t) => (on ? t.spokenMuted : t.spokenUnmuted));
  };
  const mutedChannel = store.channels.subscribed.get(channel)?.is_muted ?? false;
  const [read, link] = conversationMenu({ kind: 'topic', channel, topic });
  const items: MenuItem[] = [
    read!,
    policy === Policy.followed
      ? { label: text.unfollow, needs: 'topics', icon: 'bell', run: () => set(Policy.none) }
      : { label: text.follow, needs: 'topics', icon: 'bell', run: () => set(Policy.followed) },
    policy === Policy.muted || (mutedChannel && policy === Policy.none)
      ? {
          label: text.unmute,
          needs: 'topics',
          icon: 'bell',
          run: () => mute(false, mutedChannel ? Policy.unmuted : Policy.none),
        }
      : { label: text.mute, needs: 'topics', icon: 'bell-off', run: () => mute(true, Policy.muted) },
    link!,
  ];
  if (topic !== '' && store.can.resolveTopics(store.channels.get(channel))) {
    items.splice(3, 0, {
      label: isResolved(topic) ? text.unresolve : text.resolve,
      icon: 'circle-check',
      run: () => void toggleResolved(channel, topic),
    });
  }
  return [...items, ...changingItems(channel, topic)];
}

export function viewMenu(v: NavigationView): MenuItem[] {
  return [
    {
      label: text.rename,
      icon: 'pencil',
      run: () =>
        ui.open(NameDialog, () => ({
          title: text.rename,
          action: text.rename,
          help: 'channels-views' as const,
          name: v.name ?? '',
          run: (name: string) => attempt(calls.renameView(v.fragment, name)),
        })),
    },
    {
      label: text.removeView,
      icon: 'trash-2',
      danger: true,
      run: () =>
        void offerUndo(
          calls.removeView(v.fragment),
          () => text.removedNamed(v.name ?? ''),
          () => calls.addView(v.fragment, v.name ?? ''),
        ),
    },
  ];
}

/** pinView asks for a name and pins the current view to the sidebar. */
export function pinView(name: string): void {
  const fragment = nav.fragment;
  ui.open(NameDialog, () => ({
    title: text.keepView,
    action: text.keepView,
    help: 'channels-views' as const,
    name,
    run: (given: string) => attempt(calls.addView(fragment, given)),
  }));
}
