import { http } from '../client.ts';

// The identity providers that manage accounts and user groups.

/** ScimToken is a token with which an identity provider manages accounts, without its secret. */
export interface ScimToken {
  id: number;
  name: string;
  hint: string;
  created_at: number;
  expires_at: number | null;
  last_used_at: number | null;
}

/** Managed says who manages an account, and which fields nobody else can change. */
export interface Managed {
  managed_by: string;
  managed_fields: string[];
}

export const scimTokens = () => http.call<{ tokens: ScimToken[] }>('GET', '/stoa/scim/tokens').then((a) => a.tokens);

export const createScimToken = (name: string, days: number | undefined) =>
  http.call<{ id: number; token: string }>('POST', '/stoa/scim/tokens', {
    name,
    ...(days ? { expires_in_days: days } : {}),
  });

export const revokeScimToken = (id: number) => http.call('DELETE', `/stoa/scim/tokens/${id}`);

/** managedBy returns who manages an account: what pushes accounts here (scim), or else the provider that logs in. */
export async function managedBy(user: number, scim: boolean, identities: boolean): Promise<Managed | undefined> {
  const pushed = scim ? await http.call<Managed>('GET', `/stoa/scim/users/${user}`) : undefined;
  if (pushed?.managed_by || !identities) return pushed;
  return http.call<Managed>('GET', `/stoa/identities/users/${user}`);
}
