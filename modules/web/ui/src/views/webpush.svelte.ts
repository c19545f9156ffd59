import { calls } from '../app.ts';
import { Storage } from '../store/storage.ts';
import { registerWorker, workers } from './shell.ts';
import { nav } from './nav.svelte.ts';

const DEVICE = 'device';

/** WebPush lets the server notify this browser while no page is open. */
class WebPush {
  readonly supported = workers !== undefined && 'PushManager' in globalThis;
  // Logging out forgets what others keep in the storage, but not before the device was removed.
  private storage = new Storage(() => globalThis.localStorage, 'stoa-push.');
  on = $state(this.storage.get<number>(DEVICE) !== undefined);

  /** start subscribes again if somebody has turned notifications on: keys and addresses change. */
  start(): void {
    if (!this.supported) return;
    navigator.serviceWorker.addEventListener('message', (e: MessageEvent<{ open?: unknown }>) => {
      if (typeof e.data?.open === 'string' && e.data.open.startsWith('#narrow/')) nav.goHash(e.data.open);
    });
    if (this.on && Notification.permission === 'granted') void this.subscribe().catch(() => undefined);
  }

  async subscribe(): Promise<void> {
    if ((await Notification.requestPermission()) !== 'granted') return;
    await registerWorker();
    const registration = await this.registration();
    const key = await calls.webPushKey();
    const subscription = await registration.pushManager.subscribe({
      userVisibleOnly: true,
      applicationServerKey: key,
    });
    this.storage.set(DEVICE, await calls.registerWebPush(subscription.toJSON()));
    this.on = true;
  }

  /** registration waits until the worker runs: only then it can subscribe. */
  private async registration(): Promise<ServiceWorkerRegistration> {
    const r = (await navigator.serviceWorker.getRegistration('/'))!;
    const starting = r.installing ?? r.waiting;
    if (!r.active && starting) {
      await new Promise<void>((resolve) => {
        starting.addEventListener('statechange', () => {
          if (starting.state === 'activated' || starting.state === 'redundant') resolve();
        });
      });
    }
    return r;
  }

  /** unsubscribe is also called before somebody logs out: the next person must not see their messages. */
  async unsubscribe(): Promise<void> {
    const device = this.storage.get<number>(DEVICE);
    this.storage.clear();
    this.on = false;
    if (device === undefined) return;
    const registration = await navigator.serviceWorker.getRegistration('/');
    await (await registration?.pushManager.getSubscription())?.unsubscribe();
    await calls.removeDevice(device);
  }
}

export const webPush = new WebPush();
