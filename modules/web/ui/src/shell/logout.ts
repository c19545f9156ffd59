import { store } from '../client.ts';
import { csrf } from '../csrf.ts';
import { session } from '../session.ts';
import { forgetShell, forgetUser } from './serviceworker.ts';
import { webPush } from '../settings/webpush.svelte.ts';

/** logOut deletes the data stored in this browser and submits the logout form, like the server's own pages. */
export async function logOut(): Promise<void> {
  await webPush.unsubscribe().catch(() => undefined);
  session.startLogout();
  await store.forget();
  await forgetUser();
  await forgetShell();
  await (navigator as { clearAppBadge?(): Promise<void> }).clearAppBadge?.().catch(() => undefined);
  const form = document.createElement('form');
  form.method = 'post';
  form.action = '/accounts/logout/';
  const token = document.createElement('input');
  token.type = 'hidden';
  token.name = 'csrfmiddlewaretoken';
  token.value = csrf();
  form.append(token);
  document.body.append(form);
  form.submit();
}
