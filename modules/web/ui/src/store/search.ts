import type { Term } from '../api/types.ts';
import type { Narrow } from './narrow.ts';
import { simplify } from './route.ts';

/** Lookup resolves the names in a search. */
export interface Lookup {
  me: number;
  channelNamed(name: string): number | undefined;
  personNamed(name: string): number | undefined;
  channelName(id: number): string | undefined;
  personName(id: number): string | undefined;
}

/** operators lists the operators that the search box suggests. */
export const operators = [
  'channel',
  'topic',
  'sender',
  'dm',
  'dm-including',
  'is:starred',
  'is:mentioned',
  'is:unread',
  'is:resolved',
  'is:followed',
  'is:alerted',
  'has:link',
  'has:image',
  'has:attachment',
  'has:reaction',
  'channels:public',
] as const;

const known = new Set([
  'channel',
  'stream',
  'topic',
  'sender',
  'from',
  'dm',
  'pm-with',
  'dm-including',
  'is',
  'has',
  'in',
  'channels',
  'streams',
  'id',
  'mentions',
  'near',
]);

/** parseSearch parses a typed search: operator:operand, operator:"two words", and plain words. */
export function parseSearch(text: string, look: Lookup): Narrow | undefined {
  const found: Term[] = [];
  const words: string[] = [];
  for (const part of text.match(/-?[\w-]+:"[^"]*"?|"[^"]*"?|\S+/g) ?? []) {
    const m = /^(-?)([\w-]+):(.*)$/s.exec(part);
    if (!m || !known.has(m[2]!.toLowerCase()) || m[3] === '') {
      words.push(part);
      continue;
    }
    const operator = m[2]!.toLowerCase();
    const operand = m[3]!.replace(/^"|"$/g, '');
    const term = resolve(operator, operand, look);
    found.push(m[1] ? { ...term, negated: true } : term);
  }
  if (words.length > 0) found.push({ operator: 'search', operand: words.join(' ') });
  return found.length > 0 ? simplify(found, look.me) : undefined;
}

function resolve(operator: string, operand: string, look: Lookup): Term {
  switch (operator) {
    case 'channel':
    case 'stream':
      return { operator: 'channel', operand: look.channelNamed(operand) ?? operand };
    case 'sender':
    case 'from':
      return { operator: 'sender', operand: operand === 'me' ? look.me : (look.personNamed(operand) ?? operand) };
    case 'dm-including':
    case 'mentions':
      return { operator, operand: operand === 'me' ? look.me : (look.personNamed(operand) ?? operand) };
    case 'dm':
    case 'pm-with': {
      const users = operand.split(',').map((name) => look.personNamed(name.trim()));
      return { operator: 'dm', operand: users.every((u) => u !== undefined) ? (users as number[]) : operand };
    }
    case 'streams':
      return { operator: 'channels', operand };
    default:
      return { operator, operand };
  }
}

/** searchText formats terms as a typed search. */
export function searchText(terms: Term[], look: Lookup): string {
  return terms
    .map((t) => {
      if (t.operator === 'search') return String(t.operand);
      let operand = String(t.operand);
      if (t.operator === 'channel' && typeof t.operand === 'number') operand = look.channelName(t.operand) ?? operand;
      else if (typeof t.operand === 'number') operand = look.personName(t.operand) ?? operand;
      else if (Array.isArray(t.operand)) operand = t.operand.map((id) => look.personName(id) ?? id).join(',');
      return `${t.negated ? '-' : ''}${t.operator}:${/\s/.test(operand) ? `"${operand}"` : operand}`;
    })
    .join(' ');
}
