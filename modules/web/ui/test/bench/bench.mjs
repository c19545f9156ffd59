// Measures the client in a large organization: node bench.mjs URL EMAIL PASSWORD SENDER KEY SHOWN ELSEWHERE. SENDER
// sends messages with an API key to two channels, whose IDs are SHOWN and ELSEWHERE. Each output line is a name with
// its unit and a number.
import { readFileSync } from 'node:fs';
import { chromium } from 'playwright-core';
import { arrivals, Meter, Sender } from './arrivals.mjs';

const [url, email, password, senderEmail, key, shown, elsewhere] = process.argv.slice(2);
const LOADS = 5;
const SCROLLED = 10_000;

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-dev-shm-usage'],
});
const context = await browser.newContext({ viewport: { width: 1300, height: 850 } });
const page = await context.newPage();
page.setDefaultTimeout(60_000);

/** usable returns the time from opening the page until the view and the sidebar are rendered, in milliseconds. */
async function usable() {
  await page.addInitScript(() => {
    const look = () => {
      const links = document.querySelectorAll('nav a[href^="#narrow/channel"]').length;
      if (!document.querySelector('main h1') || links < 10) requestAnimationFrame(look);
      else requestAnimationFrame(() => setTimeout(() => (globalThis.usableAt = performance.now())));
    };
    look();
  });
  const times = [];
  for (let i = 0; i < LOADS; i++) {
    await page.goto('about:blank');
    await page.goto(`${url}/#inbox`);
    let at;
    for (let tries = 0; tries < 300 && at === undefined; tries++) {
      await page.waitForTimeout(200); // polling more often would affect the measurement
      at = await page.evaluate(() => globalThis.usableAt);
    }
    if (at === undefined) {
      const shown = await page.evaluate(() => document.body.innerText.slice(0, 2000));
      throw new Error(`the client is not usable after a minute: ${shown}`);
    }
    times.push(at);
  }
  return times.sort((a, b) => a - b);
}

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
const loads = await usable();
const loaded = await memory();
await page.locator('nav a[href^="#narrow/channel"]').nth(5).click();
await page.locator('nav ul ul a').first().click();
await page.locator('[data-message]').first().waitFor();
const keys = await typing();
await page.evaluate(() => (location.hash = '#feed'));
await page.locator('[data-message]').first().waitFor();
await page.keyboard.press('End');
await page.waitForTimeout(2000);
const meter = await Meter.of(page);
let scrolled;
const scrollTime = await meter.during(async () => (scrolled = await scrolling()));
const held = await memory();
const arrived = await arrivals(page, new Sender(url, senderEmail, key), shown, elsewhere);
await browser.close();

const print = (name, value) => console.log(`${name} ${Math.round(value * 100) / 100}`);
print('KB-script-and-style', size / 1000);
print('ms-usable-median', loads[Math.floor(LOADS / 2)]);
print('ms-usable-worst', loads.at(-1));
print('ms-key-p95', keys[Math.floor(keys.length * 0.95)]);
print('ms-key-worst', keys.at(-1));
print('ms-arrival-elsewhere', arrived.elsewhere);
print('ms-arrival-shown', arrived.shown);
print('ms-longest-task-slow-cpu', arrived.longest);
print('ms-scrolled-message', scrollTime / scrolled.messages);
print('messages-scrolled', scrolled.messages);
print('px-jump', scrolled.jump);
print('slow-frames', scrolled.slow / scrolled.frames);
print('MB-tab', loaded.tab / 1e6);
print('MB-objects', loaded.heap / 1e6);
print('MB-tab-scrolled', held.tab / 1e6);
print('MB-objects-scrolled', held.heap / 1e6);
