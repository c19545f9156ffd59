// Walks through the client of a server without some modules; test/long leaves out each of them.
import { test } from 'node:test';
import { walkEmptyWithout, walkWithout } from './walk.mjs';

const some = ['groups', 'presence', 'uploads'];

test('nothing is left of modules that do not run, and nothing is lost', () => walkWithout(...some));
test('nothing is left of modules that do not run in an empty organization', () => walkEmptyWithout(...some));
