// Applies the random sequences of the server's state oracle to the store: applying events must lead to the same state
// as a new registration.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ServerEvent, Snapshot } from '../../src/api/types.ts';
import { Store } from '../../src/store/store.ts';
import { fakeHttp, memory } from '../unit/fake.ts';
import { state } from './state.ts';

interface Recording {
  start: Snapshot;
  events: ServerEvent[];
  end: Snapshot;
}

const folder = process.env.STOA_STATE_RECORDS ?? '';
const files = readdirSync(folder);

function store(s: Snapshot): Store {
  const { http } = fakeHttp(() => ({ topics: [], messages: [] }));
  const made = new Store({ http, local: memory(), session: memory(), now: () => s.server_timestamp * 1000 });
  made.reset(s);
  return made;
}

test.each(files)('%s', (file) => {
  const r = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Recording;
  const followed = store(r.start);
  for (const e of r.events) followed.apply(e);
  expect(state(followed)).toEqual(state(store(r.end)));
});

test('recordings exist', () => expect(files.length).toBeGreaterThan(0));
