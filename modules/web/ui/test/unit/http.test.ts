import { expect, test } from 'vitest';
import { Calls } from '../../src/api/calls.ts';
import { ApiError } from '../../src/api/http.ts';
import { fakeHttp } from './fake.ts';

test('changes of one object are sent one after the other, and a refused one holds up none', async () => {
  let refuse = (_: Error): void => undefined;
  let held = false;
  const { http, calls } = fakeHttp(() => {
    if (held) return {};
    held = true;
    return new Promise((_, reject) => (refuse = reject));
  });
  const api = new Calls(http);
  const first = api.setSetting('color_scheme', 1).catch((e: ApiError) => e.message);
  const second = api.setSetting('color_scheme', 2);
  const last = api.setSetting('color_scheme', 3);
  await api.remove(7);
  expect(calls.map((c) => c.path)).toEqual(['/settings', '/messages/7']);
  refuse(new ApiError(400, 'BAD_REQUEST', 'no'));
  await Promise.all([second, last]);
  expect(await first).toBe('no');
  expect(calls.slice(2).map((c) => c.params)).toEqual([{ color_scheme: '2' }, { color_scheme: '3' }]);
});
