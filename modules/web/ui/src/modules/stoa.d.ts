// The interface that the client passes to the script of a module, which README.md explains. To have an editor or the
// TypeScript compiler check a script, begin it with
//
//   // @ts-check
//   /** @param {import('.../modules/web/ui/src/modules/stoa.d.ts').Stoa} stoa */
//   export default function example(stoa) {}

/** Label is a text. A function is called again when the language changes. */
export type Label = string | (() => string);

/** Mount fills an element in a shadow tree, where only the module's style sheet applies. It may return a cleanup. */
export type Mount<About> = (element: HTMLElement, about: About) => void | Cleanup | Promise<void | Cleanup>;
export type Cleanup = () => void;

/** Mounted is a part with content of its own. Its ID is unique among the module's parts of the same kind. */
export interface Mounted<About> {
  id: string;
  title: Label;
  mount: Mount<About>;
}

/** Action is a button, or an entry of a menu. */
export interface Action<At> {
  id: string;
  label: Label;
  /** when tells where it is offered; everywhere, if it is missing. */
  when?: (at: At) => boolean;
  run: (at: At) => void | Promise<void>;
}

/** Button is an action with an icon: the URL of one of the module's SVG files, drawn in the colour of the text. */
export interface Button<At> extends Action<At> {
  icon?: string;
}

/** Message holds fields of a message, with the values of GET /messages. */
export interface Message {
  readonly id: number;
  readonly type: 'stream' | 'private';
  readonly sender_id: number;
  /** stream_id is set for messages in channels. */
  readonly stream_id?: number;
  readonly subject: string;
  /** content is HTML. */
  readonly content: string;
  readonly timestamp: number;
  /** submessages hold the data of widgets, as JSON. */
  readonly submessages: readonly {
    readonly sender_id: number;
    readonly msg_type: string;
    readonly content: string;
  }[];
}

export type Conversation =
  { type: 'channel'; stream_id: number; topic: string } | { type: 'direct'; user_ids: readonly number[] };

/** Composer is the box in which a message is written or edited. */
export interface Composer {
  /** to is where the message goes; undefined while that has not been chosen. */
  readonly to: Conversation | undefined;
  text(): string;
  /** insert inserts a text where the caret is. */
  insert(text: string): void;
}

export interface Channel {
  readonly stream_id: number;
  readonly name: string;
  /** topic is set in the view of a topic. */
  readonly topic?: string;
}

export interface Person {
  readonly id: number;
  readonly name: string;
  /** role is that of the API: 100 owner, 200 administrator, 300 moderator, 400 member, 600 guest. */
  readonly role: number;
  readonly is_bot: boolean;
}

export interface AdministrationPart extends Mounted<string> {
  /** for is the lowest role that finds the section; administrators, if it is missing. */
  for?: 'owners' | 'administrators' | 'members';
}

/** MessageRenderer draws messages. */
export interface MessageRenderer {
  id: string;
  when: (m: Message) => boolean;
  /** render returns what is shown instead of the message. A <slot> inside it shows the message as usual. */
  render: (m: Message) => Element;
}

export interface SidebarEntry {
  id: string;
  label: Label;
  /** page is the module's page that the entry opens, optionally followed by a path. */
  page?: string;
  run?: () => void | Promise<void>;
  count?: () => number;
}

/** Command is found in the dialog that Ctrl+K opens, and with slash also in the compose box. */
export interface Command {
  id: string;
  label: Label;
  /** slash is a word that runs the command when a message begins with it. Commands of the server take precedence. */
  slash?: string;
  /** run receives the compose box, and what follows the word, if that is where the command was written. */
  run: (composer?: Composer, operands?: string) => void | Promise<void>;
}

export interface Notice {
  title: string;
  body?: string;
  /** page is the module's page that a click opens, optionally followed by a path. */
  page?: string;
}

/** Event is an event of a module of the server, with its payload. */
export interface Event {
  readonly type: string;
  readonly op?: string;
  readonly [field: string]: unknown;
}

/** Stoa is the client, to a module. */
export interface Stoa {
  /** version changes with incompatible changes of this interface. */
  readonly version: 1;

  /** page adds a page at #module/NAME/ID; mount receives what follows in the address. */
  page(p: Mounted<string>): void;
  /** settings adds a panel to the user's settings. */
  settings(p: Mounted<string>): void;
  /** administration adds a section to the organization's settings. */
  administration(p: AdministrationPart): void;
  /** userCard adds content to the profile of a person. */
  userCard(p: Mounted<Person>): void;
  /** messageRenderer draws messages that it recognizes. */
  messageRenderer(r: MessageRenderer): void;
  /** messageAction adds an entry to the menu of messages. */
  messageAction(a: Action<Message>): void;
  /** composerButton adds a button to the compose box. */
  composerButton(b: Button<Composer>): void;
  /** channelHeader adds a button to the header of channels and their topics. */
  channelHeader(b: Button<Channel>): void;
  /** sidebar adds an entry to the sidebar. */
  sidebar(e: SidebarEntry): void;
  /** command adds a command. */
  command(c: Command): void;

  /**
   * on calls the listener for each event of a type that modules of the server send, and missed when events may have
   * been lost. It returns a function that ends this.
   */
  on(type: string, listener: (e: Event) => void, missed?: () => void): Cleanup;
  /** notify shows a notification, or while the page has the focus a short message, unless the user wants silence. */
  notify(n: Notice): void;

  /** strings adds texts by language and name. */
  strings(all: Record<string, Record<string, string>>): void;
  /** t returns a text in the current language, or else in English, with each {name} replaced by its value. */
  t(name: string, values?: Record<string, string | number>): string;
  /** language returns the tag of the current language. */
  language(): string;

  /** call performs an operation of the public API as the user. It throws an error with a message if it is refused. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- the responses of operations differ
  call<T = any>(
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    path: string,
    params?: Record<string, unknown>,
  ): Promise<T>;
  user(): { id: number; name: string; role: number };
  nameOf(user: number): string | undefined;
  /** rawContent returns a message's source. */
  rawContent(message: number): Promise<string>;
  /** open opens a page of the module. */
  open(page: string, path?: string): void;
  /** toast shows a short message. */
  toast(text: string): void;
}
