/** encodeText encodes text for URL fragments: percent-encoded, with dots in place of percent signs. */
export function encodeText(text: string): string {
  return encodeURIComponent(text)
    .replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('.', '%2E')
    .replaceAll('%', '.');
}

/**
 * decodeText reverses encodeText. Browsers, and other clients, also encode with percent signs, with dots for
 * themselves if they are not followed by a code. It returns undefined for malformed input.
 */
export function decodeText(text: string): string | undefined {
  const dots = decoded(text.replaceAll('.', '%'));
  return dots ?? (text.includes('%') ? decoded(text) : undefined);
}

/** encodePath encodes the parts of the path of a module's page. */
export const encodePath = (path: string): string => path.split('/').map(encodeURIComponent).join('/');

/** decodePath reverses encodePath. What is malformed stays as it is. */
export const decodePath = (path: string): string => decoded(path) ?? path;

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** slug returns the readable end of an ID in a link. */
export function slug(name: string | undefined): string {
  return name ? `-${encodeText(name.replaceAll(' ', '-'))}` : '';
}
