// What the server cannot do, which views explain beside what needs it.
import { store } from '../client.ts';
import { text } from '../texts/index.ts';

/** noMail returns why actions that need email are unavailable, if they are. Call it in a reactive context. */
export function noMail(): string | undefined {
  return store.realm.flag('stoa_sends_email') ? undefined : text.noMail;
}

/** leadsOnlyHere reports whether only browsers on the server's own computer can open a URL. */
export function leadsOnlyHere(url: string): boolean {
  if (!URL.canParse(url)) return false;
  return /^(localhost|.+\.localhost|127(\.\d+){3}|0\.0\.0\.0|\[::1?\])$/.test(new URL(url).hostname);
}

/** localNote returns why others cannot open invitation links, if so. Call it in a reactive context. */
export function localNote(): string | undefined {
  const url = store.realm.text('realm_url');
  return leadsOnlyHere(url) ? text.inviteLocal(url) : undefined;
}

/** minPassword and maxPassword return the limits of the length of a new password. */
export const minPassword = () => store.realm.number('password_min_length', 8);
export const maxPassword = () => store.realm.number('password_max_length', 100);
