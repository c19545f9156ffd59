import { store } from '../client.ts';
import type { Emoji } from '../store/emoji.ts';
import { names } from '../texts/emojinames.ts';
import { words } from '../texts/emojiwords.ts';

/** about returns the name and the keywords of an emoji in the reader's language. */
function about({ code, type }: Emoji): string[] {
  if (type !== 'unicode_emoji') return [];
  return [names[code] ?? '', ...(words[code]?.split('|') ?? [])];
}

/** searchEmoji finds emoji by their names and keywords in the reader's language, and by their names between colons. */
export function searchEmoji(typed: string, limit: number): Emoji[] {
  return store.emoji.search(typed, limit, about);
}
