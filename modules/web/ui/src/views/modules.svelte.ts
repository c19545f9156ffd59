import { calls, http, store } from '../app.ts';
import type { Message } from '../api/types.ts';
import type { Method, Params } from '../api/http.ts';
import { reader } from '../messages/language.svelte.ts';
import { text } from '../messages/index.ts';
import { nav } from './nav.svelte.ts';
import { ui } from './ui.svelte.ts';

// A module of a server may bring a part for this client: a script that the server lists in the page, and a style sheet.
// README.md describes what such a script exports and is given. Whatever it throws stays within its own part.

/** Listed is how the server names a module's part. */
interface Listed {
  name: string;
  script: string;
  style?: string;
}

type Label = string | (() => string);

interface Mounted {
  /** element is where a module shows what it likes; its style sheet applies to nothing else. */
  (element: HTMLElement, path: string): void | (() => void) | Promise<void | (() => void)>;
}

interface PagePart {
  id: string;
  title: Label;
  mount: Mounted;
}

/** MessageView is what a module is told of a message. */
type MessageFacts = Readonly<
  Pick<Message, 'id' | 'type' | 'sender_id' | 'stream_id' | 'subject' | 'content' | 'timestamp'>
>;

interface ActionPart {
  id: string;
  label: Label;
  when?: (m: MessageFacts) => boolean;
  run: (m: MessageFacts) => void | Promise<void>;
}

interface EntryPart {
  id: string;
  label: Label;
  /** page is the page of this module that the entry leads to, with what follows it in the address. */
  page?: string;
  run?: () => void | Promise<void>;
  count?: () => number;
}

type Catalogues = Record<string, Record<string, string>>;

const named = (l: Label) => (typeof l === 'function' ? l() : l);

/** Extension is a module's part, once its script has run. */
export class Extension {
  readonly name: string;
  readonly style: string | undefined;
  pages = $state.raw<PagePart[]>([]);
  settings = $state.raw<PagePart[]>([]);
  actions = $state.raw<ActionPart[]>([]);
  entries = $state.raw<EntryPart[]>([]);
  /** failed holds what the script threw when it began. */
  failed = $state.raw<unknown>();
  private catalogues = $state.raw<Catalogues>({});

  constructor(listed: Listed) {
    this.name = listed.name;
    this.style = listed.style;
  }

  /** safely runs code of the module. What it throws is reported and goes no further. */
  safely<T>(run: () => T, otherwise: T): T {
    try {
      return run();
    } catch (e) {
      this.report(e);
      return otherwise;
    }
  }

  /** act runs what somebody has started, who is told if it fails. */
  async act(run: () => void | Promise<void>): Promise<void> {
    try {
      await run();
    } catch (e) {
      this.report(e);
      ui.toast(text.moduleFailed(this.name), 'error');
    }
  }

  report(e: unknown): void {
    console.warn(`The module ${this.name} has failed.`, e);
  }

  label(l: Label): string {
    return this.safely(() => String(named(l)), this.name);
  }

  /** api is all that a module is given. */
  readonly api = Object.freeze({
    version: 1,
    page: (p: PagePart) => void (this.pages = [...this.pages, p]),
    settings: (p: PagePart) => void (this.settings = [...this.settings, p]),
    messageAction: (a: ActionPart) => void (this.actions = [...this.actions, a]),
    sidebar: (e: EntryPart) => void (this.entries = [...this.entries, e]),
    /** strings takes texts by language and name. */
    strings: (all: Catalogues) => void (this.catalogues = { ...this.catalogues, ...all }),
    /** t returns a text in the reader's language, or in English, with {name} replaced by a value. */
    t: (name: string, values: Record<string, string | number> = {}): string => {
      const code = reader.language.code;
      const found = this.catalogues[code]?.[name] ?? this.catalogues.en?.[name] ?? name;
      return found.replace(/\{(\w+)\}/g, (whole, key: string) => String(values[key] ?? whole));
    },
    language: () => reader.language.tag,
    /** call is an operation of the public API, in the name of the reader. */
    call: <T>(method: Method, path: string, params?: Params): Promise<T> => http.call<T>(method, path, params),
    user: () => ({ id: store.me, name: store.users.self?.full_name ?? '', role: store.users.self?.role ?? 600 }),
    nameOf: (user: number) => store.users.get(user)?.full_name,
    rawContent: (message: number) => calls.rawContent(message),
    open: (page: string, path = '') => nav.goHash('#' + ['module', this.name, page, path].filter(Boolean).join('/')),
    toast: (shown: string) => ui.toast(String(shown)),
  });
}

/** Extensions are the parts of all modules. */
class Extensions {
  list = $state.raw<Extension[]>([]);
  loaded = $state(false);

  /** start loads the scripts that the page lists, all at once: one that does not load keeps no other waiting. */
  async start(): Promise<void> {
    await Promise.all(listed().map((l) => this.load(l)));
    this.loaded = true;
  }

  private async load(l: Listed): Promise<void> {
    const one = new Extension(l);
    this.list = [...this.list, one].sort((a, b) => (a.name < b.name ? -1 : 1));
    try {
      const script = (await import(/* @vite-ignore */ l.script)) as { default?: (api: unknown) => unknown };
      await script.default?.(one.api);
    } catch (e) {
      one.failed = e;
      one.report(e);
    }
  }

  get(name: string): Extension | undefined {
    return this.list.find((e) => e.name === name);
  }
}

/** listed reads which scripts the server names. It takes none from elsewhere; neither does the page's policy. */
function listed(): Listed[] {
  const content = document.querySelector<HTMLMetaElement>('meta[name="stoa-modules"]')?.content;
  if (!content || store.spectator) return [];
  const all = JSON.parse(content) as Listed[];
  return all.filter((l) => [l.script, l.style ?? l.script].every((path) => path.startsWith('/static/web/modules/')));
}

export const extensions = new Extensions();

/** actionsFor returns what modules offer for a message. */
export function actionsFor(m: Message): { label: string; icon: 'puzzle'; run: () => void }[] {
  const { id, type, sender_id, subject, content, timestamp } = m;
  const facts: MessageFacts = Object.freeze({
    ...{ id, type, sender_id, subject, content, timestamp },
    ...(m.stream_id === undefined ? {} : { stream_id: m.stream_id }),
  });
  return extensions.list.flatMap((e) =>
    e.actions
      .filter((a) => e.safely(() => a.when?.(facts) ?? true, false))
      .map((a) => ({
        label: e.label(a.label),
        icon: 'puzzle' as const,
        run: () => void e.act(() => a.run(facts)),
      })),
  );
}
