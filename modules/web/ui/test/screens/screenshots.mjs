// Takes screenshots of every view in both themes, at four sizes and in two languages, for review: make
// web-screenshots. They are written to the given folder, with a contact sheet per size, theme and language. SIZES,
// THEMES, LANGUAGES and ONLY limit them, and TEXT is the size of the text in per cent.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { seed } from '../e2e/seed.mjs';
import { leave, pages, places, settings, visit, visitPage } from '../e2e/places.mjs';
import { call, Harness } from '../e2e/harness.mjs';

const out = process.argv[2] ?? 'screenshots';
const wanted = (name, all) => process.env[name]?.split(' ') ?? all;
const sizes = { narrow: [320, 568], phone: [390, 844], tablet: [820, 1180], desktop: [1440, 900] };
const tags = { en: 'en-GB', ar: 'ar', de: 'de', fr: 'fr', es: 'es', ja: 'ja', 'zh-hans': 'zh-CN' };
const only = new RegExp(process.env.ONLY ?? '');

const harness = new Harness();
harness.ignore(/./);
await harness.start({ modules: settings });
try {
  const options = { reducedMotion: 'reduce', serviceWorkers: 'block' };
  const owner = await harness.open('desdemona@zulip.com', options);
  const setTextSize = async (page) => {
    const client = await page.context().newCDPSession(page);
    const standard = 0.16 * Number(process.env.TEXT ?? 100);
    await client.send('Page.setFontSizes', { fontSizes: { standard, fixed: 13 } });
  };
  await setTextSize(owner);
  const iago = await harness.open('iago@zulip.com');
  const seeded = await seed(owner, iago);
  await iago.context().close();
  for (const language of wanted('LANGUAGES', ['en', 'ar'])) {
    await call(owner, 'PATCH', '/settings', { default_language: language });
    await owner.locator(`html[lang^=${language.split('-')[0]}]`).waitFor();
    const context = await harness.browser.newContext({ locale: tags[language], ...options });
    const guest = await harness.tab(context);
    await setTextSize(guest);
    for (const size of wanted('SIZES', Object.keys(sizes))) {
      const [width, height] = sizes[size];
      for (const page of [owner, guest]) await page.setViewportSize({ width, height });
      const names = [];
      const shoot = async (page, name) => {
        const file = `${String(names.length).padStart(2, '0')} ${name.replace(/[^\w -]+/g, ' ')}.png`;
        names.push(file);
        for (const theme of wanted('THEMES', ['light', 'dark'])) {
          const folder = join(out, language, size, theme);
          mkdirSync(folder, { recursive: true });
          await page.emulateMedia({ colorScheme: theme });
          await page.screenshot({ path: join(folder, file), animations: 'disabled' });
        }
      };
      for (const place of places(seeded).filter((p) => only.test(p.name))) {
        await visit(owner, place);
        await shoot(owner, place.name);
        await leave(owner, place);
      }
      for (const place of pages(seeded).filter((p) => only.test(p.name))) {
        await visitPage(guest, harness.server.url, place);
        await shoot(guest, place.name);
      }
      for (const theme of wanted('THEMES', ['light', 'dark'])) {
        const figures = names.map((n) => `<figure><img src="${encodeURIComponent(n)}"><figcaption>${n}</figcaption>`);
        const style = `body{display:flex;flex-wrap:wrap;gap:12px;margin:12px;font:14px sans-serif;background:#888}
figure{margin:0}img{inline-size:${Math.round(width * 0.5)}px;display:block}`;
        writeFileSync(
          join(out, language, size, theme, 'index.html'),
          `<!doctype html><meta charset="utf-8"><style>${style}</style>${figures.join('\n')}`,
        );
      }
    }
    await context.close();
  }
} finally {
  await harness.stop();
}
