import { ApiError, Http } from '../../src/api/http.ts';
import type { Message, Snapshot } from '../../src/api/types.ts';
import { Storage } from '../../src/store/storage.ts';
import type { Lease, TabMessage, Wire } from '../../src/store/tabs.ts';

export interface Call {
  method: string;
  path: string;
  params: Record<string, string>;
}

type Answer = Record<string, unknown> | Error | Promise<Record<string, unknown>>;

/**
 * fakeHttp returns an Http whose calls are answered by a function. An ApiError with a status becomes an error response;
 * any other error simulates a lost connection.
 */
export function fakeHttp(answer: (call: Call) => Answer, otherUser = () => false) {
  const calls: Call[] = [];
  const waits: number[] = [];
  let out = 0;
  const http = new Http({
    fetch: (async (url: string, init: RequestInit) => {
      const [path, query] = url.split('?');
      const params = Object.fromEntries(init.body ? (init.body as URLSearchParams) : new URLSearchParams(query));
      const call = { method: init.method!, path: path!.replace('/json', ''), params };
      calls.push(call);
      const a = await Promise.resolve(answer(call)).catch((e: Error) => e);
      if (a instanceof ApiError && a.status > 0) {
        return new Response(JSON.stringify({ ...a.data, result: 'error', msg: a.message, code: a.code }), {
          status: a.status,
        });
      }
      if (a instanceof Error) throw new TypeError('Failed to fetch');
      return new Response(JSON.stringify({ result: 'success', msg: '', ...a }));
    }) as typeof fetch,
    csrf: () => 'token',
    renewCsrf: async () => undefined,
    unauthorized: () => out++,
    otherUser,
    waiting: (s) => waits.push(s),
    sleep: async () => undefined,
  });
  return { http, calls, waits, loggedOut: () => out };
}

export const connectionLost = new ApiError(0, 'NETWORK', 'lost');

export function memory(): Storage {
  const values = new Map<string, string>();
  return new Storage(
    () =>
      ({
        getItem: (k: string) => values.get(k) ?? null,
        setItem: (k: string, v: string) => values.set(k, v),
        removeItem: (k: string) => values.delete(k),
      }) as unknown as globalThis.Storage,
    '',
  );
}

export function message(id: number, over: Partial<Message> = {}): Message {
  return {
    id,
    type: 'stream',
    sender_id: 2,
    sender_full_name: 'Ada',
    sender_email: '',
    avatar_url: null,
    content: `<p>${id}</p>`,
    timestamp: 1_700_000_000 + id,
    is_me_message: false,
    stream_id: 1,
    subject: 'news',
    display_recipient: 'general',
    reactions: [],
    submessages: [],
    flags: [],
    ...over,
  };
}

export function snapshot(over: Partial<Snapshot> = {}): Snapshot {
  return {
    queue_id: 'q1',
    last_event_id: -1,
    event_queue_longpoll_timeout_seconds: 90,
    user_id: 1,
    full_name: 'Me',
    email: '',
    realm_users: [],
    realm_non_active_users: [],
    cross_realm_bots: [],
    realm_bots: [],
    realm_user_groups: [],
    realm_emoji: {},
    subscriptions: [],
    unsubscribed: [],
    never_subscribed: [],
    channel_folders: [],
    unread_msgs: { count: 0, pms: [], streams: [], huddles: [], mentions: [] },
    starred_messages: [],
    recent_private_conversations: [],
    user_topics: [],
    muted_users: [],
    user_settings: {},
    user_status: {},
    presences: {},
    presence_last_update_id: -1,
    server_timestamp: 0,
    drafts: [],
    scheduled_messages: [],
    reminders: [],
    saved_snippets: [],
    navigation_views: [],
    alert_words: [],
    custom_profile_fields: [],
    max_message_id: 0,
    realm_linkifiers: [],
    realm_playgrounds: [],
    realm_domains: [],
    realm_default_streams: [],
    realm_user_settings_defaults: {},
    realm_incoming_webhook_bots: [],
    realm_default_external_accounts: {},
    server_supported_permission_settings: { realm: {}, stream: {}, group: {} },
    server_report_message_types: [],
    ...over,
  };
}

/** Wired is a browser whose tabs are connected. */
interface Wired {
  readonly lines: readonly Line[];
  lease: Lease | undefined;
}

/**
 * Line is a Wire whose messages to all tabs arrive in order, after the running code, as in a browser. Those to one tab
 * arrive later than others.
 */
export class Line implements Wire {
  readonly owner: string;
  readonly tab: string;
  frozen = false;
  hasFocus = false;
  private browser: Wired;
  private receive: (m: TabMessage) => void = () => undefined;
  private waiting: TabMessage[] = [];

  constructor(browser: Wired, tab: string, owner: string) {
    this.browser = browser;
    this.tab = tab;
    this.owner = owner;
  }

  post(m: TabMessage, to?: string): void {
    for (const other of this.browser.lines) {
      if (other === this || (to !== undefined && other.tab !== to)) continue;
      const copy = structuredClone(m);
      if (to === undefined) queueMicrotask(() => other.deliver(copy));
      else setTimeout(() => other.deliver(copy), 20);
    }
  }

  listen(receive: (m: TabMessage) => void): void {
    this.receive = receive;
  }

  /** deliver keeps the messages to a frozen tab until it goes on. */
  private deliver(m: TabMessage): void {
    if (this.frozen) this.waiting.push(m);
    else this.receive(m);
  }

  thaw(): void {
    this.frozen = false;
    for (const m of this.waiting.splice(0)) this.receive(m);
  }

  get lease(): Lease | undefined {
    return this.browser.lease && { ...this.browser.lease };
  }

  set lease(lease: Lease | undefined) {
    this.browser.lease = lease;
  }

  now = () => Date.now();

  after(ms: number, run: () => void): () => void {
    const timer = setTimeout(() => this.frozen || run(), ms);
    return () => clearTimeout(timer);
  }

  visible = () => true;
  focused = () => this.hasFocus;
}
