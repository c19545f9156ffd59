import { store } from '../client.ts';
import { text } from '../texts/index.ts';
import { mayAct } from './gate.ts';
import { nav } from './nav.svelte.ts';
import { focused, origin } from './shadow.ts';
import { shortcuts } from './shortcuts.ts';
import { ui } from './ui.svelte.ts';

const byKey = new Map(shortcuts.flatMap((s) => s.keys.map((k) => [k, s] as const)));

/** signs are the characters of keys on a keyboard with the American layout, without and with Shift. */
const signs: Record<string, string> = {
  Minus: '-_',
  Equal: '=+',
  BracketLeft: '[{',
  Slash: '/?',
  Comma: ',<',
  Period: '.>',
  Semicolon: ';:',
  Digit2: '2@',
  Digit8: '8*',
};

/**
 * keyOf names a key as the table of shortcuts does. Layouts without Latin letters use the letters printed in the same
 * place on others, and Caps Lock makes no difference.
 */
function keyOf(e: KeyboardEvent): string | undefined {
  let { key } = e;
  if (/^[^\x20-\x7e]$/.test(key)) {
    key = /^Key[A-Z]$/.test(e.code) ? e.code.slice(3) : (signs[e.code]?.[e.shiftKey ? 1 : 0] ?? key);
  }
  const letter = /^[a-z]$/i.test(key);
  // Some layouts type signs with Alt or AltGr, which browsers may report as Ctrl and Alt.
  const sign = /^[!-~]$/.test(key) && !/^[a-z0-9]$/i.test(key);
  if (sign && (e.altKey || e.getModifierState('AltGraph'))) return key;
  if (e.altKey) return undefined;
  if (e.ctrlKey || e.metaKey) {
    if ((key === '[' && e.metaKey) || (letter && e.shiftKey)) return undefined; // shortcuts of browsers
    return `Ctrl+${letter ? key.toLowerCase() : key}`;
  }
  if (letter) return e.shiftKey ? key.toUpperCase() : key.toLowerCase();
  return e.shiftKey && !sign ? `Shift+${key}` : key;
}

const fields = 'input:not([type="checkbox"]), textarea, select, [contenteditable]';

const writing = (e: KeyboardEvent) => !!origin(e)?.closest(fields);

/** onkeydown handles keys that no field or dialog has consumed. */
export function onkeydown(e: KeyboardEvent): void {
  if (!store.ready || e.defaultPrevented || ui.dialog || ui.asked) return;
  const name = keyOf(e);
  const shortcut = name === undefined ? undefined : byKey.get(name);
  if (!shortcut || !store.has(shortcut.needs) || (writing(e) && !shortcut.anywhere)) return;
  // Focused controls handle these keys themselves.
  const at = focused();
  if ((e.key === 'Enter' || e.key === ' ') && at?.closest('button, a, summary, input, [role="menu"]')) return;
  // So do players, which are played and searched with them.
  if (/^( |Enter|Home|End|Page|Arrow)/.test(e.key) && at?.matches('audio, video')) return;
  if (shortcut.scrolls && !nav.narrow) return;
  e.preventDefault();
  if (!shortcut.spectators && !mayAct(text.logInFirst)) return;
  if (shortcut.writes) shortcut.run();
  else nav.quietly(shortcut.run);
}
