/** Storage saves values in the browser. Failures are ignored: storage can be full or blocked. */
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

  /** clear deletes all values with this prefix. */
  clear(): void {
    try {
      const all = this.backing();
      for (const name of Object.keys(all ?? {})) if (name.startsWith(this.prefix)) all?.removeItem(name);
    } catch {
      // Without storage, there is nothing to delete.
    }
  }

  set(name: string, value: unknown): void {
    try {
      if (value === undefined || (Array.isArray(value) && value.length === 0))
        this.backing()?.removeItem(this.prefix + name);
      else this.backing()?.setItem(this.prefix + name, JSON.stringify(value));
    } catch {
      // Full or blocked: the state is still in memory and, for drafts, on the server.
    }
  }
}
