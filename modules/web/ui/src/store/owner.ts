import type { Snapshot } from '../api/types.ts';

/** NAMES are the names of the server's cookie with the user of the browser's session, over HTTPS and HTTP. */
const NAMES = ['__Host-stoa_owner', 'stoa_owner'];

/** ownerIn returns the owner of the browser's session from a page's cookies: the organization and the user. */
export function ownerIn(cookies: string): string | undefined {
  const all = new Map(
    cookies.split('; ').map((c) => {
      const [name = '', value = ''] = c.split('=', 2);
      return [name, value];
    }),
  );
  return NAMES.map((n) => all.get(n)).find(Boolean);
}

/** ownerOf returns the owner of a registration, as the cookie names it. */
export function ownerOf(s: Snapshot): string {
  return `${String(s.realm_uuid)}.${s.user_id}`;
}

/** expired returns cookies that delete the owner's cookie. */
export function expired(): string[] {
  return NAMES.map((n) => `${n}=; Max-Age=0; Path=/${n.startsWith('__Host-') ? '; Secure' : ''}`);
}
