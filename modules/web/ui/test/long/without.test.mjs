// Leaves out each module, with those that leave with it, and walks through the client.
import { test } from 'node:test';
import { leavesWith, walkWithout } from '../e2e/walk.mjs';

/** required are what the client itself needs. */
const required = ['events', 'homepage', 'messages', 'sessions', 'web'];
const only = new RegExp(process.env.WITHOUT ?? '');

for (const [name, all] of leavesWith())
  if (!required.includes(name) && only.test(name)) test(`without ${name}`, () => walkWithout(...all));
