import type { Term } from '../api/types.ts';
import { people, type Narrow } from './narrow.ts';

/** Route is the parsed URL fragment. */
export type Route =
  | { view: 'home' }
  | { view: 'inbox' | 'recent' | 'drafts' | 'scheduled' | 'reminders' | 'channels' | 'groups' }
  | { view: 'settings'; section: string }
  | { view: 'help'; area: string }
  | { view: 'module'; module: string; page: string; path: string }
  | { view: 'organization'; section: string; item: string }
  | { view: 'messages'; narrow: Narrow; near?: number };

/** encodeText encodes text for URL fragments: percent-encoded, with dots in place of percent signs. */
export function encodeText(text: string): string {
  return encodeURIComponent(text)
    .replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('.', '%2E')
    .replaceAll('%', '.');
}

/** decodeText reverses encodeText, and returns undefined for malformed input. */
export function decodeText(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('%', '%25').replaceAll('.', '%'));
  } catch {
    return undefined;
  }
}

export interface Names {
  channel(id: number): string | undefined;
  person(id: number): string | undefined;
  me: number;
}

function slug(name: string | undefined): string {
  return name ? `-${encodeText(name.replaceAll(' ', '-'))}` : '';
}

export function narrowHash(n: Narrow, names: Names, near?: number): string {
  const end = near === undefined ? '' : `/near/${near}`;
  switch (n.kind) {
    case 'feed':
      return `#feed${end}`;
    case 'channel':
      return `#narrow/channel/${n.channel}${slug(names.channel(n.channel))}${end}`;
    case 'topic':
      return `#narrow/channel/${n.channel}${slug(names.channel(n.channel))}/topic/${encodeText(n.topic)}${end}`;
    case 'dm': {
      const name = n.users.length > 1 ? 'group' : names.person(n.users[0] ?? 0);
      return `#narrow/dm/${n.users.join(',')}${slug(name)}${end}`;
    }
    case 'is':
      return `#narrow/is/${n.what}${end}`;
    case 'search':
      return `#narrow/${n.terms.map((t) => termPath(t, names)).join('/')}${end}`;
  }
}

function termPath(t: Term, names: Names): string {
  const operator = (t.negated ? '-' : '') + t.operator;
  if (Array.isArray(t.operand)) return `${operator}/${t.operand.join(',')}-group`;
  if (typeof t.operand === 'number' && t.operator === 'channel') {
    return `${operator}/${t.operand}${slug(names.channel(t.operand))}`;
  }
  return `${operator}/${encodeText(String(t.operand))}`;
}

export function routeHash(r: Route, names: Names): string {
  if (r.view === 'messages') return narrowHash(r.narrow, names, r.near);
  if (r.view === 'settings') return `#settings/${r.section}`;
  if (r.view === 'organization') return '#' + ['organization', r.section, r.item].filter(Boolean).join('/');
  if (r.view === 'help') return `#help/${r.area}`;
  if (r.view === 'module') return '#' + ['module', r.module, r.page, r.path].filter(Boolean).join('/');
  if (r.view === 'channels') return '#channels/all';
  return r.view === 'home' ? '#' : `#${r.view}`;
}

const aliases: Record<string, string> = {
  stream: 'channel',
  'pm-with': 'dm',
  streams: 'channels',
  'group-pm-with': 'dm-including',
  subject: 'topic',
};

/** parseHash parses a URL fragment. Unknown ones lead to the home view. */
export function parseHash(hash: string, me: number): Route {
  const path = hash.replace(/^#/, '');
  const [first = '', second = '', third = ''] = path.split('/');
  switch (first) {
    case 'inbox':
    case 'recent':
    case 'drafts':
    case 'scheduled':
    case 'reminders':
    case 'channels':
    case 'groups':
      return { view: first };
    case 'feed':
    case 'all_messages':
      return withNear({ kind: 'feed' }, path.split('/').slice(1));
    case 'settings':
      return { view: 'settings', section: second || 'profile' };
    case 'module':
      return { view: 'module', module: second, page: third, path: path.split('/').slice(3).join('/') };
    case 'help':
      return { view: 'help', area: second };
    case 'organization':
      return { view: 'organization', section: second, item: decodeText(third) ?? '' };
    case 'narrow':
      return parseNarrow(path.split('/').slice(1), me) ?? { view: 'home' };
    default:
      return { view: 'home' };
  }
}

function withNear(narrow: Narrow, rest: string[]): Route {
  const near = rest[0] === 'near' ? Number(rest[1]) : NaN;
  return Number.isInteger(near) ? { view: 'messages', narrow, near } : { view: 'messages', narrow };
}

function ids(text: string): number[] | undefined {
  const found = text.split('-')[0]!.split(',').map(Number);
  return found.every((id) => Number.isInteger(id) && id > 0) ? found : undefined;
}

function parseNarrow(parts: string[], me: number): Route | undefined {
  const found: Term[] = [];
  let near: number | undefined;
  for (let i = 0; i + 1 < parts.length || (i < parts.length && parts[i] === 'topic'); i += 2) {
    let operator = parts[i]!;
    const negated = operator.startsWith('-');
    if (negated) operator = operator.slice(1);
    operator = aliases[operator] ?? operator;
    const raw = parts[i + 1] ?? '';
    if (operator === 'near' || operator === 'with') {
      const id = Number(raw);
      if (Number.isInteger(id) && operator === 'near') near = id;
      continue;
    }
    const operand = parseOperand(operator, raw);
    if (operand === undefined) return undefined;
    found.push(negated ? { operator, operand, negated } : { operator, operand });
  }
  if (found.length === 0) return undefined;
  const narrow = simplify(found, me);
  return near === undefined ? { view: 'messages', narrow } : { view: 'messages', narrow, near };
}

function parseOperand(operator: string, raw: string): Term['operand'] | undefined {
  if (operator === 'channel') return ids(raw)?.[0] ?? decodeText(raw);
  if (operator === 'dm') return ids(raw) ?? decodeText(raw);
  if (operator === 'dm-including' || operator === 'sender') {
    const text = decodeText(raw);
    return text && /^\d+$/.test(text) ? Number(text) : text;
  }
  return decodeText(raw);
}

/** simplify returns the narrow equivalent to the terms, or a search if there is none. */
export function simplify(found: Term[], me: number): Narrow {
  const [a, b] = found;
  const plain = found.every((t) => !t.negated);
  if (plain && a && found.length <= 2) {
    if (a.operator === 'channel' && typeof a.operand === 'number') {
      if (!b) return { kind: 'channel', channel: a.operand };
      if (b.operator === 'topic') return { kind: 'topic', channel: a.operand, topic: String(b.operand) };
    }
    if (!b && a.operator === 'dm' && Array.isArray(a.operand)) return { kind: 'dm', users: people(a.operand, me) };
    if (!b && a.operator === 'is') {
      const what = String(a.operand) === 'private' ? 'dm' : String(a.operand);
      if (what === 'starred' || what === 'mentioned' || what === 'dm' || what === 'unread' || what === 'followed') {
        return { kind: 'is', what };
      }
    }
  }
  return { kind: 'search', terms: found };
}
