import { calls } from '../client.ts';
import { session } from '../session.ts';
import { ownerIn } from '../store/owner.ts';
import { Storage } from '../store/storage.ts';
import { registerWorker, workers } from '../shell/serviceworker.ts';
import { nav } from '../shell/nav.svelte.ts';

const DEVICE = 'device';
const OWNER = 'owner';

/** WebPush subscribes this browser to push notifications, which arrive while no page is open. */
class WebPush {
  readonly supported = workers !== undefined && 'PushManager' in globalThis;
  // Logout clears the other storage, but this entry must outlive it until the device is removed.
  private storage = new Storage(() => globalThis.localStorage, 'stoa-push.');
  on = $state(this.storage.get<number>(DEVICE) !== undefined);

  /** start follows logins and logouts, and opens what notifications name. */
  start(): void {
    if (!this.supported) return;
    session.whenEnded(() => this.drop());
    const [last, now] = [this.storage.get<string>(OWNER), ownerIn(document.cookie)];
    if (last !== undefined && now !== undefined && last !== now) void this.drop().catch(() => undefined);
    navigator.serviceWorker.addEventListener('message', (e: MessageEvent<{ open?: unknown }>) => {
      if (typeof e.data?.open === 'string' && e.data.open.startsWith('#narrow/')) nav.goHash(e.data.open);
    });
  }

  /** renew renews the subscription if notifications are on, because keys and endpoints change. */
  renew(): void {
    if (!this.supported || !this.on || Notification.permission !== 'granted') return;
    void this.subscribe().catch(() => undefined);
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
    this.storage.set(OWNER, ownerIn(document.cookie));
    this.storage.set(DEVICE, await calls.registerWebPush(subscription.toJSON()));
    this.on = true;
  }

  /** registration waits until the worker is active, because only then it can subscribe. */
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

  /** unsubscribe is also called before logout: the next user of this browser must not see notifications. */
  async unsubscribe(): Promise<void> {
    const device = this.storage.get<number>(DEVICE);
    await this.drop();
    if (device !== undefined) await calls.removeDevice(device);
  }

  /** drop ends the subscription in the browser only. The server deletes the device when the next notification fails. */
  private async drop(): Promise<void> {
    const device = this.storage.get<number>(DEVICE);
    this.storage.clear();
    this.on = false;
    if (device === undefined) return;
    const registration = await navigator.serviceWorker.getRegistration('/');
    await (await registration?.pushManager.getSubscription())?.unsubscribe();
  }
}

export const webPush = new WebPush();
