import { calls, http, store } from '../client.ts';
import type { Message } from '../api/types.ts';
import type { Method, Params } from '../api/http.ts';
import { reader } from '../texts/language.svelte.ts';
import { text } from '../texts/index.ts';
import { Role } from '../store/roles.ts';
import { nav } from '../shell/nav.svelte.ts';
import { ui } from '../shell/ui.svelte.ts';

// A server module can extend this client with a script and a style sheet, which the server lists in the page.
// README.md describes the script's interface. Whatever a script throws is contained in its own extension.

/** Listed is an extension as the server lists it. */
interface Listed {
  name: string;
  script: string;
  style?: string;
}

type Label = string | (() => string);

interface Mounted {
  /** element is the container for the module's content. The module's style sheet applies only inside it. */
  (element: HTMLElement, path: string): void | (() => void) | Promise<void | (() => void)>;
}

interface PagePart {
  id: string;
  title: Label;
  mount: Mounted;
}

/** MessageFacts holds the fields of a message that modules receive. */
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
  /** page is the module's page that the entry opens, optionally followed by a path. */
  page?: string;
  run?: () => void | Promise<void>;
  count?: () => number;
}

type Catalogues = Record<string, Record<string, string>>;

const named = (l: Label) => (typeof l === 'function' ? l() : l);

/** Extension is a module's extension of this client, filled while its script runs. */
export class Extension {
  readonly name: string;
  readonly style: string | undefined;
  pages = $state.raw<PagePart[]>([]);
  settings = $state.raw<PagePart[]>([]);
  actions = $state.raw<ActionPart[]>([]);
  entries = $state.raw<EntryPart[]>([]);
  /** failed holds what the script threw while loading. */
  failed = $state.raw<unknown>();
  private catalogues = $state.raw<Catalogues>({});

  constructor(listed: Listed) {
    this.name = listed.name;
    this.style = listed.style;
  }

  /** safely runs module code. It reports anything thrown and returns otherwise instead. */
  safely<T>(run: () => T, otherwise: T): T {
    try {
      return run();
    } catch (e) {
      this.report(e);
      return otherwise;
    }
  }

  /** runAction runs an action started by the user, and shows a message if it fails. */
  async runAction(run: () => void | Promise<void>): Promise<void> {
    try {
      await run();
    } catch (e) {
      this.report(e);
      ui.toast(() => text.moduleFailed(this.name), 'error');
    }
  }

  report(e: unknown): void {
    console.warn(`The module ${this.name} has failed.`, e);
  }

  /** text returns a text of the module in the current language, or else in English, if it has one. */
  text(name: string): string | undefined {
    return this.catalogues[reader.language.code]?.[name] ?? this.catalogues.en?.[name];
  }

  label(l: Label): string {
    return this.safely(() => String(named(l)), this.name);
  }

  /** api is the complete interface offered to a module. */
  readonly api = Object.freeze({
    version: 1,
    page: (p: PagePart) => void (this.pages = [...this.pages, p]),
    settings: (p: PagePart) => void (this.settings = [...this.settings, p]),
    messageAction: (a: ActionPart) => void (this.actions = [...this.actions, a]),
    sidebar: (e: EntryPart) => void (this.entries = [...this.entries, e]),
    /** strings adds texts by language and name. */
    strings: (all: Catalogues) => void (this.catalogues = { ...this.catalogues, ...all }),
    /** t returns a text in the current language, or else in English, with each {name} replaced by its value. */
    t: (name: string, values: Record<string, string | number> = {}): string => {
      const found = this.text(name) ?? name;
      return found.replace(/\{(\w+)\}/g, (whole, key: string) => String(values[key] ?? whole));
    },
    language: () => reader.language.tag,
    /** call performs an operation of the public API as the current user. */
    call: <T>(method: Method, path: string, params?: Params): Promise<T> => http.call<T>(method, path, params),
    user: () => ({
      id: store.me,
      name: store.users.self?.full_name ?? '',
      role: store.users.self?.role ?? Role.guest,
    }),
    nameOf: (user: number) => store.users.get(user)?.full_name,
    rawContent: (message: number) => calls.rawContent(message),
    open: (page: string, path = '') => nav.goHash('#' + ['module', this.name, page, path].filter(Boolean).join('/')),
    toast: (shown: string) => ui.toast(() => String(shown)),
  });
}

/** Extensions manages the extensions of all modules. */
class Extensions {
  list = $state.raw<Extension[]>([]);
  loaded = $state(false);

  /** start loads all listed scripts in parallel, so that a failing one does not delay the others. */
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

/** listed returns the extensions that the server lists, restricted to its own paths like the page's CSP. */
function listed(): Listed[] {
  const content = document.querySelector<HTMLMetaElement>('meta[name="stoa-modules"]')?.content;
  if (!content || store.spectator) return [];
  const all = JSON.parse(content) as Listed[];
  return all.filter((l) => [l.script, l.style ?? l.script].every((path) => path.startsWith('/static/web/modules/')));
}

export const extensions = new Extensions();

/** textOf returns a text that a module has for something that the server names. */
export function textOf(name: string): string | undefined {
  for (const e of extensions.list) {
    const found = e.text(name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** actionsFor returns the actions that modules offer for a message. */
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
        run: () => void e.runAction(() => a.run(facts)),
      })),
  );
}
