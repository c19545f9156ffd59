import { http } from '../client.ts';

// The second factors with which the user logs in.

/** SecondFactors is what the user has set up. */
export interface SecondFactors {
  app: boolean;
  app_added_at: number | null;
  /** recovery_codes is the number of codes that are left. */
  recovery_codes: number;
  few_recovery_codes: boolean;
  /** required is true if the organization requires a second factor, and due_at until when the login does not insist. */
  required: boolean;
  due_at: number | null;
  /** prove is what changes require: nothing, the password, or another login. */
  prove: 'nothing' | 'password' | 'login';
}

/** NewApp is the secret for an app, also as a QR code: the path of an SVG image with a side of size. */
export interface NewApp {
  secret: string;
  uri: string;
  qr: { size: number; path: string };
}

interface Codes {
  recovery_codes: string[];
}

const proof = (password: string) => (password ? { password } : {});

export const secondFactors = () => http.call<SecondFactors>('GET', '/stoa/second_factor');

export const newApp = (password: string) => http.call<NewApp>('POST', '/stoa/second_factor/app', proof(password));

export const confirmApp = (code: string) => http.call<Codes>('POST', '/stoa/second_factor/app/confirm', { code });

export const removeApp = (password: string) => http.call('DELETE', '/stoa/second_factor/app', proof(password));

export const newRecoveryCodes = (password: string) =>
  http.call<Codes>('POST', '/stoa/second_factor/recovery_codes', proof(password));

/** resetSecondFactor removes the second factors of another user. */
export const resetSecondFactor = (user: number) => http.call('DELETE', `/stoa/second_factor/users/${user}`);
