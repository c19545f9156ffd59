import { calls, store } from '../client.ts';
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
