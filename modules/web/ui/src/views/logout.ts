import { csrf, store } from '../app.ts';
import { webPush } from './webpush.svelte.ts';

/** logOut posts the form that the server's own pages have. */
export async function logOut(): Promise<void> {
  await webPush.unsubscribe().catch(() => undefined);
  store.forget();
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
