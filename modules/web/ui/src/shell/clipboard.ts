import { text } from '../texts/index.ts';
import { ui } from './ui.svelte.ts';

/** copyText copies text to the clipboard, on pages without HTTPS with the deprecated execCommand. */
export async function copyText(value: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(value);
  } catch {
    const area = document.createElement('textarea');
    area.value = value;
    (document.querySelector('dialog[open]') ?? document.body).append(area);
    area.select();
    document.execCommand('copy');
    area.remove();
  }
  ui.toast(() => text.copied);
}
