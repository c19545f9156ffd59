import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { extname, join } from 'node:path';

const types = { '.js': 'text/javascript', '.css': 'text/css', '.html': 'text/html; charset=utf-8' };

/** policy is the one that the server sends with the page. */
const policy =
  "default-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; script-src 'self'; " +
  "style-src 'self'; style-src-attr 'unsafe-inline'; connect-src 'self'; " +
  "img-src 'self' data: https:; media-src 'self' https:; " +
  "require-trusted-types-for 'script'; trusted-types stoa svelte-trusted-html";

/** front serves the built client in front of a server that does not contain it, with the page's policy. */
export function front(dist, upstream) {
  const front = {};
  const server = createServer((req, res) => {
    const path = new URL(req.url, 'http://x').pathname;
    if (path === '/') {
      void page(req, res, dist, upstream);
      return;
    }
    const file = join(dist, path.replace('/static/web/', ''));
    if (path.startsWith('/static/web/assets/') && !path.includes('..') && existsSync(file)) {
      res.writeHead(200, { 'Content-Type': types[extname(file)] ?? 'application/octet-stream' });
      createReadStream(file).pipe(res);
      return;
    }
    const up = request(upstream.url + req.url, { method: req.method, headers: req.headers }, (answer) => {
      res.writeHead(answer.statusCode, answer.headers);
      answer.pipe(res);
    });
    up.on('error', () => res.destroy());
    res.on('close', () => up.destroy());
    req.pipe(up);
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      front.url = `http://127.0.0.1:${server.address().port}`;
      front.close = () => {
        server.close();
        server.closeAllConnections();
      };
      resolve(front);
    });
  });
}

async function page(req, res, dist, upstream) {
  // The page for logging out contains the token of the session.
  const form = await fetch(`${upstream.url}/accounts/logout/`, { headers: { Cookie: req.headers.cookie ?? '' } });
  const token = /name="csrfmiddlewaretoken" value="([^"]*)"/.exec(await form.text())?.[1] ?? '';
  res.writeHead(200, {
    'Content-Type': types['.html'],
    'Content-Security-Policy': policy,
    'Cache-Control': 'no-store',
  });
  const html = readFileSync(join(dist, 'index.html'), 'utf8');
  res.end(html.replace('name="csrf-token" content=""', `name="csrf-token" content="${token}"`));
}
