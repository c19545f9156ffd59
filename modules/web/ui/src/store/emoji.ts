import type { EventOfType } from '../api/events.ts';
import type { CustomEmoji, Snapshot } from '../api/types.ts';
import { CellMap, Tracked } from './cell.ts';

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

/** blocks are the code point ranges in the order of the picker: faces, gestures, nature, objects, symbols. */
const blocks = [
  [0x1f600, 0x1f64f],
  [0x1f910, 0x1f97a],
  [0x1f440, 0x1f4ff],
  [0x1f300, 0x1f43f],
  [0x1f97b, 0x1faff],
  [0x1f500, 0x1f5ff],
  [0x1f680, 0x1f6ff],
] as const;

function block(code: string): number {
  const first = parseInt(code, 16);
  const at = blocks.findIndex(([from, to]) => first >= from && first <= to);
  return at < 0 ? blocks.length : at;
}

/** EmojiSet holds the Unicode emoji, which the server lists, and the organization's custom emoji. */
export class EmojiSet extends Tracked {
  private unicode: Emoji[] = [];
  private custom = new CellMap<string, CustomEmoji>();
  private list: Emoji[] = [];

  reset(s: Snapshot): void {
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
    const sorted = rest
      .map((e) => ({ e, r: ranked(e), block: block(e.code) }))
      .sort((a, b) => (a.r === b.r ? a.block - b.block : a.r - b.r));
    this.list = [...own, ...sorted.map((s) => s.e)];
  }

  /** own returns the organization's emoji, including deactivated ones. */
  own(): CustomEmoji[] {
    return [...this.custom.values()];
  }

  customURL(code: string): string | undefined {
    return this.custom.get(code)?.source_url;
  }

  /** search returns the emoji whose names contain a text, starting with those that begin with it. */
  search(text: string, limit: number): Emoji[] {
    const query = text.toLowerCase().replaceAll(' ', '_');
    if (query === '') return this.list.slice(0, limit);
    const begins: Emoji[] = [];
    const contains: Emoji[] = [];
    for (const e of this.list) {
      const all = [e.name, ...e.aliases];
      if (all.some((n) => n.startsWith(query))) begins.push(e);
      else if (all.some((n) => n.includes(query))) contains.push(e);
    }
    return [...begins, ...contains].slice(0, limit);
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
