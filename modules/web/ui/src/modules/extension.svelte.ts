import { calls, http, store } from '../client.ts';
import { known, type RawEvent } from '../api/events.ts';
import type { Method, Params } from '../api/http.ts';
import type { Message } from '../api/types.ts';
import { nav } from '../shell/nav.svelte.ts';
import { inform } from '../shell/notices.ts';
import { ui } from '../shell/ui.svelte.ts';
import { encodePath } from '../store/fragment.ts';
import { Role } from '../store/roles.ts';
import { text } from '../texts/index.ts';
import { reader } from '../texts/language.svelte.ts';
import type { Kinds, Listed, Offered } from './modules.svelte.ts';
import type * as stoa from './stoa.d.ts';

type Parts = { [K in keyof Kinds]: Kinds[K][] };

interface Listener {
  type: string;
  run: (e: stoa.Event) => void;
  missed: (() => void) | undefined;
}

const named = (l: stoa.Label) => (typeof l === 'function' ? l() : l);

/** factsOf returns the fields of a message that modules receive. */
export function factsOf(m: Message): stoa.Message {
  const { id, type, sender_id, subject, content, timestamp } = m;
  return Object.freeze({
    ...{ id, type, sender_id, subject, content, timestamp },
    ...(m.stream_id === undefined ? {} : { stream_id: m.stream_id }),
    submessages: m.submessages.map(({ sender_id, msg_type, content }) => ({ sender_id, msg_type, content })),
  });
}

/** styled puts an element of a module into the shadow tree of a host. */
export function styled(host: HTMLElement, style: string | undefined, body: Element): ShadowRoot {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  const link = document.createElement('link');
  link.rel = 'stylesheet';
  link.href = style ?? '';
  root.replaceChildren(...(style ? [link] : []), body);
  return root;
}

/** Extension is a module's extension of this client, filled while its script runs. */
export class Extension {
  readonly name: string;
  readonly style: string | undefined;
  parts = $state.raw<Parts>({
    pages: [],
    settings: [],
    administration: [],
    userCards: [],
    renderers: [],
    messageActions: [],
    composerButtons: [],
    channelHeaders: [],
    entries: [],
    commands: [],
  });
  /** failed holds what the script threw while loading. */
  failed = $state.raw<unknown>();
  private catalogues = $state.raw<Record<string, Record<string, string>>>({});
  private readonly script: string;
  private listeners: Listener[] = [];
  /** broken holds the renderers that have failed, each of which is reported once. */
  private readonly broken = new Set<string>();

  constructor(listed: Listed) {
    this.name = listed.name;
    this.script = listed.script;
    this.style = listed.style;
  }

  async load(): Promise<void> {
    try {
      const script = (await import(/* @vite-ignore */ this.script)) as { default?: (api: stoa.Stoa) => unknown };
      await script.default?.(this.api);
    } catch (e) {
      this.failed = e;
      this.report(e);
    }
  }

  /** add adds a part, or throws an error that names what is wrong with it. */
  private add<K extends keyof Kinds>(kind: K, part: Kinds[K], does: 'mount' | 'run' | 'render'): void {
    const id: unknown = part?.id;
    if (typeof id !== 'string' || !/^[\w-]+$/.test(id)) throw new Error(`${kind}: the ID is no word: ${String(id)}`);
    if (this.parts[kind].some((p) => p.id === id)) throw new Error(`${kind}: there are two with the ID ${id}`);
    const fields = { ...part } as Record<string, unknown>;
    if (typeof fields[does] !== 'function' && typeof fields.page !== 'string')
      throw new Error(`${kind}: ${id} has no function ${does}`);
    this.parts = { ...this.parts, [kind]: [...this.parts[kind], part] };
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

  /** runAction runs an action started by the user, says so if it fails, and reports whether it has succeeded. */
  async runAction(run: () => void | Promise<void>): Promise<boolean> {
    try {
      await run();
      return true;
    } catch (e) {
      this.report(e);
      ui.toast(() => text.moduleFailed(this.name), 'error');
      return false;
    }
  }

  report(e: unknown): void {
    console.warn(`The module ${this.name} has failed.`, e);
  }

  /** text returns a text of the module in the current language, or else in English, if it has one. */
  text(name: string): string | undefined {
    return this.catalogues[reader.language.code]?.[name] ?? this.catalogues.en?.[name];
  }

  label(l: stoa.Label): string {
    return this.safely(() => String(named(l)), this.name);
  }

  /** offered returns the buttons or entries that the module offers somewhere. */
  offered<At>(kind: 'messageActions' | 'composerButtons' | 'channelHeaders', at: At): Offered[] {
    const all = this.parts[kind] as unknown as stoa.Button<At>[];
    return all
      .filter((a) => this.safely(() => a.when?.(at) ?? true, false))
      .map((a) => ({
        key: `${this.name}/${a.id}`,
        label: this.label(a.label),
        icon: 'puzzle',
        image: this.imageOf(a.icon),
        run: () => void this.runAction(() => a.run(at)),
      }));
  }

  actionsFor(m: Message): Offered[] {
    return this.offered('messageActions', factsOf(m));
  }

  /** imageOf returns the URL of an icon if it is one of the module's own files. */
  private imageOf(icon: string | undefined): string | undefined {
    const path = icon && this.safely(() => new URL(icon, location.href).pathname, '');
    return path && path.startsWith(this.script.slice(0, this.script.lastIndexOf('/') + 1)) ? path : undefined;
  }

  /** drawing names the renderer that draws a message, and what it draws. */
  drawing(m: Message): string | undefined {
    if (this.parts.renderers.length === 0) return undefined;
    const facts = factsOf(m);
    const found = this.parts.renderers.find((r) => this.tried(r, () => r.when(facts), false));
    return found && `${this.name}\n${found.id}\n${JSON.stringify(facts)}`;
  }

  /** tried is safely for renderers, of which there are as many calls as messages. */
  private tried<T>(r: stoa.MessageRenderer, run: () => T, otherwise: T): T {
    try {
      return run();
    } catch (e) {
      if (!this.broken.has(r.id)) this.report(e);
      this.broken.add(r.id);
      return otherwise;
    }
  }

  /** draw returns an attachment to an element that contains the message as usual, which is shown if drawing fails. */
  draw(drawing: string): (host: HTMLElement) => () => void {
    return (host) => {
      const [, id, facts] = drawing.split('\n');
      const r = this.parts.renderers.find((one) => one.id === id);
      const plain = document.createElement('slot');
      const shown = r && this.tried(r, () => r.render(Object.freeze(JSON.parse(facts!) as stoa.Message)), plain);
      const root = styled(host, this.style, shown instanceof Element ? shown : plain);
      host.dataset.slot = 'message';
      return () => root.replaceChildren(document.createElement('slot'));
    };
  }

  /** tell passes an event to the module. */
  tell(e: RawEvent): void {
    for (const l of this.listeners) if (l.type === e.type) this.safely(() => l.run({ ...e }), undefined);
  }

  missed(): void {
    for (const l of this.listeners) this.safely(() => l.missed?.(), undefined);
  }

  private on(type: string, run: Listener['run'], missed?: () => void): () => void {
    if (Object.keys(known).some((k) => k === type || k.startsWith(`${type}/`)))
      throw new Error(`on: events of the type ${type} belong to the client`);
    const listener = { type, run, missed };
    this.listeners = [...this.listeners, listener];
    return () => void (this.listeners = this.listeners.filter((l) => l !== listener));
  }

  private hashOf = (page: string, path = '') =>
    '#' + ['module', this.name, encodePath([page, path].filter(Boolean).join('/'))].join('/');

  /** api is the complete interface offered to a module. */
  readonly api: stoa.Stoa = Object.freeze<stoa.Stoa>({
    version: 1,
    page: (p) => this.add('pages', p, 'mount'),
    settings: (p) => this.add('settings', p, 'mount'),
    administration: (p) => this.add('administration', p, 'mount'),
    userCard: (p) => this.add('userCards', p, 'mount'),
    messageRenderer: (r) => this.add('renderers', r, 'render'),
    messageAction: (a) => this.add('messageActions', a, 'run'),
    composerButton: (b) => this.add('composerButtons', b, 'run'),
    channelHeader: (b) => this.add('channelHeaders', b, 'run'),
    sidebar: (e) => this.add('entries', e, 'run'),
    command: (c) => this.add('commands', c, 'run'),
    on: (type, listener, missed) => this.on(type, listener, missed),
    notify: ({ title, body = '', page }) =>
      inform(String(title), String(body), () => page !== undefined && nav.goHash(this.hashOf(page))),
    strings: (all) => void (this.catalogues = { ...this.catalogues, ...all }),
    t: (name, values = {}) => {
      const found = this.text(name) ?? name;
      return found.replace(/\{(\w+)\}/g, (whole, key: string) => String(values[key] ?? whole));
    },
    language: () => reader.language.tag,
    call: <T>(method: Method, path: string, params?: Params) => http.call<T>(method, path, params),
    user: () => ({
      id: store.me,
      name: store.users.self?.full_name ?? '',
      role: store.users.self?.role ?? Role.guest,
    }),
    nameOf: (user) => store.users.get(user)?.full_name,
    rawContent: (message) => calls.rawContent(message),
    open: (page, path) => nav.goHash(this.hashOf(page, path)),
    toast: (shown) => ui.toast(() => String(shown)),
  });
}
