import { expect, test } from 'vitest';
import { clientName } from '../../src/settings/clients.ts';

test('User-Agent headers have short names', () => {
  const chrome = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0';
  for (const [agent, want] of [
    [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${chrome} Safari/537.36`, 'Chrome · Windows'],
    [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${chrome} Safari/537.36 Edg/140.0.0.0`, 'Edge · Windows'],
    [`Mozilla/5.0 (Linux; Android 14; K) ${chrome} Mobile Safari/537.36`, 'Chrome · Android'],
    ['Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0', 'Firefox · Linux'],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) ' +
        'Version/18.0 Mobile/15E148 Safari/604.1',
      'Safari · iPhone',
    ],
    ['ZulipTerminal/0.7.0 Linux', 'ZulipTerminal/0.7.0 Linux'],
    ['', ''],
  ])
    expect(clientName(agent!)).toBe(want);
});
