// Walks through the client of a server without some modules; test/long leaves out each of them.
import { test } from 'node:test';
import { walkWithout } from './walk.mjs';

test('nothing is left of modules that do not run', () => walkWithout('groups', 'presence', 'uploads'));
