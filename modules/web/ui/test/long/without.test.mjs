// Leaves out each module, with those that leave with it, and walks through the client: in an organization with data,
// where the modules return afterwards, and in an empty one.
import { describe, test } from 'node:test';
import { leavesWith, walkEmptyWithout, walkWithout } from '../e2e/walk.mjs';

/** required are what the client itself needs. */
const required = ['events', 'homepage', 'messages', 'sessions', 'web'];
const only = new RegExp(process.env.WITHOUT ?? '');

// A walk mostly waits until views have settled.
describe('without', { concurrency: 4 }, () => {
  for (const [name, all] of leavesWith()) {
    if (required.includes(name) || !only.test(name)) continue;
    test(`${name}, and with it again`, () => walkWithout(...all));
    test(`${name} in an empty organization`, () => walkEmptyWithout(...all));
  }
});
