import { store } from '../client.ts';
import type { Message } from '../api/types.ts';
import type { Extension } from './extension.svelte.ts';
import type * as stoa from './stoa.d.ts';

// A server module can extend this client with a script and a style sheet, which the server lists in the page. stoa.d.ts
// declares the interface that the script receives, and extension.svelte.ts implements it, which is loaded only if there
// are such modules. Whatever a script throws is contained in its own extension.

/** Listed is an extension as the server lists it. */
export interface Listed {
  name: string;
  script: string;
  style?: string;
}

/** Kinds lists what modules add, by the name of the kind. */
export interface Kinds {
  pages: stoa.Mounted<string>;
  settings: stoa.Mounted<string>;
  administration: stoa.AdministrationPart;
  userCards: stoa.Mounted<stoa.Person>;
  renderers: stoa.MessageRenderer;
  messageActions: stoa.Action<stoa.Message>;
  composerButtons: stoa.Button<stoa.Composer>;
  channelHeaders: stoa.Button<stoa.Channel>;
  entries: stoa.SidebarEntry;
  commands: stoa.Command;
}

/** Mountable are the kinds whose parts fill an element. */
export type Mountable = 'pages' | 'settings' | 'administration' | 'userCards';

/** Offered is a button or an entry of a menu. */
export interface Offered {
  key: string;
  label: string;
  icon: 'puzzle';
  /** image is the URL of an own icon. */
  image: string | undefined;
  run: () => void;
}

/** Extensions manages the extensions of all modules. */
class Extensions {
  list = $state.raw<Extension[]>([]);
  loaded = $state(false);

  /** start loads all listed scripts in parallel, so that a failing one does not delay the others. */
  async start(): Promise<void> {
    const all = listed();
    if (all.length > 0) {
      const { Extension } = await import('./extension.svelte.ts');
      const made = all.map((l) => new Extension(l));
      this.list = made.sort((a, b) => (a.name < b.name ? -1 : 1));
      store.onOther = (e) => made.forEach((one) => one.tell(e));
      store.onMissed = () => made.forEach((one) => one.missed());
      await Promise.all(made.map((e) => e.load()));
    }
    this.loaded = true;
  }

  get(name: string): Extension | undefined {
    return this.list.find((e) => e.name === name);
  }

  /** all returns what modules add of a kind. */
  all<K extends keyof Kinds>(kind: K): { extension: Extension; part: Kinds[K]; key: string }[] {
    return this.list.flatMap((extension) =>
      extension.parts[kind].map((part: Kinds[K]) => ({ extension, part, key: `${extension.name}/${part.id}` })),
    );
  }

  /** actionsFor returns the entries that modules add to the menu of a message. */
  actionsFor(m: Message): Offered[] {
    return this.list.flatMap((e) => e.actionsFor(m));
  }

  /** composerButtons returns the buttons that modules add to the compose box. */
  composerButtons(at: stoa.Composer): Offered[] {
    return this.list.flatMap((e) => e.offered('composerButtons', at));
  }

  /** channelButtons returns the buttons that modules add to the header of a channel. */
  channelButtons(at: stoa.Channel): Offered[] {
    return this.list.flatMap((e) => e.offered('channelHeaders', at));
  }

  /** drawing names the module's renderer that draws a message, and what it draws, if there is one. */
  drawing(m: Message): string | undefined {
    for (const e of this.list) {
      const found = e.drawing(m);
      if (found) return found;
    }
    return undefined;
  }

  /** draw returns an attachment that draws what drawing has named. */
  draw(drawing: string): ((host: HTMLElement) => void | (() => void)) | undefined {
    return this.get(drawing.slice(0, drawing.indexOf('\n')))?.draw(drawing);
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
