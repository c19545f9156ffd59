import { calls, http, store } from '../client.ts';
import NameDialog from '../dialogs/NameDialog.svelte';
import type { MenuItem } from '../components/Menu.svelte';
import { isResolved, plainTopic, renamedTopic, RESOLVED } from '../store/messages.ts';
import { sameTopic, terms } from '../store/narrow.ts';
import { topicName } from '../format/names.ts';
import { nav } from '../shell/nav.svelte.ts';
import { text } from '../texts/index.ts';
import { askFirst, attempt, ui } from '../shell/ui.svelte.ts';
import { dialogs } from '../dialogs/ondemand.ts';

interface Topic {
  channel: number;
  topic: string;
}

/** mayMerge asks before messages move to a topic that already exists, since they cannot be separated afterwards. */
export async function mayMerge(from: Topic, to: Topic): Promise<boolean> {
  if (from.channel === to.channel && sameTopic(from.topic, to.topic)) return true;
  await store.topics.load(to.channel);
  if (!store.topics.get(to.channel)?.some((t) => sameTopic(t.name, to.topic))) return true;
  return ui.ask({
    title: () => text.mergeTitle(topicName(to.topic)),
    hint: () => text.mergeHint,
    action: () => text.merge,
  });
}

/** renameTopic renames a whole topic. The API addresses it by one of its messages. */
async function renameTopic(channel: number, topic: string, next: string): Promise<boolean> {
  if (next === topic) return true;
  if (!(await mayMerge({ channel, topic }, { channel, topic: next }))) return false;
  return attempt(
    (async () => {
      const id = await calls.firstMessage(terms({ kind: 'topic', channel, topic }));
      if (id === undefined) throw new Error(text.nothingHere);
      await calls.move(id, { topic: next, propagate_mode: 'change_all', send_notification_to_old_thread: false });
    })(),
  );
}

/** deleteTopic deletes all messages of a topic, in as many requests as the server needs. */
async function deleteTopic(channel: number, topic: string): Promise<void> {
  const question = {
    title: () => `${text.deleteTopic}: ${topicName(topic)}`,
    hint: () => text.deleteTopicHint,
    action: () => text.deleteMessage,
  };
  const done = await askFirst(question, async () => {
    for (let complete = false; !complete;) {
      const params = { topic_name: topic };
      ({ complete } = await http.call<{ complete: boolean }>('POST', `/streams/${channel}/delete_topic`, params));
    }
  });
  if (done && nav.isAt({ kind: 'topic', channel, topic })) nav.open({ kind: 'channel', channel });
}

/** changingItems returns the entries of a topic's menu that change the topic itself. */
export function changingItems(channel: number, topic: string): MenuItem[] {
  const items: MenuItem[] = [];
  const of = store.channels.get(channel);
  if (store.can.renameTopics(of)) {
    items.push({
      label: text.renameTopic,
      icon: 'pencil',
      run: () =>
        ui.open(NameDialog, () => ({
          title: text.renameTopic,
          action: text.rename,
          help: 'messages-move' as const,
          name: plainTopic(topic),
          max: store.realm.number('max_topic_length', 60) - (isResolved(topic) ? RESOLVED.length : 0),
          run: (name: string) => renameTopic(channel, topic, renamedTopic(topic, name)),
        })),
    });
  }
  if (store.can.renameTopics(of) || store.can.moveMessagesOut(of)) {
    items.push({
      label: text.moveTopic,
      icon: 'folder-input',
      run: () => ui.open(dialogs.move, { topic: { channel, topic } }),
    });
  }
  if (store.can.deleteTopics(of)) {
    items.push({
      label: text.deleteTopic,
      icon: 'trash-2',
      danger: true,
      run: () => void deleteTopic(channel, topic),
    });
  }
  return items;
}
