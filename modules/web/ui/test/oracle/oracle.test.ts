// Applies the random sequences of the server's state oracle to the store: applying events must lead to the same state
// as a new registration. Registrations and events must be as the client's types declare them.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isKnown, type RawEvent } from '../../src/api/events.ts';
import type { Snapshot } from '../../src/api/types.ts';
import { Store } from '../../src/store/store.ts';
import { fakeHttp, memory } from '../unit/fake.ts';
import { typesOf } from './conformance.ts';
import { state } from './state.ts';

interface Recording {
  start: Snapshot;
  events: RawEvent[];
  end: Snapshot;
}

const folder = process.env.STOA_STATE_RECORDS ?? '';
const files = readdirSync(folder);
const types = typesOf('events.ts');
const event = types.named('ServerEvent');
const snapshot = typesOf('types.ts');

function store(s: Snapshot): Store {
  const { http } = fakeHttp(() => ({ topics: [], messages: [] }));
  const made = new Store({ http, local: memory(), session: memory(), now: () => s.server_timestamp * 1000 });
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

test('recordings exist', () => expect(files.length).toBeGreaterThan(0));
