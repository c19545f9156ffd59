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
