import type { Integration } from '../api/types.ts';

/** Bots lists the types of bots. */
export const Bots = { generic: 1, incoming: 2, outgoing: 3 } as const;

/** shortName derives the local part of a bot's email address from its name. */
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
  /** channel is 0 for messages to the bot's owner. */
  channel: number;
  topic: string;
  events: string[];
  options: Record<string, string>;
}

/** webhookURL returns the URL that an external service posts to. */
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

/** Credentials holds what a program needs to act as a bot. */
export interface Credentials {
  email: string;
  key: string;
  site: string;
  /** token lets the receiver of an outgoing webhook verify that a call comes from this server. */
  token?: string | undefined;
}

/**
 * configuration returns the configuration file of the API client libraries: a zuliprc, or for outgoing webhooks a
 * botserverrc.
 */
export function configuration(c: Credentials): { name: string; content: string } {
  const lines = [`email=${c.email}`, `key=${c.key}`, `site=${c.site}`];
  if (c.token === undefined) return { name: 'zuliprc', content: `[api]\n${lines.join('\n')}\n` };
  // The section is named after the bot, without characters that would end the section header.
  const section = c.email.replace(/@.*/, '').replace(/[\][\s]/g, '');
  return { name: 'botserverrc', content: `[${section}]\n${lines.join('\n')}\ntoken=${c.token}\n` };
}
