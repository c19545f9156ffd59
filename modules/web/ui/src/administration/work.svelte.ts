import { onDestroy } from 'svelte';
import { ApiError } from '../api/http.ts';
import { errorText } from '../shell/errors.ts';
import { CONFIRMED } from '../shell/ui.svelte.ts';

/** mounted returns a function that reports whether the component still exists. Call it during initialization. */
export function mounted(): () => boolean {
  let exists = true;
  onDestroy(() => (exists = false));
  return () => exists;
}

/**
 * Work tracks a control's request, and whether the server accepted it or why not. Create it during the initialization
 * of a component.
 */
export class Work {
  busy = $state(false);
  private failure = $state.raw<unknown>();
  private success = $state.raw<() => string>();
  /** fields holds the errors of individual form fields. */
  fields = $state.raw<Record<string, string[]>>({});

  private mounted = mounted();

  /** problem is the reason for which the last request failed. */
  get problem(): string {
    return this.failure === undefined ? '' : errorText(this.failure);
  }

  /** done confirms the last request for a few seconds. */
  get done(): string {
    return this.success?.() ?? '';
  }

  /**
   * run reports whether the request succeeded, and shows done if it did. If the component is destroyed before the
   * response arrives, run never returns, so that its caller does not continue with the component's old values.
   */
  async run(ask: () => Promise<unknown>, done?: () => string): Promise<boolean> {
    const ok = await this.send(ask, done);
    return this.mounted() ? ok : new Promise(() => undefined);
  }

  private async send(ask: () => Promise<unknown>, done?: () => string): Promise<boolean> {
    this.busy = true;
    this.success = undefined;
    try {
      await ask();
      this.clear();
      this.success = done;
      if (done) setTimeout(() => (this.success = undefined), CONFIRMED);
      return true;
    } catch (e) {
      this.failure = e;
      this.fields = e instanceof ApiError ? ((e.data.errors as Record<string, string[]> | undefined) ?? {}) : {};
      return false;
    } finally {
      this.busy = false;
    }
  }

  clear(): void {
    this.failure = undefined;
    this.fields = {};
  }
}

/** Unsaved is unsaved input. base is the text that it replaces. */
export interface Unsaved {
  typed: string;
  base: string;
}

/** EditedText is the value of a text field. The user's input survives changes made elsewhere. */
export class EditedText {
  private typed = $state<string | undefined>();
  private sent = $state<string | undefined>();
  private base = $state('');
  private current: () => string;

  /** restored is input from before that was not saved. */
  constructor(current: () => string, restored?: Unsaved) {
    this.current = current;
    this.typed = restored?.typed;
    this.base = restored?.base ?? '';
  }

  /** unsaved returns the input if it has not been saved. */
  get unsaved(): Unsaved | undefined {
    return this.dirty ? { typed: this.typed!, base: this.base } : undefined;
  }

  get value(): string {
    if (this.typed !== undefined) return this.typed;
    const now = this.current();
    return this.sent !== undefined && now === this.base ? this.sent : now;
  }

  set value(v: string) {
    if (this.typed === undefined) this.base = this.current();
    this.typed = v;
    this.sent = undefined;
  }

  get dirty(): boolean {
    return this.typed !== undefined && this.typed !== this.current();
  }

  /** elsewhere is true if the text was changed by someone else since editing began. */
  get elsewhere(): boolean {
    return this.dirty && this.current() !== this.base;
  }

  /** saved is called once the server has accepted the input; its event may still be pending. */
  saved(): void {
    this.base = this.current();
    this.sent = this.typed;
    this.typed = undefined;
  }

  reset(): void {
    this.typed = undefined;
    this.sent = undefined;
  }
}
