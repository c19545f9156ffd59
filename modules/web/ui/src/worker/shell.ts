// Caches the client's page, without anybody's data, for use when the network is down. While the network works, every
// page comes from the server, so that an old client never meets a newer server.
const SHELL = 'stoa-shell';
const TIMEOUT = 10_000; // milliseconds until the network counts as down
const TOKEN = /(<meta name="csrf-token" content=")([^"]*)"/;
const ASSET = /\/static\/web\/assets\/[\w.-]+/g;
const ICON = '/static/stoa/icon.svg';

interface ShellEvent {
  request: Request;
  data?: unknown;
  ports?: readonly MessagePort[];
  waitUntil(work: Promise<unknown>): void;
  respondWith(answer: Promise<Response>): void;
}

interface ShellWorker {
  addEventListener(type: 'install' | 'activate' | 'fetch' | 'message', run: (e: ShellEvent) => void): void;
  skipWaiting(): Promise<void>;
  clients: { claim(): Promise<void> };
}

const worker = globalThis as unknown as ShellWorker;

/** cacheShell caches the page and the assets that it loads at once, and deletes those of an older page. */
async function cacheShell(): Promise<void> {
  const page = await fetch('/', { cache: 'no-store' });
  const html = await page.text();
  const token = TOKEN.exec(html)?.[2];
  if (!page.ok || !token) return; // nobody is logged in
  const cache = await caches.open(SHELL);
  const needed = [...new Set(html.match(ASSET) ?? [])];
  const old = await (await cache.match('/'))?.text();
  if (old !== undefined && String([...new Set(old.match(ASSET) ?? [])]) !== String(needed)) {
    for (const request of await cache.keys()) await cache.delete(request);
  }
  for (const path of [...needed, ICON]) if (!(await cache.match(path))) await cache.add(path);
  const headers = new Headers(page.headers);
  headers.delete('content-encoding');
  headers.delete('content-length');
  await cache.put('/', new Response(html.replace(TOKEN, '$1offline"'), { headers }));
}

/** cached returns a cached file. It does not create the cache, which must not outlive the session. */
function cached(path: string): Promise<Response | undefined> {
  return caches.match(path, { cacheName: SHELL });
}

/** page prefers the network. A proxy that reports an unavailable server counts as no network. */
async function page(e: ShellEvent): Promise<Response> {
  const shell = await cached('/');
  if (!shell) return fetch(e.request);
  try {
    const late = new Promise<undefined>((resolve) => setTimeout(resolve, TIMEOUT, undefined));
    const answer = await Promise.race([fetch(e.request), late]);
    if (!answer || [502, 503, 504].includes(answer.status)) return shell;
    if (answer.ok) e.waitUntil(forgetIfOver(answer.clone()));
    return answer;
  } catch {
    return shell;
  }
}

/** forgetIfOver deletes everything if the server's page shows that nobody is logged in any more. */
async function forgetIfOver(answer: Response): Promise<void> {
  const html = await answer.text();
  if (!TOKEN.exec(html)?.[2]) await forget();
}

/** forget deletes the page and the state that the client has saved (store/offline.ts). */
async function forget(): Promise<void> {
  indexedDB.deleteDatabase('stoa');
  await caches.delete(SHELL);
}

/** asset prefers the cache: the content behind a hashed name never changes. */
async function asset(request: Request, path: string): Promise<Response> {
  const found = await cached(path);
  if (found) return found;
  const answer = await fetch(request);
  if (answer.ok && path !== ICON && (await cached('/'))) {
    const copy = answer.clone();
    void caches.open(SHELL).then((cache) => cache.put(path, copy));
  }
  return answer;
}

worker.addEventListener('install', (e) => e.waitUntil(worker.skipWaiting()));
worker.addEventListener('activate', (e) => e.waitUntil(worker.clients.claim()));

worker.addEventListener('message', (e) => {
  if (e.data === 'keep') {
    const kept = () => e.ports?.[0]?.postMessage('kept');
    e.waitUntil(cacheShell().then(kept, () => undefined));
  }
  if (e.data === 'forget') e.waitUntil(forget());
});

worker.addEventListener('fetch', (e) => {
  const url = new URL(e.request.url);
  if (e.request.method !== 'GET' || url.origin !== location.origin) return;
  if (e.request.mode === 'navigate' && url.pathname === '/') e.respondWith(page(e));
  else if (/^\/static\/web\/(assets|modules)\//.test(url.pathname) || url.pathname === ICON) {
    e.respondWith(asset(e.request, url.pathname));
  }
});

export {};
