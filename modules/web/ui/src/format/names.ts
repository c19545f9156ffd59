import { store } from '../client.ts';
import { text } from '../texts/index.ts';
import { reader } from '../texts/language.svelte.ts';
import { plainTopic } from '../store/messages.ts';
import type { Conversation, Narrow } from '../store/narrow.ts';
import { plainText as plainTextOf } from '../store/plaintext.ts';
import { ranked } from '../store/completion.ts';
import type { Names } from '../store/operators.ts';
import { searchText, type Finder } from '../store/search.ts';
import { fullTime } from './dates.ts';

export function personName(id: number): string {
  return store.users.get(id)?.full_name ?? text.unknownPerson;
}

export function channelName(id: number): string {
  return store.channels.get(id)?.name ?? text.unknownChannel;
}

/** channelColor returns a channel's colour mixed with the text colour, because users pick pale colours. */
export function channelColor(id: number): string {
  return `color-mix(in oklab, ${store.channels.color(id)} 78%, var(--text))`;
}

export function topicName(topic: string): string {
  return plainTopic(topic) || store.realm.text('realm_empty_topic_display_name');
}

export function peopleNames(ids: readonly number[]): string {
  if (ids.length === 1 && ids[0] === store.me) return text.notesToSelf;
  return ids.map(personName).join(', ');
}

/** isolate isolates a text's direction, so that adjacent names keep their order, and a sentence keeps its full stop. */
export function isolate(name: string): string {
  return reader.language.rtl || /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/.test(name) ? `\u2068${name}\u2069` : name;
}

export function conversationName(c: Conversation): string {
  if (c.kind === 'dm') return peopleNames(c.users);
  // The mark gives elements with dir="auto" the direction of the page, and the arrow follows it.
  const mark = reader.language.rtl ? '\u200f' : '';
  return `${mark}${isolate(`#${channelName(c.channel)}`)} › ${isolate(topicName(c.topic))}`;
}

/** searchable returns a name without the characters that control its text direction. */
export function searchable(name: string): string {
  return name.replace(/[\u200f\u2066-\u2069]/g, '');
}

/** plainText returns the start of a message's text. */
export function plainText(html: string, length: number): string {
  return plainTextOf(html, length, fullTime);
}

/** names returns names for links. */
export const names: Names = {
  channelName: (id) => store.channels.get(id)?.name,
  personName: (id) => store.users.get(id)?.full_name,
  topicName: plainTopic,
};

/** lookup resolves and formats the names in searches. People who share a name are told apart by ID, as in "Ada|8". */
export const lookup: Finder = {
  get me() {
    return store.me;
  },
  channelNamed: (name) => store.channels.named(name)?.stream_id,
  personNamed(name) {
    const exact = /^(.+)\|(\d+)$/.exec(name);
    const found = exact && store.users.get(Number(exact[2]));
    if (found && found.full_name.toLowerCase() === exact[1]!.toLowerCase()) return found.user_id;
    return store.users.named(name)?.user_id;
  },
  channelName: names.channelName,
  topicName: plainTopic,
  personName(id) {
    const name = names.personName(id);
    if (name === undefined) return undefined;
    return name.toLowerCase() === 'me' || store.users.named(name)?.user_id !== id ? `${name}|${id}` : name;
  },
  beginning(kind, typed) {
    if (kind === 'channel') return ranked(store.channels.byName(), (c) => c.name, typed, 1)[0]?.stream_id;
    return ranked(store.users.people(), (u) => u.full_name, typed, 1)[0]?.user_id;
  },
};

export function narrowName(n: Narrow): string {
  switch (n.kind) {
    case 'feed':
      return text.feed;
    case 'channel':
      return channelName(n.channel);
    case 'topic':
    case 'dm':
      return conversationName(n);
    case 'is':
      return {
        starred: text.starred,
        mentioned: text.mentions,
        dm: text.allDirect,
        unread: text.unreadView,
        followed: text.followed,
      }[n.what];
    case 'search':
      return searchText(n.terms, lookup);
  }
}
