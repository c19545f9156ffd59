/** encodeText encodes text for URL fragments: percent-encoded, with dots in place of percent signs. */
export function encodeText(text: string): string {
  return encodeURIComponent(text)
    .replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('.', '%2E')
    .replaceAll('%', '.');
}

/** decodeText reverses encodeText, and returns undefined for malformed input. */
export function decodeText(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('%', '%25').replaceAll('.', '%'));
  } catch {
    return undefined;
  }
}

/** slug returns the readable end of an ID in a link. */
export function slug(name: string | undefined): string {
  return name ? `-${encodeText(name.replaceAll(' ', '-'))}` : '';
}
