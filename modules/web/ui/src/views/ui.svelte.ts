import type { Component } from 'svelte';

export interface Toast {
  id: number;
  text: string;
  kind: 'info' | 'error';
}

// A dialog gets the properties that it is opened with.
type AnyComponent = Component<any>;

/** UI is the state of the page that no server knows. */
class UI {
  waiting = $state(0);
  toasts = $state<Toast[]>([]);
  dialog = $state.raw<{ component: AnyComponent; props: Record<string, unknown> } | undefined>(undefined);
  /** problem is why the server has refused what the open dialog asked for. */
  problem = $state('');
  leftOpen = $state(false);
  /** outdated tells that the server has a newer client than this page. */
  outdated = $state(false);
  /** selected is the message that keys act on. */
  selected = $state<number | undefined>(undefined);
  editing = $state<number | undefined>(undefined);
  /** minute changes every half minute, for what depends on the time. */
  minute = $state(Math.floor(Date.now() / 1000));
  /** sent grows with every message that is sent. */
  sent = $state(0);
  private serial = 0;

  toast(text: string, kind: Toast['kind'] = 'info'): void {
    const id = ++this.serial;
    this.toasts = [...this.toasts.slice(-3), { id, text, kind }];
    setTimeout(() => this.drop(id), kind === 'error' ? 9000 : 4000);
  }

  drop(id: number): void {
    this.toasts = this.toasts.filter((t) => t.id !== id);
  }

  /** leave is called on every way to another view. */
  leave(): void {
    this.leftOpen = false;
    this.selected = undefined;
    this.editing = undefined;
  }

  open(component: AnyComponent, props: Record<string, unknown> = {}): void {
    this.problem = '';
    this.dialog = { component, props };
  }

  close(): void {
    this.problem = '';
    this.dialog = undefined;
  }
}

export const ui = new UI();

/**
 * attempt shows people why something did not work: in the dialog that asked for it, if that is still open, or else
 * briefly on the page. It tells whether it worked.
 */
export async function attempt(work: Promise<unknown>, done?: string): Promise<boolean> {
  const asking = ui.dialog;
  if (asking) ui.problem = '';
  try {
    await work;
    if (done) ui.toast(done);
    return true;
  } catch (e) {
    const why = e instanceof Error ? e.message : String(e);
    if (asking && ui.dialog === asking) ui.problem = why;
    else ui.toast(why, 'error');
    return false;
  }
}
