import { ApiError, type Http } from '../api/http.ts';
import type { Message, MessagePage, Snapshot } from '../api/types.ts';
import { CellMap, Tracked } from './cell.ts';
import { onlyPublic } from './spectator.ts';
import { conversationOf, key, people, terms, type Conversation } from './narrow.ts';

export interface RecentConversation {
  conversation: Conversation;
  lastID: number;
  timestamp: number;
  participants: number[];
}

/** Fact is what Recent knows of a message. */
interface Fact {
  id: number;
  conversation: Conversation;
  sender: number;
  timestamp: number;
}

const FETCHED = 1000;
/** FETCHED_AGAIN is the number of messages fetched of a conversation whose known messages are gone. */
const FETCHED_AGAIN = 20;
/** MAX_TRIES is how often messages are requested while others keep moving and deleting some. */
const MAX_TRIES = 4;
const MAX_PARTICIPANTS = 5;
/** MAX_FACTS is the number of messages above which the older half is forgotten. */
const MAX_FACTS = 4 * FETCHED;

/** Recent lists the conversations of the latest messages, and all direct ones in the snapshot. */
export class Recent extends Tracked {
  private http: Http;
  private topics = new CellMap<string, RecentConversation>();
  private dms = new CellMap<string, RecentConversation>();
  state: 'new' | 'loading' | 'ready' | 'failed' = 'new';
  #facts = new Map<number, Fact>();
  /** #ids holds the IDs of a conversation's known messages. */
  #ids = new Map<string, Set<number>>();
  #me = 0;
  /** #changes counts what a response that is under way may contradict: moves, deletions, and lost channels. */
  #changes = 0;
  #spectator: boolean;

  constructor(http: Http, spectator = false) {
    super();
    this.http = http;
    this.#spectator = spectator;
  }

  reset(s: Snapshot): void {
    this.#me = s.user_id;
    this.#changes++;
    this.#facts.clear();
    this.#ids.clear();
    this.state = 'new';
    this.topics.clear();
    this.dms.replace(
      s.recent_private_conversations.map((c) => {
        const conversation: Conversation = { kind: 'dm', users: people(c.user_ids, this.#me) };
        return [
          key(conversation),
          { conversation, lastID: c.max_message_id, timestamp: 0, participants: [] },
        ] as const;
      }),
    );
  }

  private of(k: string): CellMap<string, RecentConversation> {
    return k.startsWith('dm:') ? this.dms : this.topics;
  }

  async load(): Promise<void> {
    if (this.state === 'loading' || this.state === 'ready') return;
    this.state = 'loading';
    try {
      await this.fetch([], FETCHED);
      this.state = 'ready';
    } catch (e) {
      if (!(e instanceof ApiError)) throw e;
      this.state = 'failed';
    }
  }

  /** fetch adds the latest messages of a narrow. It asks again if events have contradicted the response meanwhile. */
  private async fetch(narrow: ReturnType<typeof terms>, count: number): Promise<void> {
    for (let tries = 1; ; tries++) {
      const changes = this.#changes;
      const page = await this.http.call<MessagePage>('GET', '/messages', {
        anchor: 'newest',
        num_before: count,
        num_after: 0,
        narrow: this.#spectator ? onlyPublic(narrow) : narrow,
        client_gravatar: false,
        allow_empty_topic_name: true,
      });
      if (changes !== this.#changes && tries < MAX_TRIES) continue;
      this.add(page.messages);
      return;
    }
  }

  private add(messages: readonly Message[]): void {
    const touched = new Set<string>();
    const left = new Set<string>(); // a response may be ahead of the event of a move
    for (const m of messages) {
      const former = this.#facts.get(m.id);
      if (former) left.add(key(former.conversation));
      touched.add(
        this.learn({
          id: m.id,
          conversation: conversationOf(m, this.#me),
          sender: m.sender_id,
          timestamp: m.timestamp,
        }),
      );
    }
    if (this.#facts.size > MAX_FACTS) {
      for (const id of [...this.#facts.keys()].sort((a, b) => a - b).slice(0, MAX_FACTS / 2)) this.forget(id);
    }
    for (const k of touched) this.summarize(k);
    for (const k of left) if (!touched.has(k)) this.derive(k);
  }

  private learn(f: Fact): string {
    this.forget(f.id);
    const k = key(f.conversation);
    this.#facts.set(f.id, f);
    const ids = this.#ids.get(k) ?? new Set();
    this.#ids.set(k, ids.add(f.id));
    return k;
  }

  /** forget returns the key of the conversation that a message was known in. */
  private forget(id: number): string | undefined {
    const f = this.#facts.get(id);
    if (!f) return undefined;
    const k = key(f.conversation);
    this.#facts.delete(id);
    const ids = this.#ids.get(k)!;
    ids.delete(id);
    if (ids.size === 0) this.#ids.delete(k);
    return k;
  }

  /** summarize derives a conversation from its known messages, and reports whether there are any. */
  private summarize(k: string): boolean {
    const facts = [...(this.#ids.get(k) ?? [])].map((id) => this.#facts.get(id)!).sort((a, b) => b.id - a.id);
    const last = facts[0];
    if (!last) return false;
    const participants = [...new Set(facts.map((f) => f.sender))].slice(0, MAX_PARTICIPANTS);
    const known = this.of(k).get(k);
    // The snapshot may name a later message of a direct conversation.
    if (!known || known.timestamp > 0 || known.lastID <= last.id)
      this.of(k).set(k, {
        conversation: last.conversation,
        lastID: last.id,
        timestamp: last.timestamp,
        participants,
      });
    return true;
  }

  /** addAll adds the conversations of messages saved by an earlier page. */
  addAll(messages: readonly Message[]): void {
    this.add(messages);
    this.state = 'ready';
  }

  received(m: Message): void {
    const conversation = conversationOf(m, this.#me);
    const k = key(conversation);
    const known = this.of(k).get(k);
    if (!known || known.timestamp === 0 || m.id <= known.lastID || this.#facts.size >= MAX_FACTS) {
      this.add([m]);
      return;
    }
    const { id: lastID, sender_id: sender, timestamp } = m;
    this.learn({ id: lastID, conversation, sender, timestamp });
    const others = known.participants.filter((user) => user !== sender);
    const participants = [sender, ...others].slice(0, MAX_PARTICIPANTS);
    this.of(k).set(k, { conversation, lastID, timestamp, participants });
  }

  /** moved puts messages into another topic. whole means that no message remains in the former one. */
  moved(ids: readonly number[], to: { channel: number; topic: string }, whole: boolean): void {
    this.#changes++;
    const left = new Set<string>();
    const conversation: Conversation = { kind: 'topic', ...to };
    let found = false;
    for (const id of ids) {
      const f = this.#facts.get(id);
      if (!f) continue;
      left.add(key(f.conversation));
      this.learn({ ...f, conversation });
      found = true;
    }
    left.delete(key(conversation));
    if (found) this.summarize(key(conversation));
    for (const k of left) this.derive(k, whole);
  }

  deleted(ids: readonly number[]): void {
    this.#changes++;
    const left = new Set<string>();
    for (const id of ids) {
      const k = this.forget(id);
      if (k !== undefined) left.add(k);
    }
    // Direct conversations of the snapshot whose latest message is not known otherwise.
    const gone = new Set(ids);
    for (const [k, c] of this.dms) if (c.timestamp === 0 && gone.has(c.lastID)) left.add(k);
    for (const k of left) this.derive(k);
  }

  /**
   * derive updates a conversation that has lost messages. If none is known any more, it is dropped, since its topic may
   * be gone, and older messages are fetched unless there are none.
   */
  private derive(k: string, empty = false): void {
    const former = this.of(k).get(k);
    this.of(k).delete(k);
    if (this.summarize(k) || !former || empty) return;
    if (this.state === 'new' && former.conversation.kind === 'topic') return; // load will find it
    this.fetch(terms(former.conversation), FETCHED_AGAIN).catch(() => {
      // Without a connection, the next registration starts over. A refused conversation is not shown.
    });
  }

  /** lost drops everything of channels whose messages the user can no longer read. */
  lost(channels: ReadonlySet<number>): void {
    this.#changes++;
    const inside = (c: Conversation) => c.kind === 'topic' && channels.has(c.channel);
    for (const f of [...this.#facts.values()]) if (inside(f.conversation)) this.forget(f.id);
    for (const [k, c] of [...this.topics]) if (inside(c.conversation)) this.topics.delete(k);
  }

  /** invalidate loads everything again when it is needed, because there may be more conversations. */
  invalidate(): void {
    this.#changes++;
    if (this.state === 'ready') this.state = 'new';
  }

  all(): RecentConversation[] {
    return [...this.topics.values(), ...this.dms.values()].sort(newestFirst);
  }

  has(c: Conversation): boolean {
    return (c.kind === 'dm' ? this.dms : this.topics).has(key(c));
  }

  direct(): RecentConversation[] {
    return [...this.dms.values()].sort(newestFirst);
  }
}

function newestFirst(a: RecentConversation, b: RecentConversation): number {
  return b.lastID - a.lastID;
}
