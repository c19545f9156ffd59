// Shows push notifications and opens the conversation of a clicked one. Imports nothing from the client.
interface Payload {
  type: string;
  realm_name?: string;
  message_id?: number;
  message_ids?: number[];
  sender_full_name?: string;
  sender_avatar_url?: string;
  content?: string;
  channel_id?: number;
  channel_name?: string;
  topic?: string;
  recipient_user_ids?: number[];
  badge?: number;
}

interface Worker {
  addEventListener(type: 'push' | 'notificationclick' | 'message', run: (e: WorkerEvent) => void): void;
  location: { origin: string };
  registration: ServiceWorkerRegistration;
  clients: {
    matchAll(options: object): Promise<{ url: string; focus(): Promise<unknown>; postMessage(m: unknown): void }[]>;
    openWindow(url: string): Promise<unknown>;
  };
  navigator: { setAppBadge?(n: number): Promise<void> };
}

interface WorkerEvent {
  waitUntil(work: Promise<unknown>): void;
  data?: unknown;
  notification?: Notification;
}

const worker = globalThis as unknown as Worker;

const encode = (text: string) => encodeURIComponent(text).replaceAll('.', '%2E').replaceAll('%', '.');

/** plain returns a topic without the mark of resolved ones. */
const plain = (topic: string) => topic.replace(/^✔ /, '');

/** hashOf returns the URL fragment of the message's conversation. */
function hashOf(p: Payload): string {
  const near = `/near/${p.message_id}`;
  if (p.channel_id !== undefined) return `#narrow/channel/${p.channel_id}/topic/${encode(p.topic ?? '')}${near}`;
  return `#narrow/dm/${(p.recipient_user_ids ?? []).join(',')}${near}`;
}

async function show(p: Payload): Promise<void> {
  if (p.badge !== undefined) await worker.navigator.setAppBadge?.(p.badge).catch(() => undefined);
  if (p.type === 'remove') {
    await close((p.message_ids ?? []).map(String));
    return;
  }
  const where = p.channel_name === undefined ? '' : ` – #${p.channel_name} › ${plain(p.topic ?? '')}`;
  const title = p.type === 'message' ? `${p.sender_full_name ?? ''}${where}` : (p.realm_name ?? 'Stoa');
  await worker.registration.showNotification(title, {
    body: (p.content ?? '').replaceAll('> ✔ ', '> '),
    tag: String(p.message_id ?? p.type),
    ...(p.sender_avatar_url ? { icon: p.sender_avatar_url } : {}),
    data: p.type === 'message' ? hashOf(p) : '',
  });
}

/** open shows a conversation in an existing page, or else in a new window. */
async function open(hash: string): Promise<void> {
  const pages = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const page = pages.find((c) => new URL(c.url).pathname === '/');
  if (!page) {
    await worker.clients.openWindow(`/${hash}`);
    return;
  }
  page.postMessage({ open: hash });
  await page.focus();
}

worker.addEventListener('push', (e) => {
  try {
    e.waitUntil(show((e.data as { json(): unknown }).json() as Payload));
  } catch {
    // Ignore payloads that cannot be parsed.
  }
});

worker.addEventListener('notificationclick', (e) => {
  e.notification?.close();
  e.waitUntil(open(String(e.notification?.data ?? '')));
});

worker.addEventListener('message', (e) => {
  if (e.data === 'forget' || e.data === 'forget user') e.waitUntil(closeAll());
});

/** close withdraws notifications of messages that were read elsewhere. */
async function close(tags: readonly string[]): Promise<void> {
  for (const n of await worker.registration.getNotifications()) if (tags.includes(n.tag)) n.close();
}

async function closeAll(): Promise<void> {
  for (const n of await worker.registration.getNotifications()) n.close();
  await worker.navigator.setAppBadge?.(0).catch(() => undefined);
}

export {};
