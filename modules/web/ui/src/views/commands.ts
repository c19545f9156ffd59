import { calls } from '../app.ts';
import { text } from '../messages/index.ts';
import { ui } from './ui.svelte.ts';

// The commands that the server runs for whoever writes them. Others, such as /poll, make a message.
const commands = new Set(['/ping', '/dark', '/night', '/light', '/day', '/fluid-width', '/fixed-width']);

export const isCommand = (content: string): boolean => commands.has(content);

/** runCommand shows what the server says. */
export async function runCommand(command: string): Promise<void> {
  const from = performance.now();
  const said = await calls.command(command);
  ui.toast(said || text.pong(Math.round(performance.now() - from)));
}
