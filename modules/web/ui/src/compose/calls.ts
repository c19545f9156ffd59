import { store } from '../client.ts';
import { text } from '../texts/index.ts';

/** The providers of video calls by their IDs on the wire. */
const JITSI = 1;
const TEMPLATE = 1000;

/** callURL returns the URL of a room for a call with the organization's provider, or undefined if there is none. */
function callURL(room: string): string | undefined {
  switch (store.realm.number('realm_video_chat_provider', 0)) {
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

/** offersCalls reports whether the organization has a provider of video calls. */
export function offersCalls(): boolean {
  return callURL('room') !== undefined;
}

/** callLink returns Markdown that invites to a call in a new room, whose name cannot be guessed. */
export function callLink(): string {
  const room = [...crypto.getRandomValues(new Uint32Array(4))].map((n) => n.toString(36)).join('');
  return `[${text.joinCall}](${callURL(room) ?? ''})`;
}
