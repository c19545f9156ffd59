import { store } from '../client.ts';
import type { SearchOperator, Term } from '../api/types.ts';
import { lookup } from '../format/names.ts';
import { textOf } from '../modules/modules.svelte.ts';
import { ranked } from '../store/completion.ts';
import { plainTopic } from '../store/messages.ts';
import { canonical, isoDay, operator, operators, typedOperand, type Operator } from '../store/operators.ts';
import { names, split, termText, tokens } from '../store/search.ts';
import { text } from '../texts/index.ts';
import { meanings } from './meanings.ts';

/** Suggestion completes the last part of a search. Without a term, it is an operator that still needs an operand. */
export interface Suggestion {
  shown: string;
  meaning: string;
  term?: Term;
}

const LIMIT = 8;

/** EACH bounds how many channels and people a plain word suggests. */
const EACH = 3;

/** suggest returns completions of the last part of a text, and where that part starts. */
export function suggest(typed: string, pills: readonly Term[], channel?: number): { at: number; list: Suggestion[] } {
  const last = /\s$/.test(typed) ? undefined : tokens(typed).at(-1);
  const at = last?.start ?? typed.length;
  const raw = last?.raw ?? '';
  const part = split(raw);
  if (part) {
    const list = operands(operator(part.name)!, part.operand, pills, channel);
    return { at, list: list.map((operand) => whole(part.name, operand, part.negated)).slice(0, LIMIT) };
  }
  const negated = raw.startsWith('-');
  const start = raw.replace(/^-/, '').toLowerCase();
  const matching = operators
    .filter((o) => store.has(o.needs) && o.kind !== 'text' && !(negated && o.place))
    .flatMap((o): Suggestion[] => {
      if (o.words) return offeredWords(o).map((w) => whole(o.name, w, negated));
      return [begun(o.name, meanings[o.name]!(), negated)];
    })
    .concat(store.realm.searchOperators.map((o) => begun(o.name, ofModule(o), negated)))
    .filter((s) => s.shown.slice(negated ? 1 : 0).startsWith(start));
  if (start === '') return { at, list: matching };
  const named = ['channel', 'sender', 'dm']
    .filter((name) => store.has(operator(name)!.needs))
    .flatMap((name) =>
      operands(operator(name)!, start, pills, channel)
        .slice(0, EACH)
        .map((operand) => whole(name, operand, negated)),
    );
  return { at, list: [...matching.slice(0, LIMIT), ...named] };
}

const offeredWords = (o: Operator) => (o.words ?? []).filter((w) => store.has(o.wordNeeds?.[w]));

/** begun suggests an operator that still needs an operand. */
const begun = (name: string, meaning: string, negated: boolean): Suggestion => ({
  shown: `${negated ? '-' : ''}${name}:`,
  meaning: described(meaning, negated),
});

/** ofModule describes an operator of a module, whose text operator.NAME translates it. */
const ofModule = (o: SearchOperator) => textOf(`operator.${o.name}`) ?? o.doc;

const described = (meaning: string, negated: boolean) => (negated ? text.finds.not(meaning) : meaning);

function whole(name: string, operand: Term['operand'], negated: boolean): Suggestion {
  const term = canonical(operator(name)!, operand, negated, store.me);
  const shown = termText(term, lookup);
  const own = store.realm.searchOperators.find((o) => o.name === term.operator);
  const meaning = meanings[`${term.operator}:${String(term.operand)}`] ?? meanings[term.operator];
  return { shown, meaning: described(own ? ofModule(own) : (meaning?.() ?? ''), negated), term };
}

/** operands returns the operands that a partly typed one can become. */
function operands(o: Operator, raw: string, pills: readonly Term[], channel?: number): Term['operand'][] {
  const parts = names(raw);
  const typed = parts.at(-1)!;
  const people = () => {
    const self = typed !== '' && 'me'.startsWith(typed.toLowerCase()) ? [store.me] : [];
    const found = ranked(store.users.people(), (u) => u.full_name, typed, LIMIT).map((u) => u.user_id);
    return [...new Set([...self, ...found])];
  };
  switch (o.kind) {
    case 'channel':
      return ranked(store.channels.byName(), (c) => c.name, typed, LIMIT).map((c) => c.stream_id);
    case 'person':
      return people();
    case 'people': {
      const before = parts.length > 1 ? typedOperand(o, parts.slice(0, -1), lookup) : [];
      if (!Array.isArray(before)) return [];
      return people().flatMap((id) => (before.includes(id) ? [] : [[...before, id]]));
    }
    case 'topic': {
      const inside = pills.findLast((t) => t.operator === 'channel' && !t.negated)?.operand ?? channel;
      const known = typeof inside === 'number' ? store.topics.get(inside)?.map((t) => t.name) : undefined;
      const recent = store.recent
        .all()
        .flatMap(({ conversation: c }) =>
          c.kind === 'topic' && (inside === undefined || c.channel === inside) ? [c.topic] : [],
        );
      return [...new Set(ranked(known ?? recent, plainTopic, typed, LIMIT))];
    }
    case 'word':
      return offeredWords(o).filter((w) => w.startsWith(typed.toLowerCase()));
    case 'date': {
      const days = [0, 1, 7].map((ago) => isoDay(store.now, ago));
      const own = typedOperand(o, [typed], lookup);
      return [...new Set([...(typeof own === 'string' ? [own] : []), ...days.filter((d) => d.startsWith(typed))])];
    }
    case 'other':
      return typed ? [parts.join(',')] : [];
    case 'message':
    case 'text':
      return [];
  }
}
