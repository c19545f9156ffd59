// Whether others are subscribed is asked while the user writes: once for each person.
import { expect, test } from 'vitest';
import { ApiError } from '../../src/api/http.ts';
import { Subscribers } from '../../src/store/subscribers.ts';
import { connectionLost, fakeHttp } from './fake.ts';

const nextTask = () => new Promise((resolve) => setTimeout(resolve));

test('a refusal is not asked for again, but a lost answer is', async () => {
  let error = connectionLost;
  const { http, calls } = fakeHttp(() => error);
  const subscribers = new Subscribers(http);
  for (let key = 0; key < 3; key++) {
    subscribers.load(1, [2]);
    await nextTask();
  }
  expect(calls).toHaveLength(3);
  error = new ApiError(400, 'BAD_REQUEST', 'no access');
  for (let key = 0; key < 3; key++) {
    subscribers.load(1, [2]);
    await nextTask();
  }
  expect(calls).toHaveLength(4);
});
