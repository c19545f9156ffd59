// Shared test environment: a server with the demo organization, a browser, and logged-in users.
import assert from 'node:assert/strict';
import { chromium } from 'playwright-core';
import { config, password, Server, stoa } from './server.mjs';

export { password };

const browser = process.env.CHROMIUM || '/usr/bin/chromium';

/**
 * Harness holds a server and a browser. Every page of the browser is watched, however it was opened: stop fails if one
 * of them reported an error or a warning, or did not catch an exception or a rejected promise.
 */
export class Harness {
  problems = [];
  #ignored = [];

  /**
   * start starts the server and the browser. If CHROMIUM_SHELL names Chromium's headless shell, that is the browser,
   * since it needs a third less CPU time; with wholeBrowser, it is Chromium itself: the shell knows no push messages,
   * and its pages crash when a response deletes their data, as logging out does (Clear-Site-Data).
   */
  async start(options = {}) {
    this.server = new Server(options.binary ?? stoa, options.config ?? config, options);
    await this.server.start();
    this.browser = await chromium.launch({
      executablePath: (!options.wholeBrowser && process.env.CHROMIUM_SHELL) || browser,
      args: ['--no-sandbox', '--disable-dev-shm-usage', ...(options.args ?? [])],
    });
    const create = this.browser.newContext.bind(this.browser);
    this.browser.newContext = async (o) => this.#watch(await create(o));
  }

  async stop() {
    await this.browser?.close();
    await this.server?.stop();
    assert.deepEqual(this.problems, [], 'pages reported errors');
  }

  /** ignore ignores console messages that the test provokes. Exceptions and rejected promises are never ignored. */
  ignore(...patterns) {
    this.#ignored.push(...patterns);
  }

  /**
   * ignoreFailedRequests ignores failed requests, which browsers log, for tests that kill the server or are refused.
   * The browser may check the service worker's script at any time. Errors inside the server are not ignored.
   */
  ignoreFailedRequests() {
    this.ignore(/status of 4\d\d/, /net::ERR_|Failed to fetch/, /when fetching the script/);
  }

  /** watch collects the errors of all pages of a context. */
  async #watch(context) {
    const report = (problem) => this.problems.push(problem);
    context.on('weberror', (e) => report(e.error().stack ?? String(e.error())));
    context.on('console', (m) => {
      if (m.type() !== 'error' && m.type() !== 'warning') return;
      if (!this.#ignored.some((p) => p.test(m.text()))) report(`${m.text()} ${m.location().url}`);
    });
    context.on('page', (page) => page.on('crash', () => report(`${page.url()} crashed`)));
    await context.addInitScript(() => {
      addEventListener('securitypolicyviolation', (e) =>
        console.error(`policy: ${e.violatedDirective} ${e.blockedURI}`),
      );
    });
    return context;
  }

  /** open logs a user in and opens the client in a separate browser context. */
  async open(email, options = {}) {
    const context = await this.browser.newContext({
      viewport: { width: 1300, height: 850 },
      locale: 'en-GB',
      ...options,
    });
    const page = await this.tab(context);
    this.server.setPassword(email);
    await page.goto(`${this.server.url}/login/`);
    await login(page, email);
    await page.getByRole('heading', { name: 'Inbox' }).waitFor();
    return page;
  }

  /** tab opens another page of a context. */
  async tab(context) {
    const page = await context.newPage();
    page.setDefaultTimeout(30_000); // a busy machine is slow, not wrong
    return page;
  }
}

export async function login(page, email, secret = password) {
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password').fill(secret);
  await page.getByRole('button', { name: 'Log in' }).click();
}

export const box = (page) => page.getByRole('combobox', { name: /^Message |^Write a message/ });
export const row = (page, text) => page.locator('article[data-message]').filter({ hasText: text });

export async function sendMessage(page, text) {
  await box(page).fill(text);
  await box(page).press('Control+Enter');
}

/** go opens a view without reloading the page. */
export async function go(page, hash) {
  await page.evaluate((to) => (location.hash = to), hash);
}

export async function eventually(condition, patience = 30_000) {
  const end = Date.now() + patience;
  while (!(await condition())) {
    assert.ok(Date.now() < end, `never true: ${condition}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** call calls the API as the user of a page. */
export const call = (page, method, path, params = {}) =>
  page.evaluate(
    async ([method, path, params]) => {
      const body = new URLSearchParams();
      for (const [k, v] of Object.entries(params)) body.append(k, typeof v === 'string' ? v : JSON.stringify(v));
      const token = document.querySelector('meta[name="csrf-token"]').content;
      const url = `/json${path}${method === 'GET' && body.size > 0 ? `?${body}` : ''}`;
      const init = method === 'GET' ? { method } : { method, body, headers: { 'X-CSRFToken': token } };
      const answer = await fetch(url, init);
      return { status: answer.status, ...(await answer.json()) };
    },
    [method, path, params],
  );
