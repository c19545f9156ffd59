import { ApiError } from '../api/http.ts';
import { text } from '../messages/index.ts';

/** Work is what a control has asked of the server, and why the server has refused it. */
export class Work {
  busy = $state(false);
  problem = $state('');
  /** fields holds the problems that belong to single fields. */
  fields = $state.raw<Record<string, string[]>>({});

  /** run tells whether it worked. */
  async run(ask: () => Promise<unknown>): Promise<boolean> {
    this.busy = true;
    try {
      await ask();
      this.clear();
      return true;
    } catch (e) {
      this.problem = e instanceof Error ? e.message : text.somethingWrong;
      this.fields = e instanceof ApiError ? ((e.data.errors as Record<string, string[]> | undefined) ?? {}) : {};
      return false;
    } finally {
      this.busy = false;
    }
  }

  clear(): void {
    this.problem = '';
    this.fields = {};
  }
}

/** Unsaved is what was typed in place of a text. */
export interface Unsaved {
  typed: string;
  base: string;
}

/** Edited is a text that somebody edits while it may change elsewhere: what is typed stays. */
export class Edited {
  private typed = $state<string | undefined>();
  private sent = $state<string | undefined>();
  private base = $state('');
  private current: () => string;

  /** Edited begins with what was typed before and not saved. */
  constructor(current: () => string, begun?: Unsaved) {
    this.current = current;
    this.typed = begun?.typed;
    this.base = begun?.base ?? '';
  }

  /** unsaved is what was typed, if it is not saved. */
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

  /** elsewhere tells that the text has changed since the editing began. */
  get elsewhere(): boolean {
    return this.dirty && this.current() !== this.base;
  }

  /** saved is called when the server has taken what was typed; its event may still be on the way. */
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
