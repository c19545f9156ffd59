// Measures the client in a large organization: node bench.mjs URL EMAIL PASSWORD SENDER KEY SHOWN ELSEWHERE. SENDER
// sends messages with an API key to two channels, whose IDs are SHOWN and ELSEWHERE. Each output line is a name with
// its unit, a number, and the budget if there is one.
import { readFileSync } from 'node:fs';
import { chromium } from 'playwright-core';
import { arrivals, Meter, scrollingBack, Sender, watchTasks } from './arrivals.mjs';

const [url, email, password, senderEmail, key, shown, elsewhere] = process.argv.slice(2);
const LOADS = 5;
const SLOW_LOADS = 3;
const PASSES = 5; // of scrolling back: one varies by a tenth
const SCROLLED = 10_000;

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-dev-shm-usage'],
});
const context = await browser.newContext({ viewport: { width: 1300, height: 850 } });
const page = await context.newPage();
page.setDefaultTimeout(60_000);

await watchTasks(context);
await page.addInitScript(() => {
  const look = () => {
    const links = document.querySelectorAll('nav a[href^="#narrow/channel"]').length;
    if (!document.querySelector('main h1') || links < 10) requestAnimationFrame(look);
    else requestAnimationFrame(() => setTimeout(() => (globalThis.usableAt = performance.now())));
  };
  look();
});

/** usable opens the page and returns the time until the view and the sidebar are rendered, in milliseconds. */
async function usable() {
  await page.goto('about:blank');
  await page.goto(`${url}/#inbox`);
  for (let tries = 0; tries < 300; tries++) {
    await page.waitForTimeout(200); // polling more often would affect the measurement
    const at = await page.evaluate(() => globalThis.usableAt);
    if (at !== undefined) return at;
  }
  const shown = await page.evaluate(() => document.body.innerText.slice(0, 2000));
  throw new Error(`the client is not usable after a minute: ${shown}`);
}

/** loading opens the page a few times and returns the times, in ascending order. */
async function loading(loads) {
  const times = [];
  for (let i = 0; i < loads; i++) times.push(await usable());
  return times.sort((a, b) => a - b);
}

/** registered returns the size of the registration as it was transferred, in bytes. */
const registered = () =>
  page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .filter((r) => r.name.endsWith('/register'))
      .reduce((sum, r) => sum + r.encodedBodySize, 0),
  );

/** transferred returns the compressed size of the scripts and styles of a first visit, in bytes. */
const transferred = () =>
  page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .filter((r) => /\.(js|css)$/.test(r.name))
      .reduce((sum, r) => sum + r.encodedBodySize, 0),
  );

/** memory returns the private memory of the page's process and its JavaScript heap, in bytes. */
async function memory() {
  const cdp = await context.newCDPSession(page);
  await cdp.send('HeapProfiler.enable');
  await cdp.send('HeapProfiler.collectGarbage');
  await page.waitForTimeout(1000);
  const { usedSize } = await cdp.send('Runtime.getHeapUsage');
  const all = await browser.newBrowserCDPSession();
  const { processInfo } = await all.send('SystemInfo.getProcessInfo');
  const sizes = processInfo
    .filter((p) => p.type === 'renderer')
    .map((p) => {
      const rollup = readFileSync(`/proc/${p.id}/smaps_rollup`, 'utf8');
      return [...rollup.matchAll(/^Private_\w+:\s+(\d+) kB/gm)].reduce((sum, m) => sum + Number(m[1]) * 1024, 0);
    });
  return { tab: Math.max(...sizes), heap: usedSize };
}

/** typing returns the delay from each of many key presses to the frame that shows it, in milliseconds. */
async function typing() {
  await page.evaluate(() => {
    globalThis.keys = [];
    addEventListener(
      'keydown',
      () => {
        const begun = performance.now();
        requestAnimationFrame(() => {
          const { port1, port2 } = new MessageChannel();
          port1.onmessage = () => globalThis.keys.push(performance.now() - begun);
          port2.postMessage(0);
        });
      },
      { capture: true },
    );
  });
  await page
    .getByRole('combobox', { name: /^Message / })
    .pressSequentially('The quality of mercy is not strained. '.repeat(2), { delay: 60 });
  return (await page.evaluate(() => globalThis.keys)).sort((a, b) => a - b);
}

/** scrolling scrolls up through many messages and returns the largest unwanted movement, in pixels. */
async function scrolling() {
  return page.evaluate(async (target) => {
    const box = document.getElementById('messages');
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    const seen = new Set();
    let worst = 0;
    let frames = 0;
    let slow = 0;
    const end = performance.now() + 120_000;
    while (seen.size < target && performance.now() < end) {
      const begun = performance.now();
      box.scrollTop -= 1200;
      await frame();
      const top = box.getBoundingClientRect().top;
      const rows = [...box.querySelectorAll('[data-message]')];
      for (const r of rows) seen.add(r.dataset.message);
      const shown = rows
        .map((r) => r.querySelector('.rendered'))
        .find((r) => r?.getBoundingClientRect().top > top + 100);
      const before = shown?.getBoundingClientRect().top;
      await frame();
      if (shown?.isConnected) worst = Math.max(worst, Math.abs(shown.getBoundingClientRect().top - before));
      frames++;
      if (performance.now() - begun > 100) slow++;
    }
    return { messages: seen.size, jump: worst, frames, slow };
  }, SCROLLED);
}

await page.goto(`${url}/login/`);
await page.getByLabel('Email address').fill(email);
await page.getByLabel('Password').fill(password);
await page.getByRole('button', { name: 'Log in' }).click();
await page.getByRole('heading', { name: 'Inbox' }).waitFor();
const size = await transferred();
const loads = await loading(LOADS);
const registration = await registered();
const loaded = await memory();
let slowLoads;
const longestLoading = await (await Meter.of(page)).slowly(async () => (slowLoads = await loading(SLOW_LOADS)));
await page.locator('nav a[href^="#narrow/channel"]').nth(5).click();
await page.locator('nav ul ul a').first().click();
await page.locator('[data-message]').first().waitFor();
const keys = await typing();
const scrolledBack = [];
for (let pass = 0; pass < PASSES; pass++) {
  if (pass > 0) await usable();
  await page.evaluate(() => (location.hash = '#feed'));
  await page.locator('[data-message]').first().waitFor();
  await page.keyboard.press('End');
  await page.waitForTimeout(2000);
  scrolledBack.push(await scrollingBack(page));
}
scrolledBack.sort((a, b) => a - b);
const scrolled = await scrolling();
const held = await memory();
const arrived = await arrivals(page, new Sender(url, senderEmail, key), shown, elsewhere);
await browser.close();

const print = (name, value, budget = '') => console.log(`${name} ${Math.round(value * 100) / 100} ${budget}`.trim());
print('KB-script-and-style', size / 1000, 125);
print('KB-registration', registration / 1000);
print('ms-usable-median', loads[Math.floor(LOADS / 2)], 1500);
print('ms-usable-worst', loads.at(-1));
print('ms-usable-slow-cpu', slowLoads[Math.floor(SLOW_LOADS / 2)]);
print('ms-longest-task-loading-slow-cpu', longestLoading);
print('ms-key-p95', keys[Math.floor(keys.length * 0.95)], 50);
print('ms-key-worst', keys.at(-1));
print('ms-arrival-elsewhere', arrived.elsewhere, 3);
print('ms-arrival-shown', arrived.shown, 8);
print('ms-longest-task-slow-cpu', arrived.longest, 200);
print('ms-scrolled-message', scrolledBack[Math.floor(PASSES / 2)], 2);
print('messages-scrolled', scrolled.messages);
print('px-jump', scrolled.jump);
print('slow-frames', scrolled.slow / scrolled.frames);
print('MB-tab', loaded.tab / 1e6);
print('MB-objects', loaded.heap / 1e6);
print('MB-tab-scrolled', held.tab / 1e6, 150);
print('MB-objects-scrolled', held.heap / 1e6);
