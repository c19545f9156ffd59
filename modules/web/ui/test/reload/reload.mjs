// The reload oracle: while people have a view open, random steps are taken; then the view must show what it shows after
// a reload. The parent process, TestViewsByEventsAreViewsByReload, has the servers and takes the steps.
import { createInterface } from 'node:readline';
import { chromium } from 'playwright-core';
import { random } from '../random.mjs';
import { accessible, difference } from './accessible.mjs';
import { Client } from './client.mjs';
import { close, opened, show, view } from './views.mjs';

const seed = Number(process.env.RELOAD_SEED ?? 1);
const sequences = Number(process.env.RELOAD_SEQUENCES ?? 1);
const PEOPLE = 3; // with an open page
const ROUNDS = 8; // of steps on each server
const BEFORE = 40; // steps before the pages are opened
const STEPS = 8; // at most, in a round
const PATIENCE = 60_000; // milliseconds
// Milliseconds without a request or a change after which a page will not change any more. A channel that the user has
// not joined is polled at an interval, or without a queue of its own fetched again (src/message/following.svelte.ts).
const QUIET = 1500;
const QUIET_IN_CHANNEL = 32_000;

const input = createInterface({ input: process.stdin });
const answers = input[Symbol.asyncIterator]();

/** ask sends a request to the parent process and returns the response. */
async function ask(request) {
  process.stdout.write(`${JSON.stringify(request)}\n`);
  const { value } = await answers.next();
  const answer = JSON.parse(value ?? '{"gone":true}');
  if (answer.gone) throw new Error('the server is gone');
  return answer;
}

async function logIn(url, { email, password }) {
  const form = new URLSearchParams({ username: email, password, next: '' });
  const answer = await fetch(`${url}/login/`, {
    method: 'POST',
    body: form,
    headers: { Origin: url },
    redirect: 'manual',
  });
  const cookies = answer.headers.getSetCookie();
  if (cookies.length === 0) throw new Error(`${email} cannot log in: ${answer.status}`);
  return cookies.map((c) => {
    const [, name, value] = /^([^=]*)=([^;]*)/.exec(c);
    return { name, value, url };
  });
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** until waits until a condition holds. */
async function until(condition, what) {
  const end = Date.now() + PATIENCE;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`never true: ${what}`);
    await pause(10);
  }
}

/** compared returns the difference between two pages once they are equal or will not change any more. */
async function compared(followed, fresh, quiet) {
  const end = Date.now() + PATIENCE;
  let last = '';
  let since = Date.now();
  for (;;) {
    const texts = await Promise.all([accessible(followed.page), accessible(fresh.page)]);
    const idle = followed.idle && fresh.idle;
    const now = JSON.stringify(texts);
    if (idle && JSON.stringify(texts[0]) === JSON.stringify(texts[1])) return '';
    if (now !== last || !idle) [last, since] = [now, Date.now()];
    if (Date.now() - since > quiet || Date.now() > end) return difference(...texts);
    await pause(30);
  }
}

/** Person is a user with an open page, and another page that is loaded for each comparison. */
class Person {
  constructor(who, followed, fresh) {
    Object.assign(this, { who, followed, fresh });
  }

  static async open(browser, server, who, problems) {
    const cookies = await logIn(server.url, who);
    const open = async () => {
      const client = await Client.open(browser, server.url, cookies, server.now);
      client.page.on('pageerror', (e) => problems.push(e.stack ?? e.message));
      client.page.on('console', (m) => {
        if (m.type() === 'error' && !/status of 4\d\d/.test(m.text())) problems.push(m.text());
      });
      return client;
    };
    const person = new Person(who, await open(), await open());
    await person.followed.load('#inbox');
    return person;
  }

  /** show opens a view, and waits for its text. */
  async show(chosen) {
    this.view = chosen;
    this.shown = await show(this.followed.page, chosen);
    await until(() => this.followed.idle, `${chosen.name} is loaded`);
  }

  /** compare returns how the view differs from a fresh one, or undefined if it cannot be compared. */
  async compare() {
    const { marks, registrations } = this.followed;
    await ask({ do: 'mark', who: this.who.name });
    await this.fresh.load(this.view.hash);
    await until(
      () => this.followed.marks > marks || this.followed.registrations > registrations,
      'all events are applied',
    ).catch(async (e) => {
      throw new Error(`${this.who.name} at ${this.view.name}: ${await this.followed.state()}`, { cause: e });
    });
    const known = this.shown === true ? undefined : this.shown;
    if (!this.shown || !(await opened(this.fresh.page, this.view.open, known))) return undefined;
    const quiet = this.view.hash.startsWith('#narrow/channel/') ? QUIET_IN_CHANNEL : QUIET;
    return compared(this.followed, this.fresh, quiet);
  }

  async close() {
    await close(this.followed.page);
  }
}

/** play takes steps on one server, and returns the number of views that were compared. */
async function play(browser, seed) {
  const server = await ask({ do: 'server', seed });
  const draw = random(seed);
  const one = (list) => list[Math.floor(draw() * list.length)];
  const problems = [];
  const people = [];
  let compared = 0;
  try {
    let world = await ask({ do: 'steps', count: BEFORE });
    const log = [...world.log];
    const others = [...server.people];
    for (let i = 0; i < PEOPLE; i++) {
      const [who] = others.splice(Math.floor(draw() * others.length), 1);
      people.push(await Person.open(browser, server, who, problems));
    }
    for (let round = 0; round < ROUNDS; round++) {
      const chosen = people.map(() => view(world, one));
      await Promise.all(people.map((p, i) => p.show(chosen[i])));
      const begin = log.length;
      world = await ask({ do: 'steps', count: 1 + Math.floor(draw() * STEPS) });
      log.push(...world.log);
      const found = await Promise.all(people.map((p) => p.compare()));
      compared += found.filter((f) => f !== undefined).length;
      const bad = people.flatMap((p, i) =>
        found[i] ? [`${p.who.name} at ${p.view.name} (${p.view.hash}):\n${found[i]}`] : [],
      );
      if (bad.length > 0 || problems.length > 0) {
        const all = [...bad, ...problems].join('\n\n');
        const steps = log.slice(begin).join('\n');
        await ask({ do: 'failed', text: `RELOAD_SEED=${seed}, round ${round}:\n${all}\n\nsteps:\n${steps}` });
        break;
      }
      await Promise.all(people.map((p) => p.close()));
    }
  } catch (e) {
    await ask({ do: 'failed', text: `RELOAD_SEED=${seed}: ${e.stack}` });
  } finally {
    for (const p of people) for (const c of [p.followed, p.fresh]) await c.page.context().close();
  }
  process.stdout.write('{"do":"done"}\n');
  return compared;
}

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM_SHELL || process.env.CHROMIUM || '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-dev-shm-usage'],
});
// The parent process has ended, perhaps in a timeout: nobody else would end the browser.
input.once('close', () => browser.close().finally(() => process.exit(1)));
try {
  const begin = Date.now();
  let done = 0;
  for (let i = 0; done < sequences; i++) done += await play(browser, seed + i);
  process.stderr.write(`${done} views were compared in ${Math.round((Date.now() - begin) / 1000)} s\n`);
} finally {
  await browser.close();
}
process.exit();
