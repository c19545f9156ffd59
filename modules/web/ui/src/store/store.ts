import { isKnown, type RawEvent, type ServerEvent } from '../api/events.ts';
import type { Http } from '../api/http.ts';
import type { Message, Needs, Snapshot } from '../api/types.ts';
import { Access } from './access.ts';
import { Administration } from './administration.ts';
import { Cell } from './cell.ts';
import { Can } from './can.ts';
import { Channels } from './channels.ts';
import { Connection } from './connection.ts';
import { Drafts } from './drafts.ts';
import { Edits } from './edits.ts';
import { EmojiSet } from './emoji.ts';
import { Follow } from './follow.ts';
import { Lists, type MessageList } from './lists.ts';
import { Maintenance } from './maintenance.ts';
import { MessageEvents } from './messageevents.ts';
import { Messages } from './messages.ts';
import { ModuleSettings } from './modulesettings.ts';
import type { Conversation, Visibility } from './narrow.ts';
import { Offline, type WasRead } from './offline.ts';
import { Outbox } from './outbox.ts';
import { ownerOf } from './owner.ts';
import { Personal } from './personal.ts';
import { Reading } from './reading.ts';
import { Realm } from './realm.ts';
import { Recent } from './recent.ts';
import type { Storage } from './storage.ts';
import { Subscribers } from './subscribers.ts';
import { Topics } from './topics.ts';
import { Typing } from './typing.ts';
import { Unread } from './unread.ts';
import { collator, Users } from './users.ts';
import type { Wire } from './tabs.ts';
import type { Vault } from './vault.ts';

/** Spoken is how much screen readers announce: all messages, direct messages and mentions, or nothing. */
export type Spoken = 'all' | 'direct' | 'none';

export interface Environment {
  http: Http;
  /** local survives the page; session survives reloads within the tab. */
  local: Storage;
  session: Storage;
  now: () => number;
  /** vault saves the last known state for a page without a connection. */
  vault?: Vault;
  /** checkVersion is called before each registration to check that the page is not older than the server. */
  checkVersion?(): Promise<void>;
  /** owner returns the user of the browser's session as the server names it (ownerOf), or undefined without one. */
  owner?(): string | undefined;
  /** otherUser is called when a registration is not that of the user whose state this is. The page must start over. */
  otherUser?(): void;
  /** replaced is called if this browser stores something of a user who was logged in before. */
  replaced?(): void;
  /** spectator is true if nobody is logged in. */
  spectator?: boolean;
  /** wire connects the tabs of a browser, which share one queue. */
  wire?: Wire;
  /** rest lets the page respond between parts of much work. */
  rest?(): Promise<void>;
}

/** SAVED_MESSAGES is the number of messages per list saved for a page without a connection. */
const SAVED_MESSAGES = 100;

/** MAX_SKEW is the clock skew, in milliseconds, above which the server's clock is used. */
const MAX_SKEW = 10_000;

/**
 * Store holds all client state, built from the registration and its events. It depends on neither a framework nor the
 * DOM.
 */
export class Store {
  readonly http: Http;
  readonly users = new Users();
  readonly channels = new Channels();
  readonly unread = new Unread(this.channels);
  readonly messages = new Messages();
  readonly emoji: EmojiSet;
  readonly personal = new Personal();
  readonly realm = new Realm();
  readonly moduleSettings = new ModuleSettings();
  readonly administration = new Administration();
  readonly can = new Can(this);
  readonly access = new Access(this.can, this.channels, this.users);
  readonly subscribers: Subscribers;
  readonly lists: Lists;
  readonly follow: Follow;
  readonly topics: Topics;
  readonly recent: Recent;
  readonly reading: Reading;
  readonly outbox: Outbox;
  readonly drafts: Drafts;
  readonly edits: Edits;
  readonly typing: Typing;
  readonly connection: Connection;
  readonly offline: Offline;
  readonly maintenance: Maintenance;
  readonly spectator: boolean;
  /** owner is the user whose state this is; undefined before the first registration and for spectators. */
  owner: string | undefined;
  /** shown is the list on the screen. It survives a new registration. */
  shown: MessageList | undefined;
  /** position is the ID of the topmost visible message. */
  position: number | undefined;
  /** onMessage is called for each new message after the store has applied it. */
  onMessage: (m: Message, flags: readonly string[]) => void = () => undefined;
  /** onGone is called with the IDs of messages that were deleted or that the user can no longer read. */
  onGone: (ids: readonly number[]) => void = () => undefined;
  /** onOther is called for each event that the client does not know, from modules of the server. */
  onOther: (e: RawEvent) => void = () => undefined;
  /** onMissed is called after a new registration, before which events may have been lost. */
  onMissed: () => void = () => undefined;
  /** onTopicMoved is called when the whole topic on the screen has moved. */
  onTopicMoved: (to: Conversation) => void = () => undefined;
  private env: Environment;
  private readonly messageEvents = new MessageEvents(this);
  private readonly cell = new Cell();
  #ready = false;
  #asOf: number | undefined;
  private skew = 0;

  constructor(env: Environment) {
    this.env = env;
    this.http = env.http;
    this.spectator = env.spectator ?? false;
    this.subscribers = new Subscribers(env.http);
    this.lists = new Lists(env.http, this.messages, this.spectator);
    this.follow = new Follow(env.http, (e) => this.messageEvents.followed(e));
    this.topics = new Topics(env.http);
    this.recent = new Recent(env.http, this.spectator);
    this.reading = new Reading(env.http, this.messages, this.unread);
    const handler = {
      registered: (s: Snapshot) => {
        if (this.owner !== undefined && this.owner !== ownerOf(s)) {
          this.connection.stop();
          this.env.otherUser?.();
          return;
        }
        this.asOf = undefined;
        const again = this.ready;
        this.reset(s);
        if (!this.spectator) this.offline.registered(s);
        if (again) this.onMissed();
      },
      event: (e: RawEvent) => {
        this.apply(e);
        this.offline.event(e);
        if (!isKnown(e)) this.onOther(e);
      },
      caughtUp: () => {
        void this.maintenance.look();
        this.outbox.caughtUp();
        if (this.shown) this.lists.retry(this.shown);
      },
      unreachable: () => this.resume(),
      checkVersion: () => this.env.checkVersion?.() ?? Promise.resolve(),
      rest: () => this.rest(),
      led: () => this.offline.led(),
      followed: () => this.offline.read(),
      read: (what: WasRead) => this.offline.readElsewhere(what),
      wasRead: () => this.offline.wasRead(),
    };
    this.connection = new Connection(env.http, handler, this.spectator, env.wire);
    // A page may save only while the session is its user's, and no other page has logged out or in.
    const current = () => (env.local.owned ? env.owner?.() : undefined);
    this.offline = new Offline(
      env.vault,
      env.now,
      () => this.lists.snapshot(SAVED_MESSAGES),
      current,
      this.connection,
    );
    this.emoji = new EmojiSet(env.local);
    this.outbox = new Outbox(env.http, env.local, () => this.connection.queue, env.now);
    this.outbox.onSent = () => this.follow.now();
    this.outbox.connected = () => this.connection.state === 'online' && !this.maintenance.on;
    this.maintenance = new Maintenance(env.http);
    this.maintenance.onEnd = () => this.outbox.caughtUp();
    this.lists.onFetched = (ids) => {
      this.outbox.found(ids);
      this.offline.read();
    };
    const reaches = (c: Conversation) => {
      const channel = c.kind === 'topic' ? this.channels.get(c.channel) : undefined;
      return c.kind === 'dm' || (this.can.read(channel) && !channel!.is_archived);
    };
    this.drafts = new Drafts(env.http, env.local, env.session, env.now, reaches);
    this.edits = new Edits(env.local, env.now);
    const may = (c: Conversation) => c.kind === 'dm' || this.can.post(this.channels.get(c.channel));
    this.typing = new Typing(env.http, env.now, may);
  }

  get ready(): boolean {
    this.cell.track();
    return this.#ready;
  }

  private set ready(ready: boolean) {
    this.#ready = ready;
    this.cell.touch();
  }

  /** asOf is when the shown state was saved, in milliseconds, while the server is unreachable. */
  get asOf(): number | undefined {
    this.cell.track();
    return this.#asOf;
  }

  private set asOf(at: number | undefined) {
    this.#asOf = at;
    this.cell.touch();
  }

  start(): void {
    void this.connection.run();
  }

  private async rest(): Promise<void> {
    await this.env.rest?.();
  }

  /** prepare does in advance, while the page is idle, what would take long when it is needed. */
  prepare(): Promise<void> {
    return this.users.prepare(() => this.rest());
  }

  /** sortAs sorts names by a language's collation. */
  sortAs(locale: string): void {
    collator.use(locale);
  }

  /** resume restores the state saved by an earlier page, since the server is unreachable. */
  private async resume(): Promise<boolean> {
    if (this.ready) return true;
    const saved = this.spectator ? undefined : await this.offline.restore();
    if (!saved || this.ready) return this.ready;
    this.asOf = saved.at;
    this.reset({ ...saved.snapshot, server_timestamp: 0 });
    this.messages.put(saved.messages);
    this.lists.restore(saved.lists);
    this.recent.addAll(saved.messages);
    for (const e of saved.events) {
      try {
        this.apply(e);
      } catch {
        break; // later events may depend on it
      }
    }
    return true;
  }

  /** restore loads unsent text, after deleting it if a different user was logged in with this browser. */
  private restore(owner: string, user: number): void {
    const other = this.env.local.claim(owner, user);
    if (this.env.session.claim(owner, user) || other) this.env.replaced?.();
    this.drafts.restore();
    this.outbox.restore(this.env.session.get('tab') ?? '');
  }

  /** lastLanguage is the code of the language last used in this browser. */
  get lastLanguage(): string | undefined {
    const code = this.env.local.get('language');
    return typeof code === 'string' ? code : undefined;
  }

  set lastLanguage(code: string) {
    this.env.local.set('language', code);
  }

  /** spoken is which messages outside the open view screen readers announce in this browser. */
  get spoken(): Spoken {
    return this.env.local.get<Spoken>('spoken') ?? 'direct';
  }

  set spoken(which: Spoken) {
    this.env.local.set('spoken', which);
  }

  /** forget deletes all data saved in the browser, for a logout. */
  forget(): Promise<void> {
    this.env.local.clear();
    this.env.session.clear();
    return this.offline.forget();
  }

  /** now is the current time in seconds, corrected by the server's clock if the local one is wrong. */
  get now(): number {
    return Math.floor((this.env.now() + this.skew) / 1000);
  }

  /** has reports whether the server has what a part of the client needs. */
  has(needs: Needs | undefined): boolean {
    return this.realm.has(needs);
  }

  get me(): number {
    return this.users.me;
  }

  get visibility(): Visibility {
    return {
      me: this.me,
      joined: (channel) => this.channels.subscribed.has(channel),
      inHome: (channel, topic) => this.channels.inHome(channel, topic),
    };
  }

  /** reset applies a snapshot and drops all state that it may contradict. */
  reset(s: Snapshot): void {
    const skew = s.server_timestamp > 0 ? s.server_timestamp * 1000 - this.env.now() : 0;
    this.skew = Math.abs(skew) > MAX_SKEW ? skew : 0;
    this.realm.reset(s);
    this.administration.reset();
    this.users.reset(s);
    this.users.hidePresences(this.realm.flag('realm_presence_disabled'));
    this.channels.reset(s);
    this.access.change();
    this.subscribers.reset();
    this.personal.reset(s);
    this.moduleSettings.reset(s);
    this.emoji.reset(s);
    this.unread.reset(s);
    this.unread.forget(this.reading.unsent());
    this.messages.starred.replace(s.starred_messages);
    this.recent.reset(s);
    this.drafts.reset(s, this.asOf === undefined);
    this.typing.reset(s);
    const again = this.ready;
    this.ready = true;
    if (!again && !this.spectator) {
      this.owner = ownerOf(s);
      this.restore(this.owner, s.user_id);
    }
    if (again) {
      this.topics.reset();
      this.lists.reset(this.shown, this.position ?? 'newest');
      this.outbox.lostQueue();
    }
  }

  /** apply applies an event. It ignores events that the client does not know. */
  apply(e: RawEvent): void {
    if (!isKnown(e)) return;
    this.applyKnown(e);
    this.messageEvents.accessChanged(e);
  }

  private applyKnown(e: ServerEvent): void {
    switch (e.type) {
      case 'message':
      case 'update_message':
      case 'delete_message':
        this.messageEvents.apply(e);
        break;
      case 'reaction':
      case 'submessage':
        this.messages.apply(e);
        this.lists.changed([e.message_id]);
        break;
      case 'update_message_flags':
        this.messages.apply(e);
        this.unread.apply(e);
        this.lists.flagged(e, this.shown);
        break;
      case 'subscription':
        this.channels.apply(e);
        this.subscribers.apply(e);
        break;
      case 'stream':
      case 'user_topic':
      case 'channel_folder':
        this.channels.apply(e);
        break;
      case 'presence':
      case 'user_status':
      case 'muted_users':
      case 'realm_user':
      case 'user_group':
      case 'realm_bot':
        this.users.apply(e);
        break;
      case 'typing':
        this.typing.apply(e);
        break;
      case 'drafts':
        this.drafts.apply(e);
        break;
      case 'realm':
      case 'realm_linkifiers':
      case 'realm_playgrounds':
      case 'realm_domains':
      case 'realm_user_settings_defaults':
      case 'default_streams':
        this.realm.apply(e);
        this.users.hidePresences(this.realm.flag('realm_presence_disabled'));
        break;
      case 'stoa_settings':
        this.moduleSettings.apply(e);
        break;
      case 'invites_changed':
      case 'realm_export':
      case 'realm_export_consent':
        this.administration.apply(e);
        break;
      case 'realm_emoji':
        this.emoji.apply(e);
        break;
      case 'user_settings':
      case 'scheduled_messages':
      case 'reminders':
      case 'saved_snippets':
      case 'navigation_view':
      case 'custom_profile_fields':
      case 'alert_words':
      case 'do_not_disturb':
        this.personal.apply(e);
        break;
    }
  }
}
