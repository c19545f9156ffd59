import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
export const stoa = process.env.SERVER_BINARY ?? here('../../../../../bin/stoa');
export const config = here('../../../../../configs/local.yaml');
export const password = 'correct horse battery';

/** common lists the people whose password is set in the copies of the demo organization. */
const common = ['desdemona@zulip.com', 'hamlet@zulip.com', 'iago@zulip.com'];

/**
 * freePort returns a port at which nothing listens, below those that systems give to outgoing connections: one of these
 * could take it before the server starts.
 */
async function freePort() {
  for (;;) {
    const port = 10_000 + Math.floor(Math.random() * 22_000);
    const probe = createServer().listen(port, '127.0.0.1');
    try {
      await once(probe, 'listening');
      return port;
    } catch (error) {
      if (error.code !== 'EADDRINUSE') throw error;
    } finally {
      probe.close();
    }
  }
}

/** Server runs a server in a temporary folder, with the demo organization or with an empty database. */
export class Server {
  constructor(binary, config, { limited = false, demo = true, modules = {}, domain, mail = false } = {}) {
    this.binary = binary;
    this.dir = mkdtempSync(join(tmpdir(), 'stoa-web-'));
    this.config = join(this.dir, 'stoa.yaml');
    // The tests send requests faster than people do.
    const http = [
      limited ? '' : 'rate_limits: {enabled: false}',
      domain || mail ? `url: 'http://${domain ?? '127.0.0.1'}:9991'` : '',
    ].filter(Boolean);
    this.domain = domain;
    if (domain) modules = { ...modules, realm: `{domain: ${domain}}` };
    let text = readFileSync(config, 'utf8');
    if (demo) text = text.replace('modules:\n', 'modules:\n  demo: {}\n');
    for (const [name, settings] of Object.entries(modules)) {
      const section = `  ${name}: {}\n`;
      text = text.includes(section)
        ? text.replace(section, `  ${name}: ${settings}\n`)
        : text.replace('modules:\n', `modules:\n  ${name}: ${settings}\n`);
    }
    // Nothing listens on this port: emails stay queued.
    if (mail)
      text = text.replace('use: log\n', 'use: smtp\n    host: 127.0.0.1\n    port: 1\n    from: stoa@example.com\n');
    writeFileSync(this.config, (http.length > 0 ? `http: {${http.join(', ')}}\n` : '') + text);
    // flows.mjs prepares a demo organization to copy. Those with a domain or of another program are created here.
    const seed = domain || binary !== stoa ? undefined : process.env.WEB_SEED;
    this.known = new Set(demo && seed ? common : []);
    if (demo && seed)
      for (const file of ['stoa.db', 'owner-password']) copyFileSync(join(seed, file), join(this.dir, file));
    else if (demo) this.run('init', '--demo');
  }

  /** run runs a subcommand on this server's data. With --password-stdin, it reads password. */
  run(...command) {
    const options = { input: password, stdio: ['pipe', 'ignore', 'inherit'] };
    execFileSync(this.binary, [...command, '--config', this.config, '--data-dir', this.dir], options);
  }

  /** setPassword lets a person log in with password. */
  setPassword(email) {
    if (!this.known.delete(email)) this.run('user', 'password', '--email', email, '--password-stdin');
  }

  setPasswords() {
    for (const email of common) this.setPassword(email);
  }

  /** leaveOut makes the next start of a server that has run leave out some modules, and only these. */
  leaveOut(...names) {
    this.complete ??= readFileSync(this.config, 'utf8');
    const off = (text, name) => text.replace(new RegExp(`^ {2}${name}: .*$`, 'm'), `  ${name}: false`);
    writeFileSync(this.config, names.reduce(off, this.complete));
  }

  async start() {
    this.port ??= await freePort();
    this.url = `http://127.0.0.1:${this.port}`;
    writeFileSync(this.config, readFileSync(this.config, 'utf8').replace(":9991'", `:${this.port}'`));
    this.process = spawn(
      this.binary,
      ['serve', '--config', this.config, '--data-dir', this.dir, '--http-addr', `127.0.0.1:${this.port}`],
      { stdio: 'ignore' },
    );
    for (let i = 0; i < 200; i++) {
      try {
        if ((await fetch(`${this.url}/health`)).ok) return;
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
    throw new Error('the server did not start');
  }

  /** kill simulates a crash. */
  kill() {
    return this.#end('SIGKILL');
  }

  async stop() {
    await this.halt();
    this.remove();
  }

  /** halt ends the server, which can be started again. */
  halt() {
    return this.#end('SIGTERM');
  }

  /** end does nothing if the server has ended already, for example because a test failed after kill. */
  async #end(signal) {
    if (!this.process || this.process.exitCode !== null || this.process.signalCode !== null) return;
    this.process.kill(signal);
    await once(this.process, 'exit');
  }

  remove() {
    rmSync(this.dir, { recursive: true, force: true });
  }
}
