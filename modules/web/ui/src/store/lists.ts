import type { EventOfType, MovedEvent } from '../api/events.ts';
import type { Http } from '../api/http.ts';
import { ApiError } from '../api/http.ts';
import type { Message, MessagePage } from '../api/types.ts';
import { Tracked } from './cell.ts';
import type { SavedList } from './offline.ts';
import type { Messages } from './messages.ts';
import { onlyPublic } from './spectator.ts';
import { key, matches, mentions, terms, type Conversation, type Narrow, type Visibility } from './narrow.ts';

const PAGE = 100;
const FIRST_PAGE = 60;
const MAX_LISTS = 12;
/** New messages are matched against the open search after MATCH_DELAY milliseconds, at most MAX_MATCHED at once. */
const MATCH_DELAY = 700;
const MAX_MATCHED = 100;
/** MAX_IDS bounds the length of a list. Beyond it, the far end is dropped and fetched again when needed. */
const MAX_IDS = 2000;

/** MAX_TRIES is how often messages are requested while others keep moving and deleting some. */
const MAX_TRIES = 4;

const STARRED = key({ kind: 'is', what: 'starred' });

export type Anchor = number | 'first_unread' | 'newest';

/** Following is how the shown list follows its topic: to its new conversation, from the topmost visible message. */
export interface Following {
  to: Conversation;
  position: number | undefined;
}

/** MessageList is a run of consecutive messages in a narrow. */
export class MessageList extends Tracked {
  narrow: Narrow;
  ids: number[] = [];
  foundOldest = false;
  foundNewest = false;
  loading: 'first' | 'older' | 'newer' | undefined;
  error: ApiError | undefined;
  /** anchor is the message to show first after the list was opened. */
  anchor: number | undefined;
  /** generation changes when the list is reloaded, so that a view drops its scroll position. */
  generation = 0;
  loaded = false;
  /** wanted is the anchor of the last load, with which a failed one is repeated. */
  wanted: Anchor = 'newest';
  /** arrived holds the IDs of messages received during a request whose response may not contain them. */
  arrived: number[] = [];
  /** later holds the IDs of messages received since, if the list does not extend to the newest message. */
  later: number[] = [];

  constructor(narrow: Narrow) {
    super();
    this.narrow = narrow;
  }

  add(id: number): void {
    const last = this.ids.at(-1);
    if (last === undefined || id > last) this.ids = [...this.ids, id];
    else if (!this.ids.includes(id)) this.ids = [...this.ids, id].sort((a, b) => a - b);
    else return;
    if (this.ids.length > MAX_IDS) {
      this.ids = this.ids.slice(-MAX_IDS / 2);
      this.foundOldest = false;
    }
  }

  remove(ids: ReadonlySet<number>): void {
    if (this.later.some((id) => ids.has(id))) this.later = this.later.filter((id) => !ids.has(id));
    const rest = this.ids.filter((id) => !ids.has(id));
    if (rest.length === this.ids.length) return;
    this.ids = rest;
  }
}

/** Lists opens narrows, fetches their messages and keeps them current with events. */
export class Lists {
  private http: Http;
  private messages: Messages;
  private lists = new Map<string, MessageList>();
  private unmatched: number[] = [];
  private matchList: MessageList | undefined;
  private searchTimer: ReturnType<typeof setTimeout> | undefined;
  private matchTimer: ReturnType<typeof setTimeout> | undefined;

  private spectator: boolean;
  /** changes counts what may add messages to lists or remove them, which a response under way may contradict. */
  private changes = 0;
  /** underWay holds, for each request under way, the messages that events have changed since it was sent. */
  private underWay = new Set<Set<number>>();
  /** onFetched is called with the IDs of fetched messages. */
  onFetched: (ids: readonly number[]) => void = () => undefined;

  constructor(http: Http, messages: Messages, spectator = false) {
    this.http = http;
    this.messages = messages;
    this.spectator = spectator;
  }

  /** open returns a narrow's list, and fetches it if it is new or lacks the message given as anchor. */
  open(narrow: Narrow, anchor: Anchor): MessageList {
    const k = key(narrow);
    let list = this.lists.get(k);
    if (list)
      this.lists.delete(k); // move it to the end, as the most recently used
    else list = new MessageList(narrow);
    this.lists.set(k, list);
    if (k === STARRED) list.remove(new Set(list.ids.filter((id) => !this.messages.starred.has(id))));
    if (this.lists.size > MAX_LISTS) this.drop();
    if (!list.loaded || (typeof anchor === 'number' && !list.ids.includes(anchor))) void this.load(list, anchor);
    else list.anchor = typeof anchor === 'number' ? anchor : undefined;
    return list;
  }

  /** snapshot returns the newest messages of the open lists, for a page without a connection. */
  snapshot(most: number): { lists: SavedList[]; messages: Message[] } {
    const lists = [...this.lists.values()]
      .filter((l) => l.loaded && l.ids.length > 0 && l.narrow.kind !== 'search')
      .map((l) => ({
        narrow: l.narrow,
        ids: l.ids.slice(-most),
        foundOldest: l.foundOldest && l.ids.length <= most,
        foundNewest: l.foundNewest,
      }));
    const ids = new Set(lists.flatMap((l) => l.ids));
    return { lists, messages: [...ids].flatMap((id) => this.messages.get(id) ?? []) };
  }

  /** restore restores the lists that an earlier page has saved. */
  restore(lists: readonly SavedList[]): void {
    for (const k of lists) {
      const list = new MessageList(k.narrow);
      Object.assign(list, { ids: k.ids, foundOldest: k.foundOldest, foundNewest: k.foundNewest, loaded: true });
      list.generation = 1;
      this.lists.set(key(k.narrow), list);
    }
  }

  /** prune drops messages that are in no list. */
  prune(): void {
    const used = new Set<number>();
    for (const l of this.lists.values()) for (const id of l.ids) used.add(id);
    this.messages.retain(used);
  }

  private drop(): void {
    const oldest = this.lists.keys().next().value;
    if (oldest !== undefined) this.lists.delete(oldest);
    this.prune();
  }

  async load(list: MessageList, anchor: Anchor): Promise<void> {
    if (list.loading === 'first') return;
    list.loading = 'first';
    list.wanted = anchor;
    list.error = undefined;
    list.arrived = [];
    list.later = [];
    list.ids = [];
    list.loaded = false;
    const narrow = list.narrow;
    try {
      const page = await this.fetch(narrow, anchor, FIRST_PAGE, FIRST_PAGE);
      if (list.narrow !== narrow) {
        list.loading = undefined;
        return await this.load(list, anchor); // the conversation has moved
      }
      list.ids = page.messages.map((m) => m.id);
      list.foundOldest = page.found_oldest;
      list.foundNewest = page.found_newest;
      list.anchor = page.anchor < 1e15 ? page.anchor : undefined;
      list.loaded = true;
      list.generation++;
      this.addArrived(list);
    } catch (e) {
      list.error = asError(e);
    }
    list.loading = undefined;
  }

  /** retry repeats a failed load. */
  retry(list: MessageList): void {
    if (list.error && !list.loaded) void this.load(list, list.wanted);
  }

  async older(list: MessageList): Promise<void> {
    await this.extend(list, 'older');
  }

  async newer(list: MessageList): Promise<void> {
    await this.extend(list, 'newer');
  }

  /**
   * refresh refetches the end of a list, and the messages from position onwards, for views without events,
   * and reports whether it could.
   */
  async refresh(list: MessageList, position: number | undefined): Promise<boolean> {
    if (list.loading || !list.loaded) return false;
    const end = list.ids.at(-PAGE) ?? list.ids[0] ?? 0;
    try {
      if (list.foundNewest) await this.refetch(list, end);
      if (position !== undefined && (position < end || !list.foundNewest)) await this.refetch(list, position);
      return true;
    } catch {
      return false;
    }
  }

  /** refetch replaces the messages of a list from an ID onwards, up to the end of the fetched page. */
  private async refetch(list: MessageList, from: number): Promise<void> {
    const { generation, narrow } = list;
    const page = await this.request(narrow, from, 0, 2 * PAGE);
    if (list.generation !== generation || list.narrow !== narrow) return;
    // Unchanged messages stay the same objects, so that their rows are not rendered again.
    this.messages.put(page.messages.filter((m) => JSON.stringify(m) !== JSON.stringify(this.messages.get(m.id))));
    this.onFetched(page.messages.map((m) => m.id));
    const to = page.found_newest ? Infinity : (page.messages.at(-1)?.id ?? from);
    const rest = list.ids.filter((id) => id > to);
    const ids = [...list.ids.filter((id) => id < from), ...page.messages.map((m) => m.id), ...rest];
    if (rest.length === 0) list.foundNewest = page.found_newest;
    if (ids.length > MAX_IDS) list.foundOldest = false;
    list.ids = ids.slice(-MAX_IDS);
  }

  private async extend(list: MessageList, way: 'older' | 'newer'): Promise<void> {
    const from = way === 'older' ? list.ids[0] : list.ids.at(-1);
    const done = way === 'older' ? list.foundOldest : list.foundNewest;
    if (list.loading || !list.loaded || done || from === undefined) return;
    const { generation, narrow } = list;
    list.loading = way;
    try {
      const page = await this.fetch(narrow, from, way === 'older' ? PAGE : 0, way === 'newer' ? PAGE : 0);
      if (list.narrow !== narrow) list.loading = undefined; // the conversation has moved
      if (list.narrow !== narrow || list.generation !== generation) return;
      const found = page.messages.map((m) => m.id).filter((id) => (way === 'older' ? id < from : id > from));
      if (way === 'older') {
        list.ids = [...found, ...list.ids];
        list.foundOldest = page.found_oldest;
        if (list.ids.length > MAX_IDS) {
          list.ids = list.ids.slice(0, MAX_IDS);
          list.foundNewest = false;
        }
      } else {
        list.ids = [...list.ids.filter((id) => id <= from), ...found];
        list.foundNewest = page.found_newest;
        this.addArrived(list);
        if (list.ids.length > MAX_IDS) {
          list.ids = list.ids.slice(-MAX_IDS);
          list.foundOldest = false;
        }
      }
      list.error = undefined;
    } catch (e) {
      list.error = asError(e);
    }
    list.loading = undefined;
  }

  /** addArrived adds the messages received during a request, if the list now extends to the newest message. */
  private addArrived(list: MessageList): void {
    if (!list.foundNewest) return;
    for (const id of list.arrived) if (this.messages.get(id)) list.add(id);
    list.arrived = [];
    list.later = [];
  }

  /** request asks again, a few times, if events have contradicted the response meanwhile. */
  private async request(narrow: Narrow, anchor: Anchor, before: number, after: number): Promise<MessagePage> {
    for (let tries = 1; ; tries++) {
      const changes = this.changes;
      const changed = new Set<number>();
      this.underWay.add(changed);
      try {
        const page = await this.http.call<MessagePage>('GET', '/messages', {
          anchor: String(anchor),
          num_before: before,
          num_after: after,
          narrow: this.spectator ? onlyPublic(terms(narrow)) : terms(narrow),
          client_gravatar: false,
          allow_empty_topic_name: true,
        });
        const current = changes === this.changes && !page.messages.some((m) => changed.has(m.id));
        if (current || tries === MAX_TRIES) return page;
      } finally {
        this.underWay.delete(changed);
      }
    }
  }

  /** changed records that an event has changed messages: a response under way may contain them as they were before. */
  changed(ids: readonly number[]): void {
    for (const changed of this.underWay) for (const id of ids) changed.add(id);
  }

  private async fetch(narrow: Narrow, anchor: Anchor, before: number, after: number): Promise<MessagePage> {
    const page = await this.request(narrow, anchor, before, after);
    this.messages.put(page.messages);
    this.onFetched(page.messages.map((m) => m.id));
    for (const m of page.messages) if (m.flags.includes('starred')) this.messages.starred.add(m.id);
    return page;
  }

  /** received adds a new message to the matching lists that extend to the newest message. */
  received(m: Message, flags: readonly string[], v: Visibility, shown?: MessageList): void {
    for (const list of this.lists.values()) {
      const here = matches(list.narrow, m, flags, v);
      if (here === undefined && list === shown) {
        // The server matches only messages that the user has received.
        if (m.stream_id !== undefined && !v.joined(m.stream_id)) this.searchAgain(list);
        else this.matchLater(list, m.id);
      }
      if (here !== true) continue;
      if (list.loaded && list.foundNewest) list.add(m.id);
      else if (list.loading) list.arrived.push(m.id);
      if (list.loaded && !list.foundNewest) list.later = [...list.later, m.id];
    }
  }

  /** searchAgain repeats the end of a search, once for all messages that arrive meanwhile. */
  private searchAgain(list: MessageList): void {
    this.searchTimer ??= setTimeout(() => {
      this.searchTimer = undefined;
      void this.refresh(list, undefined);
    }, MATCH_DELAY);
  }

  /** matchLater has the server match recent messages against a search, many per request. */
  private matchLater(list: MessageList, id: number): void {
    if (!list.loaded || !list.foundNewest) return;
    if (this.matchList !== list) this.unmatched = [];
    this.matchList = list;
    this.unmatched.push(id);
    this.matchTimer ??= setTimeout(() => {
      this.matchTimer = undefined;
      const target = this.matchList!;
      const ids = this.unmatched.splice(0).slice(-MAX_MATCHED);
      this.http
        .call<{ messages: Record<string, { match_content: string }> }>('GET', '/messages/matches_narrow', {
          msg_ids: ids,
          narrow: terms(target.narrow),
        })
        .then((answer) => {
          for (const [key, found] of Object.entries(answer.messages)) {
            this.messages.update(Number(key), (m) => ({ ...m, match_content: found.match_content }));
            if (this.messages.get(Number(key))) target.add(Number(key));
          }
        })
        .catch(() => undefined); // they are found when the search is opened again
    }, MATCH_DELAY);
  }

  /** lost forgets the lists of channels whose messages the user can no longer read, except for the shown one. */
  lost(channels: ReadonlySet<number>, shown: MessageList | undefined): void {
    this.changes++;
    for (const [k, list] of [...this.lists]) {
      const n = list.narrow;
      const inside = (n.kind === 'channel' || n.kind === 'topic') && channels.has(n.channel);
      if (inside && list !== shown) this.lists.delete(k);
    }
  }

  /**
   * gained fetches again what may lack messages of channels that the user can read now. Of those that the user could
   * read before, messages may be missing in every list; of the others only in their own.
   */
  gained(channels: ReadonlySet<number>, before: ReadonlySet<number>, shown?: MessageList, position?: number): void {
    for (const [k, list] of [...this.lists]) {
      if (list !== shown) {
        if (mayHold(list, channels)) this.lists.delete(k);
      } else if (list.narrow.kind === 'channel' || list.narrow.kind === 'topic') {
        if (channels.has(list.narrow.channel)) void this.load(list, 'newest');
      } else if (before.size > 0 && mayHold(list, before)) void this.load(list, position ?? 'newest');
    }
    for (const channel of before) void this.fetchStarred(channel).catch(() => undefined);
  }

  /** fetchStarred finds the starred messages of a channel. */
  private async fetchStarred(channel: number): Promise<void> {
    const starred = { operator: 'is', operand: 'starred' };
    const terms = [starred, { operator: 'channel', operand: channel }];
    await this.fetch({ kind: 'search', terms }, 'newest', MAX_IDS, 0);
  }

  /** rematch matches an edited message against the search on the screen. */
  rematch(id: number, shown: MessageList | undefined): void {
    if (shown?.narrow.kind !== 'search' || !this.messages.get(id)) return;
    if (shown.foundOldest || id >= (shown.ids[0] ?? Infinity)) this.matchLater(shown, id);
  }

  /** edited updates the list of mentions after an edit, which can add and remove them. */
  edited(id: number, flags: readonly string[], shown: MessageList | undefined): void {
    const list = this.lists.get(key({ kind: 'is', what: 'mentioned' }));
    if (!list) return;
    this.changes++;
    if (!mentions(flags)) list.remove(new Set([id]));
    else if (list.loaded && !list.ids.includes(id)) this.include(list, id, shown);
  }

  /** include adds a message to the loaded part of a list, which is fetched again if the message is unknown. */
  private include(list: MessageList, id: number, shown: MessageList | undefined): void {
    const [first, last] = [list.ids[0] ?? Infinity, list.ids.at(-1) ?? 0];
    if ((id < first && !list.foundOldest) || (id > last && !list.foundNewest)) return;
    if (this.messages.get(id)) list.add(id);
    else if (list === shown) void this.load(list, list.ids[0] ?? 'newest');
    else this.lists.delete(key(list.narrow));
  }

  deleted(ids: readonly number[]): void {
    this.changes++;
    const gone = new Set(ids);
    for (const list of this.lists.values()) list.remove(gone);
  }

  /**
   * moved removes moved messages from their old lists. The new ones are fetched when they are opened, except for the
   * shown list if its whole topic has moved: it follows.
   */
  moved(e: MovedEvent, shown: MessageList | undefined, follows?: Following): void {
    this.changes++;
    const ids = new Set(e.message_ids);
    for (const [k, list] of [...this.lists]) {
      if (follows && list === shown) continue;
      const kind = list.narrow.kind;
      if (kind === 'topic' || kind === 'search' || (kind === 'channel' && e.new_stream_id !== undefined)) {
        const touches = list.ids.some((id) => ids.has(id));
        const target = this.isTarget(list.narrow, e);
        if (!touches && !target) continue;
        if (target && list === shown) void this.load(list, list.ids[0] ?? 'newest');
        else if (target || kind === 'search') {
          if (list !== shown) this.lists.delete(k);
        } else list.remove(ids);
      }
    }
    if (follows && shown) this.follow(shown, follows.to, follows.position);
  }

  /**
   * follow makes the shown list that of the conversation to which its whole topic has moved, so that its rows, and what
   * is written in them, stay. Messages that were there before are fetched.
   */
  private follow(list: MessageList, to: Conversation, position: number | undefined): void {
    this.lists.delete(key(list.narrow));
    list.narrow = to;
    this.lists.set(key(to), list);
    if (!list.loaded) return;
    const at = position === undefined ? -1 : list.ids.indexOf(position);
    const from = at < 0 ? Math.max(0, list.ids.length - PAGE) : Math.max(0, at - PAGE / 2);
    const ids = list.ids.slice(from, from + PAGE);
    if (from + PAGE < list.ids.length) list.foundNewest = false;
    list.foundOldest = false;
    list.ids = ids;
    void this.refetch(list, ids[0] ?? 0).catch(() => this.load(list, position ?? 'newest'));
  }

  private isTarget(n: Narrow, e: MovedEvent): boolean {
    const channel = e.new_stream_id ?? e.stream_id;
    const topic = e.subject ?? e.orig_subject;
    return (
      key(n) === key({ kind: 'topic', channel, topic }) || (n.kind === 'channel' && n.channel === e.new_stream_id)
    );
  }

  /**
   * flagged updates the list of starred messages. What has lost its star stays there until the list is opened again,
   * which allows undoing.
   */
  flagged(e: EventOfType<'update_message_flags'>, shown: MessageList | undefined): void {
    if (e.flag !== 'read') this.changed(e.messages); // views ask Unread what is read
    if (e.flag !== 'starred') return;
    this.changes++;
    const list = this.lists.get(STARRED);
    if (!list?.loaded || e.op === 'remove') return;
    for (const id of e.messages) if (!list.ids.includes(id)) this.include(list, id, shown);
  }

  /** reset clears all lists after a new registration and reloads the visible one. */
  reset(shown: MessageList | undefined, anchor: Anchor): void {
    this.lists.clear();
    this.messages.clear();
    if (!shown) return;
    this.lists.set(key(shown.narrow), shown);
    void this.load(shown, anchor);
  }
}

/** mayHold reports whether a list may contain messages of some channels. */
function mayHold({ narrow }: MessageList, channels: ReadonlySet<number>): boolean {
  if (narrow.kind === 'channel' || narrow.kind === 'topic') return channels.has(narrow.channel);
  return narrow.kind !== 'dm' && !(narrow.kind === 'is' && narrow.what === 'dm');
}

function asError(e: unknown): ApiError {
  return e instanceof ApiError ? e : new ApiError(0, 'CLIENT', String(e));
}
