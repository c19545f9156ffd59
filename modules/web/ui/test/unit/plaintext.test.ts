import { expect, test } from 'vitest';
import { plainText } from '../../src/store/plaintext.ts';

const spoiler = (header: string, content: string) =>
  `<div class="spoiler-block"><div class="spoiler-header">\n${header}</div>` +
  `<div class="spoiler-content" aria-hidden="true">\n${content}</div></div>`;

// What desktop notifications and announcements of screen readers show of a message.
test.each([
  ['lines', '<p>a<br>\nb &lt;c&gt; &amp; &#39;</p>\n<p>d</p>', "a\nb <c> & '\nd"],
  ['spoiler', `${spoiler('<p>The end</p>\n', '<p>he dies</p>\n')}\n<p>x</p>`, 'The end\n(…)\nx'],
  [
    'blocks in a spoiler',
    spoiler(
      '',
      '<div class="codehilite"><pre><span></span><code>he\n</code></pre></div>\n' +
        `${spoiler('<p>h</p>', '<p>he</p>')}\n`,
    ) + '<p>x</p>',
    '(…)\nx',
  ],
  ['time', '<p>at <time datetime="2026-06-01T17:30:00Z">noon</time>!</p>', 'at [1780335000]!'],
  ['emoji', '<p><span class="emoji emoji-1f642" role="img" title="smile">:smile:</span> x</p>', '\u{1f642} x'],
  ['custom emoji', '<p><img alt=":parrot:" class="emoji" src="/1.png" title="parrot"> x</p>', ':parrot: x'],
  ['link', '<p>see <a href="https://x.org">wiki</a></p>', 'see wiki'],
  [
    'picture',
    '<div class="message_inline_image"><a href="/user_uploads/2/a/b.png"><img src="/t"></a></div>',
    'b.png',
  ],
  [
    'linked picture',
    '<p><a href="https://x.org/a.png">cat</a></p>\n<div class="message_inline_image">' +
      '<a href="https://x.org/a.png" title="cat"><img src="https://x.org/a.png"></a></div>',
    'cat',
  ],
  [
    'website',
    '<p>x</p>\n<div class="message_embed"><a class="message_embed_image" href="https://x.org"></a>' +
      '<div class="data-container"><div class="message_embed_title"><a href="https://x.org">T</a></div></div></div>',
    'x',
  ],
  [
    'formula',
    '<p>so <span class="katex"><span class="katex-mathml"><math><semantics><mrow><mi>a</mi></mrow>' +
      '<annotation encoding="application/x-tex">a&lt;b</annotation></semantics></math></span>' +
      '<span class="katex-html" aria-hidden="true"><span class="base">a</span></span></span> x</p>',
    'so a<b x',
  ],
  [
    'formula with a drawn sign',
    '<p><span class="katex"><span class="katex-mathml"><math><semantics><mrow><msqrt><mi>a</mi></msqrt></mrow>' +
      '<annotation encoding="application/x-tex">\\sqrt{a}</annotation></semantics></math></span>' +
      '<span class="katex-html" aria-hidden="true"><svg viewBox="0 0 9 9"><path d="M95,702\nc-2"/></svg></span>' +
      '</span> x</p>',
    '\\sqrt{a} x',
  ],
  ['long', `<p>${'😀'.repeat(60)}</p>`, '😀'.repeat(50)],
])('%s', (_, html, want) => expect(plainText(html, 50, (seconds) => `[${seconds}]`)).toBe(want));
