/** Storage keeps values in the browser. Every call may fail without harm: storage can be full or forbidden. */
export class Storage {
  private backing: () => globalThis.Storage | undefined;
  private prefix: string;

  constructor(backing: () => globalThis.Storage | undefined, prefix: string) {
    this.backing = backing;
    this.prefix = prefix;
  }

  get<T>(name: string): T | undefined {
    try {
      const text = this.backing()?.getItem(this.prefix + name);
      return text ? (JSON.parse(text) as T) : undefined;
    } catch {
      return undefined;
    }
  }

  set(name: string, value: unknown): void {
    try {
      if (value === undefined || (Array.isArray(value) && value.length === 0))
        this.backing()?.removeItem(this.prefix + name);
      else this.backing()?.setItem(this.prefix + name, JSON.stringify(value));
    } catch {
      // Full or blocked: what matters is kept in memory and, for drafts, on the server.
    }
  }
}
