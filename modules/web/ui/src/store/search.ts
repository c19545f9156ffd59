import type { Term } from '../api/types.ts';
import { canonical, operandNames, operator, operators, typedOperand, type Lookup, type Names } from './operators.ts';

/** Finder completes beginnings of names. */
export interface Finder extends Lookup {
  /** beginning returns the best channel or person for the beginning of a name. */
  beginning(kind: 'channel' | 'person', typed: string): number | undefined;
}

/** Parsed is a parsed search. */
export interface Parsed {
  terms: Term[];
  /** words are the plain words, which are also a term. */
  words: string;
  /** unknown lists the parts that name nothing. */
  unknown: string[];
}

/** Token is a part of a search that ends at a space outside of quotation marks. */
export interface Token {
  start: number;
  raw: string;
}

export function tokens(text: string): Token[] {
  return [...text.matchAll(/(?:"(?:[^"\\]|\\.)*(?:"|$)|[^\s"])+/gs)].map((m) => ({ start: m.index, raw: m[0] }));
}

/** split separates an operator from its operand. It returns undefined for plain words. */
export function split(raw: string): { name: string; negated: boolean; operand: string } | undefined {
  const m = /^(-?)([a-z][a-z0-9_-]*):(.*)$/is.exec(raw);
  if (!m || !operator(m[2]!)) return undefined;
  return { name: operator(m[2]!)!.name, negated: m[1] === '-', operand: m[3]! };
}

/** unquote removes quotation marks, and the backslashes inside of them. */
export function unquote(raw: string): string {
  return raw.replace(/"((?:[^"\\]|\\.)*)(?:"|$)|[^"]+/gs, (all, quoted: string | undefined) =>
    quoted === undefined ? all : quoted.replace(/\\(.)/gs, '$1'),
  );
}

/** quote encloses a name in quotation marks if it would otherwise be read differently. */
export function quote(name: string): string {
  return name === '' || /[\s",]/.test(name) ? `"${name.replace(/["\\]/g, '\\$&')}"` : name;
}

/** names splits an operand at commas outside of quotation marks. */
export const names = (raw: string) =>
  (raw.match(/(?:"(?:[^"\\]|\\.)*(?:"|$)|[^",])+/gs) ?? ['']).map((n) => unquote(n).trim());

/**
 * parseSearch parses a typed search: operator:operand, operator:"two words", and plain words. If guess is true,
 * beginnings of names stand for the best match.
 */
export function parseSearch(text: string, look: Finder, guess = false): Parsed {
  const terms: Term[] = [];
  const words: string[] = [];
  const unknown: string[] = [];
  const all = tokens(text);
  for (let i = 0; i < all.length; i++) {
    const { raw } = all[i]!;
    const part = split(raw);
    if (!part) {
      words.push(raw);
      continue;
    }
    const o = operator(part.name)!;
    const following = all.slice(i + 1).map((t) => t.raw);
    const { operand, used } = resolve(o, part.operand, following, look, guess);
    if (operand === undefined || (part.negated && o.place)) {
      unknown.push(raw);
      continue;
    }
    i += used;
    terms.push(canonical(o, operand, part.negated, look.me));
  }
  if (words.length > 0) terms.push({ operator: 'search', operand: words.join(' ') });
  return { terms, words: words.join(' '), unknown };
}

/** MAX_WORDS bounds the words of an unquoted name. */
const MAX_WORDS = 6;

/** resolve returns an operand, and how many of the following words belong to its name. */
function resolve(
  o: (typeof operators)[number],
  raw: string,
  following: readonly string[],
  look: Finder,
  guess: boolean,
): { operand: Term['operand'] | undefined; used: number } {
  if (raw === '') return { operand: undefined, used: 0 };
  const parts = names(raw);
  const isName = o.kind === 'channel' || o.kind === 'person' || o.kind === 'people';
  const next = isName && !raw.endsWith('"') ? following.slice(0, MAX_WORDS - 1) : [];
  const end = next.findIndex((w) => split(w) !== undefined || w.includes('"'));
  for (let used = end < 0 ? next.length : end; used >= 0; used--) {
    const last = [parts.at(-1)!, ...next.slice(0, used)].join(' ');
    const operand = typedOperand(o, [...parts.slice(0, -1), last], look);
    if (operand !== undefined) return { operand, used };
  }
  if (!guess || !isName) return { operand: undefined, used: 0 };
  const kind = o.kind === 'channel' ? 'channel' : 'person';
  const found = parts.map(
    (p) => typedOperand(operator(kind === 'channel' ? 'channel' : 'sender')!, [p], look) ?? look.beginning(kind, p),
  );
  if (!found.every((n) => typeof n === 'number')) return { operand: undefined, used: 0 };
  if (o.kind === 'people') return { operand: found, used: 0 };
  return { operand: found.length === 1 ? found[0] : undefined, used: 0 };
}

/** termTopic returns the full name of the topic in a term, which termText shortens if the topic is resolved. */
export function termTopic(t: Term): string | undefined {
  return t.operator === 'topic' ? String(t.operand) : undefined;
}

/** termText formats a term as it is typed. */
export function termText(t: Term, look: Names): string {
  const operand = operandNames(t, look);
  if (t.operator === 'search' && !t.negated && tokens(operand[0]!).every(({ raw }) => !split(raw)))
    return operand[0]!;
  return `${t.negated ? '-' : ''}${t.operator}:${operand.map(quote).join(',')}`;
}

/** searchText formats terms as a typed search. */
export function searchText(terms: readonly Term[], look: Names): string {
  return terms.map((t) => termText(t, look)).join(' ');
}
