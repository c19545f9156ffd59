import type { Component } from 'svelte';
import { errorText } from './errors.ts';

export interface Toast {
  id: number;
  text: string;
  kind: 'info' | 'error';
}

// A dialog receives the properties passed to open.
type AnyComponent = Component<any>;

/** CONFIRMED is how long a control shows that its change was saved, in milliseconds. */
export const CONFIRMED = 5000;

/** UI is the page state that is not stored on the server. */
class UI {
  waiting = $state(0);
  toasts = $state<Toast[]>([]);
  dialog = $state.raw<{ component: AnyComponent; props: Record<string, unknown> } | undefined>(undefined);
  /** problem is the server's reason for refusing the open dialog's request. */
  problem = $state('');
  leftOpen = $state(false);
  /** outdated is true if the server has a newer client than this page. */
  outdated = $state(false);
  /** selected is the message that shortcuts act on. */
  selected = $state<number | undefined>(undefined);
  editing = $state<number | undefined>(undefined);
  /** minute is the current time in seconds, updated every minute for views that depend on it. */
  minute = $state(Math.floor(Date.now() / 1000));
  /** sent counts the messages sent from this page. */
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

  /** resetView is called on every navigation to another view. */
  resetView(): void {
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
 * attempt awaits work and reports whether it succeeded. It shows an error in the dialog that started the work if it
 * is still open, otherwise in a toast.
 */
export async function attempt(work: Promise<unknown>, done?: string): Promise<boolean> {
  const asking = ui.dialog;
  if (asking) ui.problem = '';
  try {
    await work;
    if (done) ui.toast(done);
    return true;
  } catch (e) {
    const why = errorText(e);
    if (asking && ui.dialog === asking) ui.problem = why;
    else ui.toast(why, 'error');
    return false;
  }
}
