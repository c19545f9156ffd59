import type { EventOfType } from '../api/events.ts';
import type { CustomEmoji, Snapshot } from '../api/types.ts';
import { CellMap, Tracked } from './cell.ts';
import type { Storage } from './storage.ts';

export interface Emoji {
  name: string;
  code: string;
  type: 'unicode_emoji' | 'realm_emoji' | 'zulip_extra_emoji';
  aliases: string[];
  /** url is the image of an emoji that is not a Unicode character. */
  url?: string;
}

/** popular lists the emoji that a picker shows first. */
const popular = [
  'thumbs_up',
  'tada',
  'smile',
  'heart',
  'working_on_it',
  'octopus',
  'check',
  'eyes',
  'joy',
  'pray',
  'rocket',
  'fire',
  'thumbs_down',
  'thinking',
  'clap',
  'wave',
  'grinning',
  'laughing',
  'wink',
  'cry',
  'open_mouth',
  'question',
  '100',
  'muscle',
  'sparkles',
  'bulb',
  'coffee',
  'cake',
  'sunglasses',
  'ok',
  'party_popper',
  'hug',
  'point_up',
  'star',
];

/** character converts the code of a Unicode emoji to text. */
export function character(code: string): string {
  const points = code.split('-').map((hex) => parseInt(hex, 16));
  if (points.some((p) => !Number.isInteger(p) || p < 0 || p > 0x10ffff)) return '';
  const text = String.fromCodePoint(...points);
  return points.length === 1 && points[0]! < 0x1f000 ? `${text}\ufe0f` : text;
}

/** toned returns a character in a skin tone. The server knows no tones: they are for texts, not for reactions. */
export function toned(text: string, tone: string): string {
  return tone ? text.replace(/(\p{Emoji_Modifier_Base})\ufe0f?/gu, `$1${tone}`) : text;
}

/** plain returns a text for searches: without case, accents and underscores. */
function plain(text: string): string {
  let found = known.get(text);
  if (found === undefined) {
    found = text.toLowerCase().normalize('NFD').replace(/\p{M}/gu, '').replaceAll('_', ' ');
    known.set(text, found);
  }
  return found;
}

const known = new Map<string, string>();

/** place returns how well a text matches: 0 if it begins with the query, 1 if a word does, 2 if it contains it. */
function place(text: string, query: string): number {
  const at = text.indexOf(query);
  if (at <= 0) return at === 0 ? 0 : 3;
  return text.includes(` ${query}`) ? 1 : 2;
}

const keyOf = (e: Emoji) => `${e.type} ${e.code}`;

/** MAX_PICKS is the number of picks that the order of frequent emoji follows from. */
const MAX_PICKS = 200;

/** EmojiSet holds the Unicode emoji, which the server lists, and the organization's custom emoji. */
export class EmojiSet extends Tracked {
  private unicode: Emoji[] = [];
  private custom = new CellMap<string, CustomEmoji>();
  private list: Emoji[] = [];
  /** picks are what the user has picked, the latest first. */
  private picks: string[] = [];
  /** tone is the skin tone in which the user writes emoji, as a character; empty for none. */
  tone = '';
  private local: Storage;

  constructor(local: Storage) {
    super();
    this.local = local;
  }

  reset(s: Snapshot): void {
    this.picks = this.local.get<string[]>('emoji.picks') ?? [];
    this.tone = this.local.get<string>('emoji.tone') ?? '';
    this.custom.replace(Object.entries(s.realm_emoji));
    this.rebuild();
  }

  setUnicode(codeToNames: Record<string, string[]>): void {
    this.unicode = Object.entries(codeToNames).flatMap(([code, names]) =>
      names[0] ? [{ name: names[0], code, type: 'unicode_emoji' as const, aliases: names.slice(1) }] : [],
    );
    this.rebuild();
  }

  private rebuild(): void {
    const own: Emoji[] = [...this.custom.values()]
      .filter((e) => !e.deactivated)
      .map((e) => ({
        name: e.name,
        code: e.id,
        type: 'realm_emoji',
        aliases: [],
        url: e.source_url,
      }));
    const names = new Set(own.map((e) => e.name));
    const rank = new Map(popular.map((name, i) => [name, i]));
    const ranked = (e: Emoji) => Math.min(...[e.name, ...e.aliases].map((n) => rank.get(n) ?? Infinity));
    const rest = this.unicode.filter((e) => !names.has(e.name));
    const sorted = rest.map((e) => ({ e, r: ranked(e) })).sort((a, b) => (a.r === b.r ? 0 : a.r - b.r));
    this.list = [...own, ...sorted.map((s) => s.e)];
  }

  /** all returns the emoji that can be used: the organization's own, then popular ones, then all others. */
  all(): readonly Emoji[] {
    return this.list;
  }

  /** frequent returns the emoji that the user has picked most often, followed by popular ones. */
  frequent(limit: number): Emoji[] {
    const counts = new Map<string, number>();
    for (const key of this.picks) counts.set(key, (counts.get(key) ?? 0) + 1);
    const usable = new Map(this.list.map((e) => [keyOf(e), e]));
    const picked = [...counts].sort(([, a], [, b]) => b - a).flatMap(([key]) => usable.get(key) ?? []);
    return [...new Set([...picked, ...this.list])].slice(0, limit);
  }

  /** picked remembers that the user has picked an emoji. */
  picked(e: Emoji): void {
    this.picks = [keyOf(e), ...this.picks].slice(0, MAX_PICKS);
    this.local.set('emoji.picks', this.picks);
  }

  setTone(tone: string): void {
    this.tone = tone;
    this.local.set('emoji.tone', tone || undefined);
  }

  /** own returns the organization's emoji, including deactivated ones. */
  own(): CustomEmoji[] {
    return [...this.custom.values()];
  }

  customURL(code: string): string | undefined {
    return this.custom.get(code)?.source_url;
  }

  /**
   * search returns the emoji whose names contain a text, starting with those that begin with it. about returns their
   * names and keywords in the reader's language.
   */
  search(text: string, limit: number, about: (e: Emoji) => readonly string[] = () => []): Emoji[] {
    const query = plain(text).trim();
    if (query === '') return this.list.slice(0, limit);
    const classes: Emoji[][] = [[], [], [], []];
    for (const e of this.list) {
      const names = [e.name, ...e.aliases, ...about(e)];
      classes[Math.min(...names.map((name) => place(plain(name), query)))]?.push(e);
    }
    return classes.slice(0, 3).flat().slice(0, limit);
  }

  named(name: string): Emoji | undefined {
    return this.list.find((e) => e.name === name || e.aliases.includes(name));
  }

  apply(e: EventOfType<'realm_emoji'>): void {
    if (e.op === 'update') this.custom.replace(Object.entries(e.realm_emoji));
    if (e.op === 'add') this.custom.set(e.emoji.id, e.emoji);
    if (e.op === 'update_one') {
      const known = this.custom.get(e.emoji_id);
      if (known) this.custom.set(known.id, { ...known, ...e.data });
    }
    this.rebuild();
  }
}
