import { http } from '../client.ts';

// Accounts at identity providers, with which the user can log in.

/** Identity is the user's account at a provider. */
export interface Identity {
  id: number;
  /** provider is the name of the method of LoginMethod. */
  provider: string;
  email: string;
  created_at: number;
  last_used_at: number;
}

/** LoginMethod is a way to log in other than with a password. */
export interface LoginMethod {
  name: string;
  display_name: string;
}

export interface Identities {
  identities: Identity[];
  methods: LoginMethod[];
}

/** identities returns the user's identities, and the methods that the organization offers. */
export function identities(): Promise<Identities> {
  return http.call('GET', '/stoa/identities');
}

/** connect leaves the page for that of a provider, which returns here. */
export async function connect(provider: string): Promise<void> {
  const next = location.pathname + location.hash;
  const { url } = await http.call<{ url: string }>('POST', '/stoa/identities', { provider, next });
  location.assign(url);
}

export function disconnect(id: number): Promise<unknown> {
  return http.call('DELETE', `/stoa/identities/${id}`);
}
