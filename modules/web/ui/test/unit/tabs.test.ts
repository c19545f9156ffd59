import { expect, test, vi, beforeEach, afterEach } from 'vitest';
import type { RawEvent } from '../../src/api/events.ts';
import { ApiError } from '../../src/api/http.ts';
import type { Snapshot } from '../../src/api/types.ts';
import { Connection } from '../../src/store/connection.ts';
import type { Lease, TabMessage } from '../../src/store/tabs.ts';
import { tabWire } from '../../src/store/wire.ts';
import { fakeHttp, connectionLost, Line, snapshot, type Call } from './fake.ts';

const OWNER = 'realm.1';

interface Tab {
  line: Line;
  connection: Connection;
  /** seen holds what the tab has applied: registrations as "=ID" and events as their IDs. */
  seen: string[];
  caughtUp: number;
  /** serverTime is the server's time, in seconds, in the last registration that the tab has applied. */
  serverTime: number;
  dead: boolean;
}

/** Browser has tabs that share storage and a server with one log of events for all queues. */
class Browser {
  lines: Line[] = [];
  tabs: Tab[] = [];
  lease: Lease | undefined;
  log: number[] = [];
  queues = new Map<string, number>(); // the acknowledged event of each
  /** held holds the polls that wait, by queue. */
  held = new Map<string, { tab: string; after: number; answer: (ids: number[]) => void; fail: () => void }>();
  registrations = 0;
  /** polling holds the tabs that have polled. */
  polling = new Set<string>();
  most = 0;
  down = false;
  failing: ((e: RawEvent) => boolean) | undefined;

  open(name: string, owner = OWNER): Tab {
    const line = new Line(this, name, owner);
    this.lines.push(line);
    const { http } = fakeHttp((c) => this.answer(name, c));
    const seen: string[] = [];
    const tab: Tab = { line, seen, caughtUp: 0, serverTime: 0, dead: false, connection: undefined as never };
    const handler = {
      registered: (s: Snapshot) => {
        seen.push(`=${s.last_event_id}`);
        tab.serverTime = s.server_timestamp;
      },
      event: (e: RawEvent) => {
        if (this.failing?.(e)) throw new Error('cannot be applied');
        seen.push(String(e.id));
      },
      caughtUp: () => void tab.caughtUp++,
      unreachable: async () => false,
      checkVersion: async () => undefined,
    };
    tab.connection = new Connection(http, handler, false, line);
    this.tabs.push(tab);
    void tab.connection.run();
    return tab;
  }

  private answer(tab: string, c: Call): Record<string, unknown> | Error | Promise<Record<string, unknown>> {
    if (this.down) return connectionLost;
    if (c.path === '/register') {
      const queue = `q${++this.registrations}`;
      const last = this.log.at(-1) ?? 0;
      this.queues.set(queue, last);
      const time = { server_timestamp: Date.now() / 1000 };
      return { ...snapshot({ queue_id: queue, last_event_id: last, user_id: 1, realm_uuid: 'realm', ...time }) };
    }
    const queue = c.params.queue_id!;
    if (!this.queues.has(queue)) return new ApiError(400, 'BAD_EVENT_QUEUE_ID', 'gone');
    if (c.method === 'DELETE') {
      this.queues.delete(queue);
      return {};
    }
    this.polling.add(tab);
    const after = Number(c.params.last_event_id);
    if (after < this.queues.get(queue)!) return new ApiError(400, 'BAD_REQUEST', 'pruned');
    this.queues.set(queue, after);
    this.held.get(queue)?.answer([]);
    const events = this.log.filter((id) => id > after);
    if (events.length > 0 || c.params.dont_block) return { events: events.map(event) };
    return new Promise((resolve, reject) => {
      const answer = (ids: number[]) => {
        this.held.delete(queue);
        resolve({ events: ids.map(event) });
      };
      const fail = () => {
        this.held.delete(queue);
        reject(connectionLost);
      };
      this.held.set(queue, { tab, after, answer, fail });
      this.most = Math.max(this.most, this.held.size);
    });
  }

  /** send logs an event. */
  send(id: number): void {
    this.log.push(id);
    for (const p of [...this.held.values()])
      if (!this.lineOf(p.tab)?.frozen) p.answer(this.log.filter((i) => i > p.after));
  }

  lineOf(tab: string): Line | undefined {
    return this.lines.find((l) => l.tab === tab);
  }

  /** crash ends a tab without a word. */
  crash(tab: Tab): void {
    this.lines = this.lines.filter((l) => l !== tab.line);
    tab.line.frozen = true;
    tab.dead = true;
    tab.line.post = () => undefined;
    for (const [queue, p] of this.held) if (p.tab === tab.line.tab) this.held.delete(queue);
  }

  get leaders(): string[] {
    return this.tabs.filter((t) => !t.dead && t.connection.leads).map((t) => t.line.tab);
  }
}

const event = (id: number): RawEvent => ({ id, type: 'presence' });
/** settle waits until all have received what was sent. Events in quick succession are collected. */
const settle = (ms = 300) => vi.advanceTimersByTimeAsync(ms);

let browser: Browser;

beforeEach(() => {
  vi.useFakeTimers();
  browser = new Browser();
  browser.log.push(10);
});

afterEach(() => {
  for (const t of browser.tabs) t.connection.stop();
  vi.useRealTimers();
});

/** three opens three tabs, one after the other. */
async function three(): Promise<[Tab, Tab, Tab]> {
  const all: Tab[] = [];
  for (const name of ['a', 'b', 'c']) {
    all.push(browser.open(name));
    await settle();
  }
  return all as [Tab, Tab, Tab];
}

test('tabs share the registration, the queue and one poll, and receive each event once', async () => {
  const [a, b, c] = await three();
  browser.send(11);
  await settle();
  browser.send(12);
  await settle();
  expect([a.seen, b.seen, c.seen]).toEqual([
    ['=10', '11', '12'],
    ['=10', '11', '12'],
    ['=10', '11', '12'],
  ]);
  expect(browser.registrations).toBe(1);
  expect(browser.most).toBe(1);
  expect(browser.tabs.map((t) => [t.connection.queue, t.connection.state])).toEqual(Array(3).fill(['q1', 'online']));
  expect(b.caughtUp).toBeGreaterThan(0);
  const d = browser.open('d'); // a later one receives the registration and the events since
  await settle();
  browser.send(13);
  await settle();
  expect(d.seen).toEqual(['=10', '11', '12', '13']);
  expect(browser.registrations).toBe(1);
});

test("a tab that receives an old registration has the server's present time", async () => {
  const offset = (t: Tab) => Math.abs(Date.now() / 1000 - t.serverTime);
  const a = browser.open('a');
  await settle(60_000);
  const b = browser.open('b');
  await settle();
  expect(offset(b)).toBeLessThan(1);
  a.connection.leave(); // b passes on the registration that it has received
  browser.crash(a);
  await settle(60_000);
  const c = browser.open('c');
  await settle();
  expect(offset(c)).toBeLessThan(1);
  expect(browser.registrations).toBe(1);
});

test('when the leader closes, its heir goes on with the same queue', async () => {
  const [a, b, c] = await three();
  browser.send(11);
  await settle();
  a.connection.leave();
  browser.crash(a);
  browser.send(12);
  await settle();
  expect(browser.leaders).toHaveLength(1);
  browser.send(13);
  await settle();
  expect([b.seen, c.seen]).toEqual([
    ['=10', '11', '12', '13'],
    ['=10', '11', '12', '13'],
  ]);
  expect(browser.registrations).toBe(1);
});

test('when the leader crashes or freezes, another takes over, and a thawed one follows', async () => {
  const [a, b, c] = await three();
  browser.send(11);
  await settle();
  a.line.frozen = true;
  browser.send(12);
  browser.send(13);
  await settle(20_000);
  const [next, ...more] = browser.leaders.filter((t) => t !== 'a');
  expect(more).toEqual([]);
  browser.polling.clear();
  browser.send(14);
  await settle();
  expect([...browser.polling]).toEqual([next]); // the lease has stopped the frozen one
  expect([b.seen, c.seen]).toEqual([
    ['=10', '11', '12', '13', '14'],
    ['=10', '11', '12', '13', '14'],
  ]);
  a.line.thaw();
  await settle(1000);
  browser.send(15);
  await settle();
  expect(browser.leaders).toHaveLength(1);
  expect(browser.leaders[0]).not.toBe('a');
  expect(a.seen).toEqual(['=10', '11', '12', '13', '14', '15']);
  expect(browser.most).toBe(1);
  browser.crash(browser.tabs.find((t) => t.connection.leads)!);
  browser.send(16);
  await settle(20_000);
  expect(browser.leaders).toHaveLength(1);
  const rest = browser.tabs.filter((t) => !t.dead);
  for (const t of rest) expect(t.seen.filter((s) => s === '16')).toHaveLength(1);
  expect(browser.registrations).toBe(1);
});

test('tabs that open at the same time end with one leader', async () => {
  const all = ['x', 'y', 'z'].map((name) => browser.open(name));
  await settle(3000);
  browser.send(11);
  await settle();
  expect(browser.leaders).toHaveLength(1);
  expect(browser.held.size).toBe(1);
  for (const t of all) expect(t.seen.slice(-1)).toEqual(['11']);
  expect(new Set(all.map((t) => t.connection.queue)).size).toBe(1);
});

test('two leaders of one browser, whose storage was cleared, become one', async () => {
  const [a] = await three();
  browser.lease = undefined;
  const d = browser.open('d');
  await settle(3000);
  browser.send(11);
  await settle();
  expect(browser.leaders).toHaveLength(1);
  for (const t of browser.tabs) expect(t.seen.filter((s) => s === '11')).toHaveLength(1);
  expect(d.connection.queue).toBe(a.connection.queue);
});

test('a leader that never answers is replaced, also for a new tab', async () => {
  browser.lease = { term: 7, tab: 'crashed', at: Date.now() };
  const a = browser.open('a');
  await settle(2900); // it may be loading
  expect(a.seen).toEqual([]);
  await settle(200);
  expect(a.seen).toEqual(['=10']);
  const other = new Browser();
  other.lease = { term: 9, tab: 'crashed', at: Date.now() - 600_000 };
  other.log.push(10);
  const b = other.open('b');
  await settle(50);
  expect(b.seen).toEqual(['=10']);
  b.connection.stop();
});

test('a gap leads to the missing events, or to a new state', async () => {
  const [a, b] = await three();
  b.line.frozen = true; // and its messages are lost
  browser.send(11);
  await settle();
  (b.line as unknown as { waiting: TabMessage[] }).waiting = [];
  b.line.frozen = false;
  browser.send(12);
  await settle();
  browser.send(13);
  await settle();
  expect(b.seen).toEqual(['=10', '11', '12', '13']);
  expect(a.connection.leads).toBe(true);
  expect(browser.registrations).toBe(1);
});

test('events that arrive before the state wait for it', async () => {
  await three();
  const d = browser.open('d');
  await settle(10);
  browser.send(11);
  await settle(1);
  browser.send(12);
  await settle(1);
  expect(d.seen).toEqual([]);
  await settle();
  expect(d.seen).toEqual(['=10', '11', '12']);
});

test('a page that returns from the history of its tab follows, with what it has missed', async () => {
  const [a, b] = await three();
  a.connection.leave();
  await settle();
  browser.send(11);
  await settle();
  expect(browser.leaders).toHaveLength(1);
  expect(a.seen).toEqual(['=10']);
  a.connection.rejoin();
  await settle();
  browser.send(12);
  await settle();
  expect([a.seen, b.seen]).toEqual([
    ['=10', '11', '12'],
    ['=10', '11', '12'],
  ]);
  expect([browser.registrations, browser.most]).toEqual([1, 1]);
});

test('a lost queue leads to one registration for all tabs', async () => {
  const [a, b, c] = await three();
  browser.queues.delete('q1');
  browser.held.get('q1')!.answer([]);
  await settle(1000);
  browser.send(11);
  await settle();
  for (const t of [a, b, c]) expect(t.seen).toEqual(['=10', '=10', '11']);
  expect(browser.registrations).toBe(2);
  expect(new Set([a, b, c].map((t) => t.connection.queue))).toEqual(new Set(['q2']));
});

test('an event that one tab cannot apply leads to its own registration, without a second queue', async () => {
  const error = console.error;
  console.error = () => undefined;
  const [, b, c] = await three();
  let once = 2;
  browser.failing = (e) => e.id === 11 && once-- === 1; // the second of three tabs
  browser.send(11);
  await settle(1000);
  browser.send(12);
  await settle();
  console.error = error;
  const failed = [b, c].find((t) => t.seen.includes('=11'))!;
  expect(failed.seen).toEqual(['=10', '=11', '12']);
  expect([...browser.queues.keys()]).toEqual(['q1']);
  expect(browser.leaders).toEqual(['a']);
});

test('an interruption is shown in all tabs, and ends with a drained queue in all', async () => {
  const [a, b, c] = await three();
  const before = [a, b, c].map((t) => t.caughtUp);
  browser.down = true;
  for (const p of [...browser.held.values()]) p.fail();
  await settle();
  expect([a, b, c].map((t) => t.connection.state)).toEqual(['offline', 'offline', 'offline']);
  browser.log.push(11);
  browser.down = false;
  c.connection.retryNow();
  await settle(1000);
  expect([a, b, c].map((t) => t.connection.state)).toEqual(['online', 'online', 'online']);
  expect([a, b, c].map((t) => t.seen.at(-1))).toEqual(['11', '11', '11']);
  [a, b, c].forEach((t, i) => expect(t.caughtUp).toBe(before[i]! + 1));
});

test('only one tab announces messages, and none while a tab has the focus', async () => {
  const [a, b, c] = await three();
  const announcing = () => browser.tabs.filter((t) => !t.dead && t.connection.announces).map((t) => t.line.tab);
  expect(announcing()).toEqual(['a']);
  c.line.hasFocus = true;
  c.connection.refocus();
  await settle();
  expect(announcing()).toEqual([]);
  a.connection.leave();
  browser.crash(a);
  await settle();
  expect(announcing()).toEqual(b.connection.leads ? [] : ['c']);
  c.line.hasFocus = false;
  c.connection.refocus();
  await settle();
  expect(announcing()).toHaveLength(1);
});

test('a page whose registration is that of another user does not share', async () => {
  const all = ['a', 'b'].map((name) => browser.open(name, 'realm.2'));
  await settle(3000);
  browser.send(11);
  await settle();
  expect(all.map((t) => t.seen)).toEqual([
    ['=10', '11'],
    ['=10', '11'],
  ]);
  expect(browser.held.size).toBe(2);
});

test('after many events, a new tab registers and continues with the shared queue', async () => {
  const [a] = await three();
  for (let id = 11; id < 2100; id++) browser.log.push(id);
  browser.send(2100);
  await settle();
  const d = browser.open('d');
  await settle();
  browser.send(2101);
  await settle();
  expect(a.seen.at(-1)).toBe('2101');
  expect(d.seen).toEqual(['=2100', '2101']);
  expect([...browser.queues.keys()]).toEqual(['q1']);
  expect(d.connection.queue).toBe('q1');
  a.connection.leave(); // and may lead later
  browser.crash(a);
  await settle(3000);
  browser.send(2102);
  await settle();
  expect(d.seen.at(-1)).toBe('2102');
});

test('pages of other versions and users hear nothing of each other', async () => {
  vi.useRealTimers();
  const values = new Map<string, string>();
  const storage = { length: 0, getItem: (k: string) => values.get(k) ?? null };
  vi.stubGlobal('localStorage', { ...storage, setItem: (k: string, v: string) => values.set(k, v) });
  const heard: string[] = [];
  const open = (owner: string, version: string) => {
    const wire = tabWire(owner, version)!;
    wire.listen((m) => heard.push(`${owner} ${version} ${m.type}`));
    return wire;
  };
  const wires = [open(OWNER, 'v1'), open(OWNER, 'v1'), open(OWNER, 'v2'), open('realm.2', 'v1')];
  wires[0]!.lease = { term: 1, tab: 'a', at: 0 };
  expect(wires.map((w) => w.lease?.tab)).toEqual(['a', 'a', undefined, undefined]);
  wires[0]!.post({ type: 'ping', tab: 'a' });
  wires[0]!.post({ type: 'gone', tab: 'a' }, wires[1]!.tab);
  await vi.waitFor(() => expect(heard).toHaveLength(2));
  expect(heard.sort()).toEqual([`${OWNER} v1 gone`, `${OWNER} v1 ping`]);
  vi.unstubAllGlobals();
});
