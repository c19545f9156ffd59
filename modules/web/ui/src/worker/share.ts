// Accepts content shared by other apps and stores it until the page has asked for a conversation. Nothing is sent to
// the server here.
const SHARED = 'stoa-shared';
const MAX_FILES = 20;
const TEXTS = ['share_title', 'share_text', 'share_url'];
const MAX_TEXT = 10_000; // characters per text

interface ShareEvent {
  request: Request;
  data?: unknown;
  waitUntil(work: Promise<unknown>): void;
  respondWith(answer: Promise<Response>): void;
}

const worker = globalThis as unknown as {
  addEventListener(type: 'fetch' | 'message', run: (e: ShareEvent) => void): void;
};

/** receive stores the files and redirects to the page, with the texts in its address. */
async function receive(request: Request): Promise<Response> {
  const address = new URLSearchParams();
  try {
    const form = await request.formData();
    for (const name of TEXTS) {
      const text = form.get(name);
      if (typeof text === 'string' && text) address.set(name, text.slice(0, MAX_TEXT));
    }
    const files = form.getAll('share_files').filter((f) => f instanceof File && f.name !== '') as File[];
    await caches.delete(SHARED);
    const cache = await caches.open(SHARED);
    for (const [i, file] of files.slice(0, MAX_FILES).entries()) {
      const headers = { 'Content-Type': file.type, 'X-Name': encodeURIComponent(file.name) };
      await cache.put(`/share/${i}`, new Response(file, { headers }));
    }
    if (files.length > 0) address.set('share_files', String(Math.min(files.length, MAX_FILES)));
  } catch {
    // Open the page without the content that could not be read.
  }
  return Response.redirect(`/?${address.toString()}`, 303);
}

worker.addEventListener('fetch', (e) => {
  const url = new URL(e.request.url);
  if (e.request.method === 'POST' && url.origin === location.origin && url.pathname === '/share')
    e.respondWith(receive(e.request));
});

worker.addEventListener('message', (e) => {
  if (e.data === 'forget' || e.data === 'forget user') e.waitUntil(caches.delete(SHARED));
});

export {};
