import type { Storage } from './storage.ts';

export interface Edit {
  id: number;
  content: string;
  /** before is the text of the message on which the edit is based. */
  before: string;
  timestamp: number;
}

const STORED = 'edits';
const MAX_KEPT = 20;

/** Edits stores unfinished message edits in this browser until they are saved or discarded. */
export class Edits {
  private storage: Storage;
  private now: () => number;
  /** memory is used in browsers without storage. */
  private memory: Edit[] = [];

  constructor(storage: Storage, now: () => number) {
    this.storage = storage;
    this.now = now;
  }

  private all(): Edit[] {
    return this.storage.get<Edit[]>(STORED) ?? this.memory;
  }

  get(id: number): Edit | undefined {
    return this.all().find((e) => e.id === id);
  }

  write(id: number, content: string, before: string): void {
    const rest = this.all().filter((e) => e.id !== id);
    this.keep([...rest, { id, content, before, timestamp: this.now() }].slice(-MAX_KEPT));
  }

  forget(id: number): void {
    const rest = this.all().filter((e) => e.id !== id);
    if (rest.length < this.all().length) this.keep(rest);
  }

  private keep(all: Edit[]): void {
    this.memory = all;
    this.storage.set(STORED, all);
  }
}
