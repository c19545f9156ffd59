import type { User, UserGroup } from '../api/types.ts';
import { store } from '../client.ts';

/** Mentions is what a text notifies. */
export interface Mentions {
  people: User[];
  groups: UserGroup[];
  /** everybody is true if all subscribers or participants are mentioned. */
  everybody: boolean;
}

const EVERYBODY = new Set(['all', 'everyone', 'channel', 'stream']);

/** quiet matches code and quotations, in which mentions notify nobody. */
const quiet = /^(`{3,}|~{3,})(?! *spoiler\b).*\n[^]*?(?:^\1`*~*[ \t]*$|$(?![^]))|`[^`\n]*`/gm;

/** mentionsIn returns the mentions in a text. Silent mentions and those in code or quotations do not count. */
export function mentionsIn(content: string): Mentions {
  const found: Mentions = { people: [], groups: [], everybody: false };
  if (!content.includes('@*')) return found;
  const text = content.replace(quiet, '');
  const people = new Map<number, User>();
  for (const [, name = '', id] of text.matchAll(/@\*\*([^*\n|]+)(?:\|(\d+))?\*\*/g)) {
    const person = id ? store.users.get(Number(id)) : store.users.named(name);
    if (person) people.set(person.user_id, person);
    else if (EVERYBODY.has(name)) found.everybody = true;
  }
  found.people = [...people.values()];
  const names = new Set([...text.matchAll(/@\*([^*\n]+)\*/g)].map(([, name = '']) => name.toLowerCase()));
  found.groups = [...store.users.groups.values()].filter((g) => names.has(g.name.toLowerCase()) && !g.deactivated);
  return found;
}
