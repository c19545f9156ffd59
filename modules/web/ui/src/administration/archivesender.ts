import { ApiError } from '../api/http.ts';
import { Pace } from './pace.ts';

/** Sizes of parts, in bytes, and the time that one should take, in milliseconds. Slow parts would time out. */
const FIRST_PART = 1 << 20;
const MIN_PART = 128 << 10;
const PART_TIME = 4000;

/** PAUSES are the delays before retries, in milliseconds. The last one repeats; a part that arrives begins anew. */
const PAUSES = [1000, 2000, 5000, 10_000, 20_000, 30_000];

export interface Wire {
  /** send sends the part after offset, and returns how many bytes the server has. */
  send(part: Blob, offset: number, signal: AbortSignal): Promise<number>;
  /** received returns how many bytes the server has; undefined: the import is gone. */
  received(): Promise<number | undefined>;
  pause(milliseconds: number): Promise<void>;
  now(): number;
}

/** passes reports whether a request may succeed later. */
const passes = (e: unknown) => e instanceof ApiError && (e.status === 0 || e.status >= 500 || e.status === 429);

/**
 * ArchiveSender sends an archive in parts, from where the server has it, until it is complete, stopped or refused. Lost
 * connections only interrupt it.
 */
export class ArchiveSender {
  private wire: Wire;
  private file: Blob;
  private largest: number;
  private size: number;
  private readonly abort = new AbortController();
  private readonly pace = new Pace();
  /** waiting is true while the server cannot be reached. */
  waiting = false;
  sent: number;

  /** changed is called when sent, waiting or the rate has changed. */
  constructor(wire: Wire, file: Blob, received: number, largest: number, changed: () => void = () => undefined) {
    this.wire = wire;
    this.file = file;
    this.sent = received;
    this.largest = largest;
    this.size = Math.min(FIRST_PART, largest);
    this.changed = changed;
  }

  changed: () => void;

  get rate(): number | undefined {
    return this.pace.rate;
  }

  get left(): number | undefined {
    return this.pace.left(this.file.size);
  }

  stop(): void {
    this.abort.abort();
  }

  /** run resolves to whether the archive is complete. It throws the error for which the server refuses it. */
  async run(): Promise<boolean> {
    this.pace.add(this.wire.now(), this.sent);
    let failures = 0;
    while (this.sent < this.file.size) {
      if (this.abort.signal.aborted) return false;
      try {
        await this.next();
        failures = 0;
        this.waiting = false;
      } catch (e) {
        if (this.abort.signal.aborted) return false;
        if (!passes(e) && !(await this.elsewhere())) throw e;
        this.waiting = true;
        this.size = Math.max(MIN_PART, Math.floor(this.size / 2));
        this.changed();
        await this.wire.pause(PAUSES[Math.min(failures++, PAUSES.length - 1)]!);
        await this.lookUp();
      }
      this.changed();
    }
    return true;
  }

  private async next(): Promise<void> {
    const began = this.wire.now();
    const part = this.file.slice(this.sent, this.sent + this.size);
    this.sent = await this.wire.send(part, this.sent, this.abort.signal);
    const now = this.wire.now();
    this.pace.add(now, this.sent);
    const fitting = (part.size * PART_TIME) / Math.max(1, now - began);
    this.size = Math.round(Math.min(this.largest, Math.max(MIN_PART, Math.min(fitting, this.size * 2))));
  }

  /** elsewhere reports whether the server has more or less of the archive than was assumed. */
  private async elsewhere(): Promise<boolean> {
    const before = this.sent;
    await this.lookUp();
    return this.sent !== before;
  }

  /** lookUp asks the server how much it has: a part may have arrived although its response was lost. */
  private async lookUp(): Promise<void> {
    try {
      const received = await this.wire.received();
      if (received === undefined) this.stop();
      else this.sent = received;
    } catch (e) {
      if (!passes(e)) throw e;
    }
  }
}
