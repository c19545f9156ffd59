// Applies the random sequences of the server's state oracle to the store: applying events must lead to the same state
// as a new registration. Registrations and events must be as the client's types declare them.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isKnown, type RawEvent } from '../../src/api/events.ts';
import type { Snapshot } from '../../src/api/types.ts';
import { Can } from '../../src/store/can.ts';
import { Store } from '../../src/store/store.ts';
import { fakeHttp, memory } from '../unit/fake.ts';
import { disagreements, parameters, uncovered, type Permissions } from './can.ts';
import { typesOf } from './conformance.ts';
import { state } from './state.ts';

interface Recording {
  start: Snapshot;
  events: RawEvent[];
  end: Snapshot;
  permissions: Permissions[];
}

const folder = process.env.STOA_STATE_RECORDS ?? '';
const files = readdirSync(folder);
const types = typesOf('events.ts');
const event = types.named('ServerEvent');
const snapshot = typesOf('types.ts');

function store(s: Snapshot, now = () => s.server_timestamp * 1000): Store {
  const { http } = fakeHttp(() => ({ topics: [], messages: [] }));
  const made = new Store({ http, local: memory(), session: memory(), now });
  made.reset(s);
  return made;
}

const read = (file: string) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Recording;

test.each(files)('%s', (file) => {
  const r = read(file);
  const followed = store(r.start);
  for (const e of r.events) if (isKnown(e)) followed.apply(e);
  expect(state(followed)).toEqual(state(store(r.end)));
});

test.each(files)('%s is as declared', (file) => {
  const r = read(file);
  const found = r.events.flatMap((e) => types.problems(e, event, `${e.type}${e.op ? `/${e.op}` : ''}`));
  for (const s of [r.start, r.end]) found.push(...snapshot.problems(s, snapshot.named('Snapshot'), 'registration'));
  expect([...new Set(found)]).toEqual([]);
  expect(r.events.filter((e) => !isKnown(e))).toEqual([]);
});

test.each(files)('%s: the user can do what the server permits', (file) => {
  const r = read(file);
  let now = r.start.server_timestamp;
  let applied = 0;
  const followed = store(r.start, () => now * 1000);
  const wrong = r.permissions.flatMap((p) => {
    for (const e of r.events.slice(applied, p.after)) if (isKnown(e)) followed.apply(e);
    applied = p.after;
    now = p.now;
    return disagreements(followed, p).map((d) => `after event ${r.events[p.after - 1]?.id ?? -1}: ${d}`);
  });
  expect(wrong).toEqual([]);
});

test('every permission is compared with the server', () => {
  const methods = Object.getOwnPropertyNames(Can.prototype).filter((name) => name !== 'constructor');
  expect(Object.keys(parameters).sort()).toEqual(methods.sort());
  expect(uncovered(files.flatMap((file) => read(file).permissions))).toEqual([]);
});

test('recordings exist', () => expect(files.length).toBeGreaterThan(0));
