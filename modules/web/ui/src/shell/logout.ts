import { store } from '../client.ts';
import { csrf } from '../csrf.ts';
import { session } from '../session.ts';
import { forgetShell, forgetUser } from './serviceworker.ts';
import { text } from '../texts/index.ts';
import { ui } from './ui.svelte.ts';
import { webPush } from '../settings/webpush.svelte.ts';

/** FLUSHING is how long, in milliseconds, a logout waits until unsent text has become a draft. */
const FLUSHING = 3000;

/**
 * logOut deletes the data stored in this browser and submits the logout form, like the server's own pages. Texts that
 * have not been sent become drafts; it asks first if messages would be lost.
 */
export async function logOut(): Promise<void> {
  if (store.connection.state !== 'online') {
    ui.toast(() => text.startFailed, 'error'); // the session would stay open
    return;
  }
  const waiting = store.outbox.items.filter((m) => m.state !== 'sent').length;
  const question = { title: () => text.logOut, hint: () => text.unsentLost(waiting), action: () => text.logOut };
  if (waiting > 0 && !(await ui.ask(question))) return;
  await Promise.race([store.drafts.flush(), new Promise((resolve) => setTimeout(resolve, FLUSHING))]);
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
