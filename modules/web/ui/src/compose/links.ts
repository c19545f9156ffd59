import { nameOf } from '../format/files.ts';

/** Link is a link to an uploaded file in a text, or the placeholder of one, which has no URL. */
export interface Link {
  source: string;
  /** at is the offset of the link in the text. */
  at: number;
  name: string;
  url: string;
}

const pattern = /!?\[([^\]\n]*)\]\((\/user_uploads\/[^()\s]*|)\)/g;

/** links returns the links to uploaded files in a text. */
export function links(text: string): Link[] {
  return [...text.matchAll(pattern)].map((m) => {
    const url = m[2]!;
    return { source: m[0], at: m.index, name: m[1]! || nameOf(url), url };
  });
}

/** without returns a text without a link, and without its line if nothing else is in it. */
export function without(text: string, { at, source }: Link): string {
  const [before, after] = [text.slice(0, at), text.slice(at + source.length)];
  const alone = /(^|\n)$/.test(before) && /^(\n|$)/.test(after);
  return before + (alone ? after.slice(1) : after);
}
