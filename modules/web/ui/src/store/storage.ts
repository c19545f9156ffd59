const OWNER = 'user';

/**
 * Storage saves values in the browser. Failures are ignored: storage can be full or blocked. Once a user has claimed
 * it, pages of all others can neither read nor write it.
 */
export class Storage {
  private backing: () => globalThis.Storage | undefined;
  private prefix: string;
  private owner: string | undefined;

  constructor(backing: () => globalThis.Storage | undefined, prefix: string) {
    this.backing = backing;
    this.prefix = prefix;
  }

  /**
   * claim makes a user the owner and deletes the values of another one. It reports whether there was another. former is
   * how earlier versions stored the user.
   */
  claim(owner: string, former: unknown): boolean {
    this.owner = undefined;
    const last = this.get(OWNER);
    const other = last !== undefined && last !== owner && last !== former;
    if (other || last === undefined) this.clear();
    this.set(OWNER, owner);
    this.owner = owner;
    return other;
  }

  /** owned is false if another page has claimed or cleared this storage since claim. */
  get owned(): boolean {
    if (this.owner === undefined) return true;
    try {
      const all = this.backing();
      return !all || all.getItem(this.prefix + OWNER) === JSON.stringify(this.owner);
    } catch {
      return true;
    }
  }

  get<T>(name: string): T | undefined {
    if (!this.owned) return undefined;
    try {
      const text = this.backing()?.getItem(this.prefix + name);
      return text ? JSON.parse(text) : undefined;
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
    if (!this.owned) return;
    try {
      if (value === undefined || (Array.isArray(value) && value.length === 0))
        this.backing()?.removeItem(this.prefix + name);
      else this.backing()?.setItem(this.prefix + name, JSON.stringify(value));
    } catch {
      // Full or blocked: the state is still in memory and, for drafts, on the server.
    }
  }
}
