// An open page of the client, and what it is still waiting for.

/** Client is a page that knows which events its client has applied and which requests are unanswered. */
export class Client {
  #pending = new Set();
  #asked = new Map(); // queue to the last event that the client has applied
  #mark = { queue: '', id: 0, seen: 0 };
  registrations = 0;

  static async open(browser, url, cookies, now) {
    const context = await browser.newContext({
      viewport: { width: 1300, height: 850 },
      locale: 'en-GB',
      serviceWorkers: 'block',
      reducedMotion: 'reduce',
    });
    await context.addCookies(cookies);
    // Nobody reads: otherwise the page itself would change what is unread. Every load starts without a past.
    await context.addInitScript(() => {
      if (origin === 'null') return; // about:blank
      Document.prototype.hasFocus = () => false;
      indexedDB.deleteDatabase('stoa');
      localStorage.clear();
      sessionStorage.clear();
    });
    await context.clock.setFixedTime(now);
    const client = new Client();
    client.page = await context.newPage();
    client.page.setDefaultTimeout(30_000);
    client.url = url;
    client.#follow();
    return client;
  }

  #follow() {
    const polls = (request) => new URL(request.url()).pathname === '/json/events';
    this.page.on('request', (r) => {
      const query = new URL(r.url()).searchParams;
      if (polls(r)) this.#asked.set(query.get('queue_id'), Number(query.get('last_event_id')));
      else this.#pending.add(r);
    });
    const over = (r) => this.#pending.delete(r);
    this.page.on('requestfailed', over);
    this.page.on('requestfinished', async (r) => {
      over(r);
      // Views of channels that the user has not joined have queues of their own.
      if (new URL(r.url()).pathname === '/json/register' && !/(^|&)narrow=/.test(r.postData() ?? '')) {
        this.registrations++; // the new queue has other numbers
        this.#mark.id = 0;
      }
      if (!polls(r)) return;
      const answer = await r
        .response()
        .then((a) => a.json())
        .catch(() => undefined); // the page may be gone
      for (const e of answer?.events ?? [])
        if (e.type === 'typing' && e.op === 'stop')
          this.#mark = { queue: new URL(r.url()).searchParams.get('queue_id'), id: e.id, seen: this.#mark.seen + 1 };
    });
  }

  /** load loads the page at an address. */
  async load(hash) {
    this.#pending.clear();
    await this.page.goto('about:blank');
    await this.page.goto(`${this.url}/${hash}`);
    await this.page.locator('main h1, main h2').first().waitFor();
  }

  /** marks is the number of marks that the client has applied: it has asked for the events after them. */
  get marks() {
    return (this.#asked.get(this.#mark.queue) ?? 0) >= this.#mark.id ? this.#mark.seen : this.#mark.seen - 1;
  }

  /** state describes what the client has asked for and shows, for failures. */
  async state() {
    const text = await this.page.evaluate(() => document.body.innerText.slice(0, 300)).catch(String);
    const asked = JSON.stringify([...this.#asked]);
    return `${this.page.url()} asked for ${asked}, mark ${JSON.stringify(this.#mark)}: ${text}`;
  }

  get idle() {
    return this.#pending.size === 0;
  }
}
