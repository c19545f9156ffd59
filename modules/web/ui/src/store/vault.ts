/** Vault saves larger values in the browser. Failures are ignored. */
export interface Vault {
  get<T>(name: string): Promise<T | undefined>;
  set(name: string, value: unknown): Promise<void>;
  names(): Promise<string[]>;
  remove(name: string): Promise<void>;
}

const STORE = 'values';

const done = <T>(r: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    r.onsuccess = () => resolve(r.result);
    r.onerror = () => reject(r.error ?? new Error('the database failed'));
  });

/** Database is a Vault in IndexedDB. */
export class Database implements Vault {
  private opened: Promise<IDBDatabase> | undefined;
  private name: string;

  constructor(name: string) {
    this.name = name;
  }

  private open(): Promise<IDBDatabase> {
    this.opened ??= new Promise((resolve, reject) => {
      const r = indexedDB.open(this.name, 1);
      r.onupgradeneeded = () => r.result.createObjectStore(STORE);
      r.onsuccess = () => {
        // Let the service worker delete the database.
        r.result.onversionchange = () => {
          r.result.close();
          this.opened = undefined;
        };
        resolve(r.result);
      };
      r.onerror = () => reject(r.error ?? new Error('the database failed'));
    });
    return this.opened;
  }

  private async run<T>(mode: IDBTransactionMode, act: (s: IDBObjectStore) => IDBRequest<T>): Promise<T | undefined> {
    try {
      return await done(act((await this.open()).transaction(STORE, mode).objectStore(STORE)));
    } catch {
      return undefined; // full, blocked or missing
    }
  }

  async get<T>(name: string): Promise<T | undefined> {
    return (await this.run<T>('readonly', (s) => s.get(name))) ?? undefined;
  }

  async set(name: string, value: unknown): Promise<void> {
    await this.run('readwrite', (s) => s.put(value, name));
  }

  async names(): Promise<string[]> {
    return ((await this.run('readonly', (s) => s.getAllKeys())) ?? []).map(String);
  }

  async remove(name: string): Promise<void> {
    await this.run('readwrite', (s) => s.delete(name));
  }
}
