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
  passkeys: Passkey[];
  /** prove is what changes require: nothing, the password, or another login. */
  prove: 'nothing' | 'password' | 'login';
}

/** NewApp is the secret for an app, also as a QR code: the path of an SVG image with a side of size. */
export interface NewApp {
  secret: string;
  uri: string;
  qr: { size: number; path: string };
}

/** Passkey is a key of a device, with which it knows the user again. */
export interface Passkey {
  id: number;
  name: string;
  created_at: number;
  last_used_at: number;
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

export const removePasskey = (id: number, password: string) =>
  http.call('DELETE', `/stoa/second_factor/passkeys/${id}`, proof(password));

const bytes = (text: string) =>
  Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (c) => c.charCodeAt(0));

const encoded = (buffer: ArrayBuffer) =>
  btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replace(/\+/g, '-')
    .replace(/\//g, '_')
    .replace(/=+$/, '');

/** Options is what the server asks of a new passkey, with binary values in base64url. */
interface Options {
  publicKey: Omit<PublicKeyCredentialCreationOptions, 'challenge' | 'user' | 'excludeCredentials'> & {
    challenge: string;
    user: { id: string; name: string; displayName: string };
    excludeCredentials?: { id: string; type: 'public-key' }[];
  };
}

/** addPasskey makes a passkey with a device, which may ask its owner, and returns recovery codes that are new. */
export async function addPasskey(name: string, password: string): Promise<string[]> {
  const begun = await http.call<{ step: string; options: Options }>(
    'POST',
    '/stoa/second_factor/passkeys/begin',
    proof(password),
  );
  const asked = begun.options.publicKey;
  const made = (await navigator.credentials.create({
    publicKey: {
      ...asked,
      challenge: bytes(asked.challenge),
      user: { ...asked.user, id: bytes(asked.user.id) },
      excludeCredentials: (asked.excludeCredentials ?? []).map((one) => ({ ...one, id: bytes(one.id) })),
    },
  })) as PublicKeyCredential;
  const response = made.response as AuthenticatorAttestationResponse;
  const credential = JSON.stringify({
    id: made.id,
    rawId: made.id,
    type: made.type,
    response: {
      clientDataJSON: encoded(response.clientDataJSON),
      attestationObject: encoded(response.attestationObject),
      transports: response.getTransports(),
    },
  });
  const done = await http.call<Codes>('POST', '/stoa/second_factor/passkeys', { step: begun.step, name, credential });
  return done.recovery_codes;
}
