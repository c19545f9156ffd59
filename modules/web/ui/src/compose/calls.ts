import { calls, store } from '../client.ts';
import { attempt } from '../shell/ui.svelte.ts';
import { text } from '../texts/index.ts';

/** The providers of video calls by their IDs on the wire. */
const JITSI = 1;
const BIG_BLUE_BUTTON = 4;
const TEMPLATE = 1000;

const provider = () => store.realm.number('realm_video_chat_provider', 0);

/** clientURL returns the URL of a room at a provider whose URLs the client makes, or undefined for all others. */
function clientURL(room: string): string | undefined {
  switch (provider()) {
    case JITSI: {
      const server = store.realm.text('realm_jitsi_server_url') || store.realm.text('server_jitsi_server_url');
      return server ? `${server.replace(/\/+$/, '')}/${room}` : undefined;
    }
    case TEMPLATE:
      return store.realm.text('stoa_call_url').replaceAll('{room}', room) || undefined;
    default:
      return undefined;
  }
}

/** serverCreates reports whether the server creates the organization's calls, with BigBlueButton. */
function serverCreates(): boolean {
  const offered = store.realm.value('realm_available_video_chat_providers') ?? {};
  return provider() === BIG_BLUE_BUTTON && Object.keys(offered).includes('big_blue_button');
}

/** offersCalls reports whether the organization has a provider of video calls. */
export function offersCalls(): boolean {
  return serverCreates() || clientURL('room') !== undefined;
}

/** newCall returns the URL of a new room, whose name cannot be guessed. */
function newCall(): Promise<string> {
  if (serverCreates()) return calls.createBigBlueButton(store.realm.text('realm_name'));
  const room = [...crypto.getRandomValues(new Uint32Array(4))].map((n) => n.toString(36)).join('');
  return Promise.resolve(clientURL(room) ?? '');
}

/** addCall passes insert Markdown that invites to a new call, or shows why there is none. */
export async function addCall(insert: (markdown: string) => void): Promise<void> {
  await attempt(newCall().then((url) => insert(`[${text.joinCall}](${url}) `)));
}
