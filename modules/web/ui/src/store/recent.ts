import type { Http } from '../api/http.ts';
import { ApiError } from '../api/http.ts';
import type { Message, MessagePage, Snapshot } from '../api/types.ts';
import { CellMap, Tracked } from './cell.ts';
import { onlyPublic } from './spectator.ts';
import { conversationOf, key, people, type Conversation } from './narrow.ts';

export interface RecentConversation {
  conversation: Conversation;
  lastID: number;
  timestamp: number;
  participants: number[];
}

const FETCHED = 1000;
const MAX_PARTICIPANTS = 5;

/** Recent lists the conversations of the latest messages, and all direct ones in the snapshot. */
export class Recent extends Tracked {
  private http: Http;
  private byKey = new CellMap<string, RecentConversation>();
  state: 'new' | 'loading' | 'ready' | 'failed' = 'new';
  private me = 0;

  private spectator: boolean;

  constructor(http: Http, spectator = false) {
    super();
    this.http = http;
    this.spectator = spectator;
  }

  reset(s: Snapshot): void {
    this.me = s.user_id;
    this.byKey.clear();
    this.state = 'new';
    for (const c of s.recent_private_conversations) {
      const conversation: Conversation = { kind: 'dm', users: people(c.user_ids, this.me) };
      this.byKey.set(key(conversation), { conversation, lastID: c.max_message_id, timestamp: 0, participants: [] });
    }
  }

  async load(): Promise<void> {
    if (this.state === 'loading' || this.state === 'ready') return;
    this.state = 'loading';
    try {
      const page = await this.http.call<MessagePage>('GET', '/messages', {
        anchor: 'newest',
        num_before: FETCHED,
        num_after: 0,
        narrow: this.spectator ? onlyPublic([]) : [],
        client_gravatar: false,
        allow_empty_topic_name: true,
      });
      for (const m of page.messages) this.add(m);
      this.state = 'ready';
    } catch (e) {
      if (!(e instanceof ApiError)) throw e;
      this.state = 'failed';
    }
  }

  private add(m: Message): void {
    const conversation = conversationOf(m, this.me);
    const k = key(conversation);
    const known = this.byKey.get(k);
    if (known && known.lastID > m.id) return;
    const others = (known?.participants ?? []).filter((id) => id !== m.sender_id);
    const participants = [m.sender_id, ...others].slice(0, MAX_PARTICIPANTS);
    this.byKey.set(k, { conversation, lastID: m.id, timestamp: m.timestamp, participants });
  }

  /** addAll adds the conversations of messages saved by an earlier page. */
  addAll(messages: readonly Message[]): void {
    for (const m of messages) this.add(m);
    this.state = 'ready';
  }

  received(m: Message): void {
    this.add(m);
  }

  /** invalidate causes a full reload, because messages were moved or deleted. */
  invalidate(): void {
    if (this.state === 'ready') this.state = 'new';
  }

  all(): RecentConversation[] {
    return [...this.byKey.values()].sort((a, b) => b.lastID - a.lastID);
  }

  direct(): RecentConversation[] {
    return this.all().filter((c) => c.conversation.kind === 'dm');
  }
}
