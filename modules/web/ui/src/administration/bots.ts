import type { Integration } from '../api/types.ts';

/** Bots names the types of bots. */
export const Bots = { generic: 1, incoming: 2, outgoing: 3 } as const;

/** shortName proposes the part of a bot's address that people choose. */
export function shortName(name: string): string {
  return name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .replace(/-bot$/, '');
}

export interface Hook {
  integration: string;
  key: string;
  /** channel is 0 for messages to the owner of the bot. */
  channel: number;
  topic: string;
  events: string[];
  options: Record<string, string>;
}

/** webhookURL is the address that a service calls. */
export function webhookURL(origin: string, hook: Hook, known: Integration | undefined): string {
  const query = new URLSearchParams({ api_key: hook.key });
  if (hook.channel) {
    query.set('stream', String(hook.channel));
    if (hook.topic.trim()) query.set('topic', hook.topic.trim());
  }
  const all = known?.all_event_types ?? [];
  if (hook.events.length > 0 && hook.events.length < all.length) {
    query.set('only_events', JSON.stringify(hook.events));
  }
  for (const option of known?.url_options ?? []) {
    const value = hook.options[option.key]?.trim();
    if (value) query.set(option.key, value);
  }
  return `${origin}/api/v1/external/${encodeURIComponent(hook.integration)}?${query.toString().replaceAll('+', '%20')}`;
}

/** Credentials are what a program needs to act as a bot. */
export interface Credentials {
  email: string;
  key: string;
  site: string;
  /** token proves to the program of an outgoing webhook that a call comes from this server. */
  token?: string | undefined;
}

/** configuration writes the file that the libraries of the API read: a zuliprc, or a botserverrc for outgoing webhooks. */
export function configuration(c: Credentials): { name: string; content: string } {
  const lines = [`email=${c.email}`, `key=${c.key}`, `site=${c.site}`];
  if (c.token === undefined) return { name: 'zuliprc', content: `[api]\n${lines.join('\n')}\n` };
  // A section is named after the bot; its name may not contain what ends it.
  const section = c.email.replace(/@.*/, '').replace(/[\][\s]/g, '');
  return { name: 'botserverrc', content: `[${section}]\n${lines.join('\n')}\ntoken=${c.token}\n` };
}
