import type { IconName } from '../design/icons.ts';
import { reader } from '../texts/language.svelte.ts';

const kinds: [RegExp, IconName][] = [
  [/\.(avif|bmp|gif|heic|heif|ico|jpe?g|png|svg|tiff?|webp)$/i, 'image'],
  [/\.(avi|m4v|mkv|mov|mp4|mpe?g|ogv|webm)$/i, 'video'],
  [/\.(aac|aiff?|flac|m4a|mid|mp3|og[ag]|opus|wav|weba|wma)$/i, 'music'],
  [/\.(7z|bz2|gz|rar|tar|tgz|xz|zip|zst)$/i, 'archive'],
  [/\.(c|cc|cpp|cs|css|go|h|html?|java|js|json|kt|mjs|php|py|rb|rs|sh|sql|swift|toml|ts|xml|ya?ml)$/i, 'code'],
  [/\.(csv|docx?|epub|log|md|od[pst]|pdf|pptx?|rtf|tsv|txt|xlsx?)$/i, 'file-text'],
];

/** fileIcon returns the icon of a kind of file, by the end of its name. */
export function fileIcon(name: string): IconName {
  return kinds.find(([pattern]) => pattern.test(name))?.[1] ?? 'file';
}

/** nameOf returns the name of a file by its URL. */
export function nameOf(url: string): string {
  const name =
    url
      .replace(/[?#].*/, '')
      .split('/')
      .at(-1) ?? '';
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** fileType returns the end of a file's name in capital letters, as a short name of its type. */
export function fileType(name: string): string {
  return /\.(\w{1,8})$/.exec(name)?.[1]?.toUpperCase() ?? '';
}

const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;

/** fileSize formats a number of bytes. */
export function fileSize(bytes: number): string {
  const n = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)));
  const size = bytes / 1000 ** n;
  const format = { style: 'unit', unit: units[n]!, unitDisplay: n > 0 ? 'short' : 'long' } as const;
  return new Intl.NumberFormat(reader.locale, { ...format, maximumFractionDigits: size < 10 ? 1 : 0 }).format(size);
}

/**
 * players are the content types of files that browsers may play, by the ends of their names. The server itself decides
 * about MP4 and WebM videos.
 */
const players: Record<string, string> = {
  aac: 'audio/aac',
  flac: 'audio/flac',
  m4a: 'audio/mp4',
  mp3: 'audio/mpeg',
  oga: 'audio/ogg',
  ogg: 'audio/ogg',
  opus: 'audio/ogg',
  wav: 'audio/wav',
  weba: 'audio/webm',
  m4v: 'video/mp4',
  mkv: 'video/webm',
  mov: 'video/mp4',
  ogv: 'video/ogg',
};

/** playerType returns the content type of a recording or a video, by the end of its name. */
export function playerType(name: string): string | undefined {
  return players[fileType(name).toLowerCase()];
}
