import { store } from '../client.ts';
import { text } from '../texts/index.ts';
import { findQuery, timeCompletions, ranked, timeMarkup } from '../store/completion.ts';
import { character, type Emoji } from '../store/emoji.ts';
import { plainTopic } from '../store/messages.ts';
import type { Conversation } from '../store/narrow.ts';
import { emojiName } from '../format/emojiname.svelte.ts';
import { fullTime } from '../format/dates.ts';
import { topicName, plainText } from '../format/names.ts';
import { moduleCommands } from './commands.ts';

export interface Suggestion {
  label: string;
  detail?: string;
  /** sign is shown before the label: an emoji, or # or @. */
  sign: string;
  url?: string;
  /** topic is the full name of a topic. */
  topic?: string;
  /** emoji is set if the sign is an emoji. */
  emoji?: true;
  user?: number;
  insert: string;
}

const LIMIT = 8;
const MAX_DETAIL = 120; // characters

/** suggest returns completions for the text before the caret. It calls again once more of them are loaded. */
export function suggest(
  before: string,
  to: Conversation | undefined,
  again: () => void,
): { start: number; list: Suggestion[] } | undefined {
  const q = findQuery(before);
  if (!q) return undefined;
  if (q.kind === 'emoji') loadNames(again);
  const list = { person: people, silent: people, channel: channels, topic: topics, emoji, time, slash }[q.kind](
    q.typed,
    q.kind === 'silent',
    q.channel ?? '',
    to,
  );
  return list.length > 0 ? { start: q.start, list } : undefined;
}

function people(typed: string, silent: boolean, _: string, to: Conversation | undefined): Suggestion[] {
  const sign = silent ? '@_' : '@';
  const wildcards: Suggestion[] = silent
    ? []
    : ranked(
        [
          { name: 'all', detail: text.everyoneHere },
          ...(to?.kind === 'topic' ? [{ name: 'topic', detail: text.topicHere }] : []),
        ],
        (w) => w.name,
        typed,
        2,
      ).map((w) => ({ label: w.name, detail: w.detail, sign: '@', insert: `@**${w.name}** ` }));
  const all = store.users.people();
  const names = new Map<string, number>();
  for (const u of all) names.set(u.full_name, (names.get(u.full_name) ?? 0) + 1);
  const found = ranked(all, (u) => u.full_name, typed, LIMIT).map((u): Suggestion => ({
    label: u.full_name,
    sign: '@',
    user: u.user_id,
    insert: `${sign}**${u.full_name}${names.get(u.full_name)! > 1 ? `|${u.user_id}` : ''}** `,
  }));
  const groups = ranked(
    store.users.groupsByName().filter((g) => !g.is_system_group && !g.deactivated),
    (g) => g.name,
    typed,
    3,
  ).map((g): Suggestion => ({ label: g.name, detail: text.group, sign: '@', insert: `${sign}*${g.name}* ` }));
  const first = typed.length > 1 ? [...wildcards, ...found] : [...found.slice(0, LIMIT - 3), ...wildcards];
  return [...first.slice(0, LIMIT), ...groups].slice(0, LIMIT);
}

function channels(typed: string): Suggestion[] {
  const subscribed = new Set(store.channels.subscribed.keys());
  const all = store.channels
    .byName()
    .filter((c) => !c.is_archived)
    .sort((a, b) => Number(subscribed.has(b.stream_id)) - Number(subscribed.has(a.stream_id)));
  return ranked(all, (c) => c.name, typed, LIMIT).map((c) => ({
    label: c.name,
    detail: plainText(c.rendered_description, MAX_DETAIL),
    sign: '#',
    insert: `#**${c.name}** `,
  }));
}

function topics(typed: string, _: boolean, channel: string): Suggestion[] {
  const c = store.channels.named(channel);
  if (!c) return [];
  void store.topics.load(c.stream_id);
  return ranked(store.topics.get(c.stream_id) ?? [], (t) => plainTopic(t.name), typed, LIMIT).map((t) => ({
    label: topicName(t.name),
    topic: t.name,
    detail: c.name,
    sign: '#',
    insert: `#**${c.name}>${t.name}** `,
  }));
}

/** searchEmoji also knows the names and keywords of emoji in the reader's language, once they are loaded. */
let searchEmoji = (typed: string, limit: number): Emoji[] => store.emoji.search(typed, limit);
let asked = false;

function loadNames(done: () => void): void {
  if (asked) return;
  asked = true;
  import('../components/emojisearch.ts').then(
    (loaded) => {
      searchEmoji = loaded.searchEmoji;
      done();
    },
    () => (asked = false),
  );
}

function emoji(typed: string): Suggestion[] {
  return searchEmoji(typed, LIMIT).map((e) => {
    const name = emojiName({ emoji_name: e.name, emoji_code: e.code, reaction_type: e.type });
    return {
      label: `:${e.name}:`,
      ...(name === e.name.replaceAll('_', ' ') ? {} : { detail: name }),
      sign: e.url ? '' : character(e.code),
      ...(e.url ? { url: e.url } : { emoji: true as const }),
      insert: `:${e.name}: `,
    };
  });
}

function time(typed: string): Suggestion[] {
  return timeCompletions(typed, new Date()).map((at) => ({
    label: fullTime(at.getTime() / 1000),
    sign: '',
    insert: `${timeMarkup(at)} `,
  }));
}

function slash(typed: string): Suggestion[] {
  const me = { label: '/me', detail: text.meHint, insert: '/me ' };
  const widgets = [
    { label: '/poll', detail: text.poll, insert: '/poll ' },
    { label: '/todo', detail: text.todo, insert: '/todo ' },
    { label: '/dark', detail: text.themeDark, insert: '/dark' },
    { label: '/light', detail: text.themeLight, insert: '/light' },
    { label: '/fluid-width', detail: text.fluidWidth, insert: '/fluid-width' },
    { label: '/fixed-width', detail: text.fixedWidth, insert: '/fixed-width' },
    { label: '/ping', detail: text.pingHint, insert: '/ping' },
  ];
  const modules = moduleCommands().map(({ name, detail }) => ({ label: `/${name}`, detail, insert: `/${name} ` }));
  const all = [me, ...(store.has('widgets') ? widgets : []), ...modules];
  return all.filter((c) => c.label.startsWith(`/${typed}`)).map((c) => ({ sign: '', ...c }));
}
