// Loaded on demand: asks the server for the sizes of files whose cards are on the screen.

/** Size is the size of a file in bytes, or says that there is no such file for the user. */
export type Size = number | 'gone';

/** MAX_KNOWN is the number of sizes that are kept. */
const MAX_KNOWN = 1000;

/** MAX_REQUESTS is the number of requests at the same time. */
const MAX_REQUESTS = 2;

interface Wanted {
  url: string;
  show: (size: Size) => void;
}

const known = new Map<string, Size>();
const watched = new WeakMap<Element, Wanted>();
/** visible holds what is on the screen without a size. */
const visible = new Set<Element>();
const asked = new Set<string>();

const observer = new IntersectionObserver((entries) => {
  for (const e of entries) {
    if (e.isIntersecting) visible.add(e.target);
    else visible.delete(e.target);
  }
  ask();
});

/** whenSized calls show with the size of a file, once its element has been on the screen. */
export function whenSized(element: Element, url: string, show: (size: Size) => void): void {
  const size = known.get(url);
  if (size !== undefined) {
    show(size);
    return;
  }
  watched.set(element, { url, show });
  observer.observe(element);
}

/** ask requests the sizes of what is visible, beginning with what was shown last. */
function ask(): void {
  for (const element of [...visible].reverse()) {
    const { url } = watched.get(element)!;
    if (known.has(url)) settle(url, known.get(url));
    else if (!asked.has(url) && asked.size < MAX_REQUESTS) void request(url);
  }
}

async function request(url: string): Promise<void> {
  asked.add(url);
  const size = await sizeOf(url);
  asked.delete(url);
  if (size !== undefined) {
    if (known.size >= MAX_KNOWN) known.delete(known.keys().next().value!);
    known.set(url, size);
  }
  settle(url, size);
  ask();
}

async function sizeOf(url: string): Promise<Size | undefined> {
  try {
    const answer = await fetch(url, { method: 'HEAD' });
    const length = Number(answer.headers.get('Content-Length') ?? NaN);
    if (answer.ok) return Number.isFinite(length) ? length : undefined;
    return answer.status === 404 || answer.status === 401 ? 'gone' : undefined;
  } catch {
    return undefined; // without a connection
  }
}

/** settle shows a size. If there is none, it is not asked for again before the message is shown again. */
function settle(url: string, size: Size | undefined): void {
  for (const element of [...visible]) {
    const wanted = watched.get(element)!;
    if (wanted.url !== url) continue;
    visible.delete(element);
    observer.unobserve(element);
    if (size !== undefined) wanted.show(size);
  }
}
