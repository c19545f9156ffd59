/** Signal connects a cell with the views that have read it. */
export interface Signal {
  /** track makes the computation that is running, if any, depend on the cell. */
  track(): void;
  /** touch runs these computations again. */
  touch(): void;
}

/** unobserved is used where nothing is computed from the store, as in its tests. */
const unobserved: Signal = { track: () => undefined, touch: () => undefined };

let newSignal = (): Signal => unobserved;
let observed = (): boolean => false;
/** unreported is greater than zero while reads are not reported. */
let unreported = 0;

/**
 * observe sets what creates the signals of cells, and what reports whether a computation is running that would track
 * them, before the store is read for the first time. It keeps the store independent of the framework: whatever views
 * compute from the store is computed again when the store changes.
 */
export function observe(create: () => Signal, tracking: () => boolean): void {
  newSignal = create;
  observed = tracking;
}

/** quietly runs a function without reporting what it reads. Its caller reports that with fewer cells. */
export function quietly<T>(run: () => T): T {
  unreported++;
  try {
    return run();
  } finally {
    unreported--;
  }
}

/** Cell is a part of the store that is read and changed as a whole. */
export class Cell {
  /** version changes with every change. */
  version = 0;
  private signal: Signal | undefined;

  track(): void {
    if (unreported > 0) return;
    this.signal ??= newSignal();
    this.signal.track();
  }

  touch(): void {
    this.version++;
    this.signal?.touch();
  }
}

/** MAX_KEYS is the number of keys with a cell above which all cells are given up. */
const MAX_KEYS = 5000;

/** KeyCells has a cell for each key that is read, so that a change concerns only those who have read the same key. */
export class KeyCells<K> {
  private readonly cells = new Map<K, Cell>();

  track(key: K): void {
    if (unreported > 0 || !observed()) return;
    let cell = this.cells.get(key);
    if (!cell) this.cells.set(key, (cell = new Cell()));
    cell.track();
  }

  /** touch gives up the key's cell, so that none remains of what nobody reads any more. */
  touch(key: K): void {
    const cell = this.cells.get(key);
    if (!cell) return;
    this.cells.delete(key);
    cell.touch();
    if (this.cells.size > MAX_KEYS) this.touchAll();
  }

  touchAll(): void {
    const all = [...this.cells.values()];
    this.cells.clear();
    for (const cell of all) cell.touch();
  }
}

/**
 * Tracked is the base of classes whose fields report when they are read and assigned. A field is compared by identity:
 * collections in it are replaced, or are a CellMap or CellSet. Fields with a # are not reported.
 */
export class Tracked {
  constructor() {
    const cells = new Map<PropertyKey, Cell>();
    return new Proxy(this, {
      get(target, field, self) {
        const value: unknown = Reflect.get(target, field, self);
        if (typeof value !== 'function' && Object.hasOwn(target, field)) {
          let cell = cells.get(field);
          if (!cell) cells.set(field, (cell = new Cell()));
          cell.track();
        }
        return value;
      },
      set(target, field, value, self) {
        const changed = Object.hasOwn(target, field) && Reflect.get(target, field) !== value;
        const done = Reflect.set(target, field, value, self);
        if (changed) cells.get(field)?.touch();
        return done;
      },
    });
  }
}

/** CellMap is a Map that reports when it is read and changed. */
export class CellMap<K, V> extends Map<K, V> {
  readonly cell = new Cell();

  override get size(): number {
    this.cell.track();
    return super.size;
  }

  override get(key: K): V | undefined {
    this.cell.track();
    return super.get(key);
  }

  override has(key: K): boolean {
    this.cell.track();
    return super.has(key);
  }

  override keys() {
    this.cell.track();
    return super.keys();
  }

  override values() {
    this.cell.track();
    return super.values();
  }

  override entries() {
    this.cell.track();
    return super.entries();
  }

  override forEach(...args: Parameters<Map<K, V>['forEach']>): void {
    this.cell.track();
    super.forEach(...args);
  }

  override [Symbol.iterator]() {
    return this.entries();
  }

  override set(key: K, value: V): this {
    super.set(key, value);
    this.cell.touch();
    return this;
  }

  /** setAll sets many entries, and reports one change. */
  setAll(entries: Iterable<readonly [K, V]>): void {
    for (const [key, value] of entries) super.set(key, value);
    this.cell.touch();
  }

  /** replace replaces all entries, and reports one change. */
  replace(entries: Iterable<readonly [K, V]>): void {
    const all = [...entries];
    super.clear();
    this.setAll(all);
  }

  override delete(key: K): boolean {
    const found = super.delete(key);
    if (found) this.cell.touch();
    return found;
  }

  override clear(): void {
    if (super.size === 0) return;
    super.clear();
    this.cell.touch();
  }
}

/** CellSet is a Set that reports when it is read and changed. */
export class CellSet<T> extends Set<T> {
  readonly cell = new Cell();

  override get size(): number {
    this.cell.track();
    return super.size;
  }

  override has(value: T): boolean {
    this.cell.track();
    return super.has(value);
  }

  override values() {
    this.cell.track();
    return super.values();
  }

  override keys() {
    return this.values();
  }

  override entries() {
    this.cell.track();
    return super.entries();
  }

  override forEach(...args: Parameters<Set<T>['forEach']>): void {
    this.cell.track();
    super.forEach(...args);
  }

  override [Symbol.iterator]() {
    return this.values();
  }

  override add(value: T): this {
    if (super.has(value)) return this;
    super.add(value);
    this.cell.touch();
    return this;
  }

  /** replace replaces all values, and reports one change. */
  replace(values: Iterable<T>): void {
    const all = [...values];
    super.clear();
    for (const value of all) super.add(value);
    this.cell.touch();
  }

  override delete(value: T): boolean {
    const found = super.delete(value);
    if (found) this.cell.touch();
    return found;
  }

  override clear(): void {
    if (super.size === 0) return;
    super.clear();
    this.cell.touch();
  }
}

/** memo returns a function that computes a value from these cells alone, if one has changed since the last call. */
export function memo<T>(compute: () => T, ...cells: Cell[]): () => T {
  let known: { versions: number[]; value: T } | undefined;
  return () => {
    for (const cell of cells) cell.track();
    if (!known || cells.some((cell, i) => cell.version !== known!.versions[i])) {
      known = { versions: cells.map((cell) => cell.version), value: quietly(compute) };
    }
    return known.value;
  };
}
