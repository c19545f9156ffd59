import { csrf, startLogout, store } from '../app.ts';
import { forgetShell, forgetUser } from './shell.ts';
import { webPush } from './webpush.svelte.ts';

/** logOut deletes the data stored in this browser and submits the logout form, like the server's own pages. */
export async function logOut(): Promise<void> {
  await webPush.unsubscribe().catch(() => undefined);
  startLogout();
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
