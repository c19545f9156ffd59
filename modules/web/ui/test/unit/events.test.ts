import { expect, test } from 'vitest';
import type { RawEvent } from '../../src/api/events.ts';
import { Store } from '../../src/store/store.ts';
import { fakeHttp, memory, snapshot } from './fake.ts';

test('events of an unknown type or op are ignored, and later ones applied', async () => {
  const words: RawEvent & { alert_words: string[] } = { id: 3, type: 'alert_words', alert_words: ['tea'] };
  const events: RawEvent[] = [
    { id: 1, type: 'birthdays', op: 'set' },
    { id: 2, type: 'realm_user', op: 'merge' },
    words,
  ];
  const { http, calls } = fakeHttp(({ path }) => {
    if (path === '/register') return { ...snapshot({ last_event_id: 0 }) };
    if (events.length === 0) store.connection.stop();
    return { events: events.splice(0) };
  });
  const store = new Store({ http, local: memory(), session: memory(), now: () => 0 });
  await store.connection.run();
  expect(store.personal.alertWords).toEqual(['tea']);
  expect(calls.filter((c) => c.path === '/register')).toHaveLength(1);
});
