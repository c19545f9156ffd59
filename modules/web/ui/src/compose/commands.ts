import { calls, store } from '../client.ts';
import { extensions, textOf } from '../modules/modules.svelte.ts';
import type { Composer } from '../modules/stoa.d.ts';
import type { Conversation } from '../store/narrow.ts';
import { text } from '../texts/index.ts';
import { ui } from '../shell/ui.svelte.ts';

// Slash commands executed by the server for the user alone. Others, such as /poll, are sent as messages.
const commands = new Set(['/ping', '/dark', '/night', '/light', '/day', '/fluid-width', '/fixed-width']);

export const isCommand = (content: string): boolean => commands.has(content) && store.has('widgets');

/** runCommand runs a command and shows the server's reply. */
export async function runCommand(command: string): Promise<void> {
  const from = performance.now();
  const said = await calls.command(command);
  const ms = Math.round(performance.now() - from);
  ui.toast(() => said || text.pong(ms));
}

/** ModuleCommand is a slash command of a module, of the server or of this client. */
interface ModuleCommand {
  name: string;
  detail: string;
  /** run runs the command, and returns its answer as HTML, or undefined if it has failed. */
  run: (to: Conversation, content: string, composer: Composer) => Promise<string | undefined>;
}

/** moduleCommands returns the slash commands of modules, whose texts slash.NAME and slash.NAME.usage translate them. */
export function moduleCommands(): ModuleCommand[] {
  const ofServer = store.realm.slashCommands.map((c) => ({
    name: c.name,
    detail: [textOf(`slash.${c.name}.usage`) ?? c.usage, textOf(`slash.${c.name}`) ?? c.doc]
      .filter(Boolean)
      .join(' – '),
    run: (to: Conversation, content: string) => calls.slash(content, to),
  }));
  const own = extensions.all('commands').flatMap(({ extension, part }) => {
    const { slash } = part;
    if (!slash || ofServer.some((c) => c.name === slash)) return [];
    const run = async (_: Conversation, content: string, composer: Composer) =>
      (await extension.runAction(() => part.run(composer, content.replace(/^\S+\s*/, '')))) ? '' : undefined;
    return [{ name: slash, detail: extension.label(part.label), run }];
  });
  return [...ofServer, ...own];
}

/** moduleCommand returns the command of a module that a text begins with, if any. */
export function moduleCommand(content: string): ModuleCommand | undefined {
  const word = /^\/(\S+)/.exec(content)?.[1];
  return word === undefined ? undefined : moduleCommands().find((c) => c.name === word);
}
