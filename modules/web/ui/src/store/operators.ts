import type { Needs, Term } from '../api/types.ts';
import { decodeText, encodeText, slug } from './fragment.ts';

/** Kind is what an operator's operand names. */
export type Kind = 'channel' | 'topic' | 'person' | 'people' | 'word' | 'message' | 'date' | 'text' | 'other';

/** Operator describes one operator of searches: how it is typed, linked to and sent. */
export interface Operator {
  name: string;
  /** aliases are former names, which old links and people's habits still contain. */
  aliases: readonly string[];
  kind: Kind;
  /** words are the operands of a word operator; synonyms lists other spellings of them. */
  words?: readonly string[];
  synonyms?: Readonly<Record<string, string>>;
  /** needs is the module of the server without which the operator finds nothing; wordNeeds is that of single words. */
  needs?: Needs;
  wordNeeds?: Readonly<Record<string, Needs>>;
  /** place marks operators that select where a view opens instead of what it contains. They have no negation. */
  place?: true;
}

/** operators is the table of all operators, in the order in which they are suggested. */
export const operators: readonly Operator[] = [
  { name: 'channel', aliases: ['stream'], kind: 'channel', needs: 'channels' },
  { name: 'topic', aliases: ['subject'], kind: 'topic', needs: 'channels' },
  { name: 'sender', aliases: ['from'], kind: 'person' },
  { name: 'dm', aliases: ['pm-with', 'pm_with'], kind: 'people' },
  { name: 'dm-including', aliases: ['group-pm-with', 'group_pm_with'], kind: 'person' },
  { name: 'mentions', aliases: [], kind: 'person' },
  {
    name: 'is',
    aliases: [],
    kind: 'word',
    words: ['starred', 'mentioned', 'unread', 'dm', 'resolved', 'followed', 'alerted', 'muted'],
    synonyms: { private: 'dm' },
    wordNeeds: { resolved: 'channels', followed: ['channels', 'topics'], alerted: 'alertwords', muted: 'channels' },
  },
  {
    name: 'has',
    aliases: [],
    kind: 'word',
    words: ['link', 'image', 'attachment', 'reaction'],
    wordNeeds: { attachment: 'uploads' },
    synonyms: { links: 'link', images: 'image', attachments: 'attachment', reactions: 'reaction' },
  },
  {
    name: 'channels',
    aliases: ['streams'],
    kind: 'word',
    words: ['public', 'web-public', 'archived'],
    needs: 'channels',
  },
  { name: 'in', aliases: [], kind: 'word', words: ['home', 'all'] },
  { name: 'date', aliases: [], kind: 'date', place: true },
  { name: 'near', aliases: [], kind: 'message', place: true },
  { name: 'with', aliases: [], kind: 'message', place: true },
  { name: 'id', aliases: [], kind: 'message' },
  { name: 'search', aliases: [], kind: 'text' },
];

const byName = new Map(operators.flatMap((o) => [o.name, ...o.aliases].map((name) => [name, o])));

/** ofModules are the operators that modules of the server add; any text can be their operand. */
let ofModules: ReadonlyMap<string, Operator> = new Map();

export function setModuleOperators(names: readonly string[]): void {
  ofModules = new Map(names.map((name) => [name, { name, aliases: [], kind: 'other' }]));
}

/** operator returns the operator with a current or former name, in any case. */
export function operator(name: string): Operator | undefined {
  return byName.get(name.toLowerCase()) ?? ofModules.get(name.toLowerCase());
}

/** Names names channels and people. */
export interface Names {
  channelName: (id: number) => string | undefined;
  personName: (id: number) => string | undefined;
  /** topicName returns how a topic is displayed. Without it, names are complete. */
  topicName?: (topic: string) => string;
}

/** Lookup also resolves their names. */
export interface Lookup extends Names {
  me: number;
  channelNamed(name: string): number | undefined;
  /** personNamed finds a person by name, by name and ID ("Ada|8"), or by email address. */
  personNamed(name: string): number | undefined;
}

type Operand = Term['operand'];

const MAX_ID = 2 ** 31 - 1;

function id(text: string): number | undefined {
  return /^[0-9]{1,10}$/.test(text) && Number(text) > 0 && Number(text) <= MAX_ID ? Number(text) : undefined;
}

/** person resolves what was typed or linked to; "me" is the reader. */
function person(text: string, look: Lookup): number | undefined {
  const name = text.trim();
  if (name.toLowerCase() === 'me') return look.me;
  return look.personNamed(name) ?? id(name);
}

function word(o: Operator, text: string): string | undefined {
  const lower = text.toLowerCase();
  const found = o.synonyms?.[lower] ?? lower;
  return o.words?.includes(found) ? found : undefined;
}

/** isDate reports whether text is an existing day, month or year in the form of ISO 8601, such as 2026-03-31. */
function isDate(text: string): boolean {
  const m = /^([0-9]{4})(?:-([0-9]{2})(?:-([0-9]{2}))?)?$/.exec(text);
  if (!m) return false;
  const [year, month, day] = [Number(m[1]), Number(m[2] ?? 1), Number(m[3] ?? 1)];
  const d = new Date(year, month - 1, day);
  return year >= 1970 && d.getFullYear() === year && d.getMonth() === month - 1 && d.getDate() === day;
}

/** isoDay returns the local date a number of days before a time in seconds, in the form of ISO 8601. */
export function isoDay(seconds: number, ago: number): string {
  const now = new Date(seconds * 1000);
  const d = new Date(now.getFullYear(), now.getMonth(), now.getDate() - ago);
  const two = (n: number) => String(n).padStart(2, '0');
  return `${d.getFullYear()}-${two(d.getMonth() + 1)}-${two(d.getDate())}`;
}

/** startOf returns when a date of a search begins in local time. */
export function startOf(date: string): Date {
  const [year, month = 1, day = 1] = date.split('-').map(Number);
  return new Date(year!, month - 1, day);
}

/**
 * typedOperand returns the operand that was typed, without quotation marks, or undefined if it names nothing. The
 * parts of a list of people are separate.
 */
export function typedOperand(o: Operator, parts: readonly string[], look: Lookup): Operand | undefined {
  const text = parts.join(',');
  switch (o.kind) {
    case 'channel':
      return look.channelNamed(text) ?? known(id(text), (n) => look.channelName(n));
    case 'person':
      return known(person(text, look), (n) => look.personName(n));
    case 'people': {
      // A name may contain a comma; a quoted part may also contain several names.
      const find = (name: string) => known(person(name, look), (n) => look.personName(n));
      const all = parts.flatMap((part) => find(part) ?? part.split(',').map(find));
      return all.every((n) => n !== undefined) ? all : undefined;
    }
    case 'word':
      return word(o, text);
    case 'message':
      return id(text);
    case 'date':
      return isDate(text) ? text : undefined;
    case 'topic':
      return text;
    case 'text':
    case 'other':
      return text.trim() === '' ? undefined : text;
  }
}

function known(n: number | undefined, name: (n: number) => string | undefined): number | undefined {
  return n !== undefined && name(n) !== undefined ? n : undefined;
}

/** linkedOperand returns the operand in a link, or undefined if it is malformed. Names may be unknown to the reader. */
export function linkedOperand(o: Operator, raw: string, look: Lookup): Operand | undefined {
  const text = decodeText(raw);
  if (text === undefined) return undefined;
  const [first = ''] = raw.split('-');
  switch (o.kind) {
    case 'channel':
      return id(first) ?? look.channelNamed(text) ?? text;
    case 'person':
      return id(first) ?? person(text, look) ?? text;
    case 'people': {
      const ids = first.split(',').map(id);
      if (ids.every((n) => n !== undefined)) return ids;
      const named = text.split(',').map((name) => person(name, look));
      return named.every((n) => n !== undefined) ? named : text;
    }
    default:
      return typedOperand(o, [text], look);
  }
}

/** operandLink encodes an operand for a link. */
export function operandLink(t: Term, look: Names): string {
  if (Array.isArray(t.operand)) {
    const name = t.operand.length > 1 ? 'group' : look.personName(t.operand[0] ?? 0);
    return t.operand.join(',') + slug(name);
  }
  if (typeof t.operand === 'string') return encodeText(t.operand);
  const kind = operator(t.operator)?.kind;
  if (kind === 'channel') return t.operand + slug(look.channelName(t.operand));
  if (kind === 'person') return t.operand + slug(look.personName(t.operand));
  return String(t.operand);
}

/** operandNames returns the names that an operand is displayed with. */
export function operandNames(t: Term, look: Names): string[] {
  if (Array.isArray(t.operand)) return t.operand.map((n) => look.personName(n) ?? String(n));
  if (typeof t.operand === 'string') return [(t.operator === 'topic' && look.topicName?.(t.operand)) || t.operand];
  const kind = operator(t.operator)?.kind;
  const name =
    kind === 'channel' ? look.channelName(t.operand) : kind === 'person' ? look.personName(t.operand) : undefined;
  return [name ?? String(t.operand)];
}

/** canonical returns the term that the server and the views know for an operator and its operand. */
export function canonical(o: Operator, operand: Operand, negated: boolean, me: number): Term {
  const t: Term =
    o.name === 'mentions' && operand === me
      ? { operator: 'is', operand: 'mentioned' }
      : { operator: o.name, operand };
  return negated ? { ...t, negated } : t;
}

/** exists reports whether the reader knows the channels and people of all terms. */
export function exists(terms: readonly Term[], look: Names): boolean {
  return terms.every((t) => {
    const kind = operator(t.operator)?.kind;
    const ids = typeof t.operand === 'string' ? [] : [t.operand].flat();
    if (kind === 'channel') return ids.length > 0 && ids.every((n) => look.channelName(n) !== undefined);
    if (kind === 'person' || kind === 'people')
      return ids.length > 0 && ids.every((n) => look.personName(n) !== undefined);
    return true;
  });
}
