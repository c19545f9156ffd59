import type { Lease, TabMessage, Wire } from './tabs.ts';

const PREFIX = 'stoa-tabs.';
const DAY = 86_400_000; // milliseconds

/** tabWire connects this page with the others of the same user and version, or returns undefined if it cannot. */
export function tabWire(owner: string | undefined, version: string): Wire | undefined {
  if (owner === undefined || !('BroadcastChannel' in globalThis)) return undefined;
  const name = `stoa ${version} ${owner}`;
  try {
    void localStorage.length;
    return new PageWire(name, owner);
  } catch {
    return undefined; // storage is blocked
  }
}

/**
 * PageWire is a Wire of broadcast channels and localStorage, which all browsers offer. Locks would be simpler, but
 * require HTTPS; shared workers are missing on Android.
 */
class PageWire implements Wire {
  readonly tab = `${Date.now().toString(36)}.${Math.random().toString(36).slice(2, 10)}`;
  readonly owner: string;
  private name: string;
  private channel: BroadcastChannel;
  private own: BroadcastChannel;

  constructor(name: string, owner: string) {
    this.owner = owner;
    this.name = name;
    this.channel = new BroadcastChannel(name);
    this.own = new BroadcastChannel(`${name} ${this.tab}`);
    forgetFormer();
  }

  post(m: TabMessage, to?: string): void {
    if (to === undefined) {
      this.channel.postMessage(m);
      return;
    }
    const other = new BroadcastChannel(`${this.name} ${to}`);
    other.postMessage(m);
    other.close();
  }

  listen(receive: (m: TabMessage) => void): void {
    for (const channel of [this.channel, this.own]) {
      channel.onmessage = (e: MessageEvent<TabMessage>) => receive(e.data);
    }
  }

  get lease(): Lease | undefined {
    return read(PREFIX + this.name);
  }

  set lease(lease: Lease | undefined) {
    try {
      if (lease) localStorage.setItem(PREFIX + this.name, JSON.stringify(lease));
      else localStorage.removeItem(PREFIX + this.name);
    } catch {
      // Full: new pages then lead for a moment, until the leader objects.
    }
  }

  now(): number {
    return Date.now();
  }

  after(ms: number, run: () => void): () => void {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  }

  visible(): boolean {
    return !document.hidden;
  }

  focused(): boolean {
    return document.hasFocus();
  }
}

/** forgetFormer deletes the leases of former versions and users. */
function forgetFormer(): void {
  for (const key of Object.keys(localStorage)) {
    if (key.startsWith(PREFIX) && Date.now() - (read(key)?.at ?? 0) > DAY) localStorage.removeItem(key);
  }
}

function read(key: string): Lease | undefined {
  try {
    const text = localStorage.getItem(key);
    return text ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}
