// Formatted text from other pages and from messages becomes Markdown when it is pasted.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { box, eventually, go, row, sendMessage, Harness } from './harness.mjs';

const harness = new Harness();
let page;

before(async () => {
  await harness.start();
  page = await harness.open('desdemona@zulip.com');
  await go(page, '#narrow/channel/4-Venice/topic/paste');
  await box(page).waitFor();
});

after(() => harness.stop());

/** paste pastes HTML into the empty compose box, and returns what the box then contains. */
async function paste(html, plain = 'plain', types = {}) {
  await box(page).fill('');
  const taken = await box(page).evaluate(
    (e, [html, plain, types]) => {
      const data = new DataTransfer();
      data.setData('text/plain', plain);
      data.setData('text/html', html);
      for (const [type, value] of Object.entries(types)) data.setData(type, value);
      return !e.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
    },
    [html, plain, types],
  );
  if (!taken) return undefined; // the browser pastes the plain text
  await eventually(async () => (await box(page).inputValue()) !== '');
  return box(page).inputValue();
}

test('formatted text and tables become Markdown', async () => {
  for (const [html, want] of [
    [
      '<p>See <a href="https://example.com/a">the <b>plan</b></a> <em>today</em></p>',
      'See [the **plan**](https://example.com/a) *today*',
    ],
    ['<ul><li>one</li><li>two<ul><li>inner</li></ul></li></ul>', '- one\n- two\n  - inner'],
    [
      '<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>x | y</td></tr></table>',
      '| a | b |\n| - | - |\n| 1 | x \\| y |',
    ],
    ['<pre><code>let a = 1;\n</code></pre>', '```\nlet a = 1;\n```'],
    ['<b style="font-weight:normal"><p>From <strong>Docs</strong></p></b>', 'From **Docs**'],
    ['<script>document.title = "run"</script><p><b>safe</b><img src="x"></p>', '**safe**![](x)'],
  ])
    assert.equal(await paste(html), want);
  assert.notEqual(await page.title(), 'run');
});

test('text without formatting and source code are pasted as they are', async () => {
  assert.equal(await paste('<meta charset="utf-8"><span style="color:red">word</span>'), undefined);
  assert.equal(await paste('<pre style="color:red"><span>let</span> a = 1;</pre>'), undefined);
  assert.equal(await paste('<div><b>let</b></div>', 'let', { 'vscode-editor-data': '{}' }), undefined);
  assert.equal(await paste(`<b>${'x'.repeat(300_001)}</b>`), undefined);
});

test('a copied message becomes what its author wrote', async () => {
  const source = [
    'Ask @**King Hamlet** in #**Venice** :tada: about $$x^2$$',
    '```python\nprint("a")\n```',
    '```spoiler Ending\nThey **live**.\n```',
    '> quoted',
  ].join('\n\n');
  await sendMessage(page, source);
  const html = await row(page, 'They live').locator('.rendered').first().innerHTML();
  assert.equal(await paste(html), source);
});
