import type { Term } from '../api/types.ts';
import { decodePath, decodeText, encodePath } from './fragment.ts';
import { simplify, terms, type Narrow } from './narrow.ts';
import { canonical, linkedOperand, operandLink, operator, type Lookup, type Names } from './operators.ts';

/** Route is the parsed URL fragment. */
export type Route =
  | { view: 'home' }
  | { view: 'inbox' | 'recent' | 'drafts' | 'scheduled' | 'reminders' | 'channels' | 'groups' }
  | { view: 'help'; area: string }
  | { view: 'module'; module: string; page: string; path: string }
  | { view: 'settings' | 'organization'; section: string; item: string }
  | Place
  | { view: 'nowhere'; missing?: true };

/** Place is a view of messages, and where it opens: near a message, in the conversation of one, or at a date. */
export interface Place {
  view: 'messages';
  narrow: Narrow;
  near?: number;
  with?: number;
  date?: string;
}

export { decodeText, encodeText } from './fragment.ts';

export function narrowHash(n: Narrow, names: Names, near?: number): string {
  const end = near === undefined ? '' : `/near/${near}`;
  if (n.kind === 'feed') return `#feed${end}`;
  return `#narrow/${terms(n)
    .map((t) => `${t.negated ? '-' : ''}${t.operator}/${operandLink(t, names)}`)
    .join('/')}${end}`;
}

export function routeHash(r: Route, names: Names): string {
  if (r.view === 'messages') {
    const ends = [r.with !== undefined ? `/with/${r.with}` : '', r.date !== undefined ? `/date/${r.date}` : ''];
    return narrowHash(r.narrow, names, r.near) + ends.join('');
  }
  if (r.view === 'settings' || r.view === 'organization')
    return '#' + [r.view, r.section, r.item].filter(Boolean).join('/');
  if (r.view === 'help') return `#help/${r.area}`;
  if (r.view === 'module') return '#' + ['module', r.module, r.page, encodePath(r.path)].filter(Boolean).join('/');
  if (r.view === 'channels') return '#channels/all';
  return r.view === 'home' ? '#' : `#${r.view}`;
}

/** former lists the views that addresses of earlier versions and other clients name differently. */
const former: Record<string, string> = {
  all_messages: 'feed',
  recent_topics: 'recent',
  recent_view: 'recent',
  streams: 'channels',
  subscriptions: 'channels',
};

/** parseHash parses a URL fragment. The empty one leads to the home view. */
export function parseHash(hash: string, look: Lookup): Route {
  const [first = '', ...rest] = hash.replace(/^#/, '').split('/');
  const [second = '', third = ''] = rest;
  const view = Object.hasOwn(former, first) ? former[first]! : first;
  switch (view) {
    case '':
    case 'home':
      return { view: 'home' };
    case 'inbox':
    case 'recent':
    case 'drafts':
    case 'scheduled':
    case 'reminders':
    case 'channels':
    case 'groups':
      return { view };
    case 'feed':
      return parseNarrow(['in', 'home', ...rest], look) ?? { view: 'nowhere' };
    case 'module':
      return { view: 'module', module: second, page: third, path: decodePath(rest.slice(2).join('/')) };
    case 'help':
      return { view: 'help', area: second };
    case 'settings':
    case 'organization':
      return { view, section: second, item: decodeText(third) ?? '' };
    case 'narrow':
      return parseNarrow(rest, look) ?? { view: 'nowhere' };
    default:
      return { view: 'nowhere' };
  }
}

/** parseNarrow parses pairs of operators and operands. */
function parseNarrow(parts: readonly string[], look: Lookup): Place | undefined {
  const found: Term[] = [];
  const end = parts.at(-1) === '' && parts.length % 2 === 1 ? parts.length - 1 : parts.length; // a final slash
  for (let i = 0; i < end; i += 2) {
    const name = parts[i]!;
    const negated = name.startsWith('-');
    const o = operator(negated ? name.slice(1) : name);
    if (!o || (negated && o.place)) return undefined;
    if (parts[i + 1] === undefined && o.kind !== 'topic') return undefined;
    const operand = linkedOperand(o, parts[i + 1] ?? '', look);
    if (operand === undefined) return undefined;
    found.push(canonical(o, operand, negated, look.me));
  }
  return found.length > 0 ? placeOf(found, look.me) : undefined;
}

/** placeOf returns the view that terms select, and where it opens. */
export function placeOf(found: readonly Term[], me: number): Place {
  const rest = found.filter((t) => operator(t.operator)?.place !== true);
  const words = rest.filter((t) => t.operator === 'search' && !t.negated);
  const others = rest.filter((t) => !words.includes(t));
  const all =
    words.length > 0 ? [...others, { operator: 'search', operand: words.map((t) => t.operand).join(' ') }] : others;
  const operand = (name: string) => found.find((t) => t.operator === name)?.operand;
  const [near, inside, date] = [operand('near'), operand('with'), operand('date')];
  // A message is shown among all messages, even if it is in a muted topic.
  const base: Term = {
    operator: 'in',
    operand: typeof near === 'number' || typeof inside === 'number' ? 'all' : 'home',
  };
  const place: Place = { view: 'messages', narrow: simplify(all.length > 0 ? all : [base], me) };
  if (typeof near === 'number') place.near = near;
  if (typeof inside === 'number') place.with = inside;
  if (typeof date === 'string') place.date = date;
  return place;
}
