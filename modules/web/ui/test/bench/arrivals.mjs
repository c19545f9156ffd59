// What opening the page, messages that arrive, and scrolling back cost its main thread.

const COUNT = 100;
const INTERVAL = 50; // milliseconds between messages
const THROTTLE = 4;
const SCROLLED = 1500;

/** Sender sends messages as another user, with an API key. */
export class Sender {
  constructor(url, email, key) {
    this.url = url;
    this.authorization = `Basic ${Buffer.from(`${email}:${key}`).toString('base64')}`;
  }

  async send(to, topic, content) {
    const response = await fetch(`${this.url}/api/v1/messages`, {
      method: 'POST',
      headers: { Authorization: this.authorization, 'Content-Type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ type: 'channel', to, topic, content }),
    });
    if (!response.ok) throw new Error(await response.text());
  }

  /** stream sends COUNT messages at an even pace. */
  async stream(page, to) {
    const sent = [];
    for (let i = 0; i < COUNT; i++) {
      sent.push(this.send(to, `topic ${i % 4}`, `message **${i}**: the quality of mercy is not strained`));
      await page.waitForTimeout(INTERVAL);
    }
    await Promise.all(sent);
    await page.waitForTimeout(2000);
  }
}

/** Meter measures the CPU time of a page's main thread. */
export class Meter {
  static async of(page) {
    const meter = new Meter();
    meter.page = page;
    meter.cdp = await page.context().newCDPSession(page);
    await meter.cdp.send('Performance.enable', { timeDomain: 'threadTicks' });
    return meter;
  }

  async busy() {
    const { metrics } = await this.cdp.send('Performance.getMetrics');
    return metrics.find((m) => m.name === 'TaskDuration').value * 1000;
  }

  /** during returns the milliseconds of CPU time that the page takes while run runs. */
  async during(run) {
    const before = await this.busy();
    await run();
    return (await this.busy()) - before;
  }

  /** slowly runs with a CPU that is THROTTLE times as slow, and returns the duration of the longest task. */
  async slowly(run) {
    await this.page.evaluate(() => globalThis.tasks.splice(0));
    await this.cdp.send('Emulation.setCPUThrottlingRate', { rate: THROTTLE });
    await run();
    await this.page.waitForTimeout(500); // tasks are reported after they have ended
    await this.cdp.send('Emulation.setCPUThrottlingRate', { rate: 1 });
    return this.page.evaluate(() => Math.max(0, ...globalThis.tasks));
  }
}

/** watchTasks records the durations of long tasks, in milliseconds, of all pages that are opened afterwards. */
export const watchTasks = (context) =>
  context.addInitScript(() => {
    globalThis.tasks = [];
    new PerformanceObserver((list) => {
      for (const e of list.getEntries()) globalThis.tasks.push(e.duration);
    }).observe({ type: 'longtask', buffered: true });
  });

/** scrollingBack returns the CPU time per message, in milliseconds, of scrolling up in the view on the screen. */
export async function scrollingBack(page) {
  const meter = await Meter.of(page);
  let messages;
  const time = await meter.during(async () => {
    messages = await page.evaluate(async (target) => {
      const box = document.getElementById('messages');
      const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
      const seen = new Set();
      const end = performance.now() + 60_000;
      for (let step = 0; seen.size < target && performance.now() < end; step++) {
        box.scrollTop -= 600;
        await frame();
        // Counting takes time, too. Each message stays in the document for more steps.
        if (step % 4 === 0) for (const row of box.querySelectorAll('[data-message]')) seen.add(row.dataset.message);
        await frame();
      }
      return seen.size;
    }, SCROLLED);
  });
  return time / messages;
}

/** arrivals measures messages that arrive in the channel that is shown, and in another one. */
export async function arrivals(page, sender, shown, elsewhere) {
  const meter = await Meter.of(page);
  await page.evaluate((id) => (location.hash = `#narrow/channel/${id}`), shown);
  await page.locator('[data-message]').first().waitFor();
  await page.keyboard.press('End');
  await page.waitForTimeout(2000);
  const there = await meter.during(() => sender.stream(page, elsewhere));
  const slowThere = await meter.slowly(() => sender.stream(page, elsewhere));
  const here = await meter.during(() => sender.stream(page, shown));
  const slowHere = await meter.slowly(() => sender.stream(page, shown));
  return { elsewhere: there / COUNT, shown: here / COUNT, longest: Math.max(slowThere, slowHere) };
}
