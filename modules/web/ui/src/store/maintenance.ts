import type { Http } from '../api/http.ts';
import { Cell } from './cell.ts';

/** INTERVAL is after how many milliseconds the server is asked again whether maintenance has ended. */
const INTERVAL = 15_000;

/**
 * Maintenance knows whether the server refuses all changes. The server is asked at the start, after an interruption and
 * when it has refused a change, and then until maintenance has ended.
 */
export class Maintenance {
  private readonly cell = new Cell();
  #reason: string | undefined;
  private http: Http;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private looking = false;
  /** onEnd is called when maintenance has ended. */
  onEnd: () => void = () => undefined;

  constructor(http: Http) {
    this.http = http;
  }

  /** reason is what the operator tells users during maintenance, which may be empty; undefined: there is none. */
  get reason(): string | undefined {
    this.cell.track();
    return this.#reason;
  }

  get on(): boolean {
    return this.reason !== undefined;
  }

  /** look asks the server. */
  async look(): Promise<void> {
    if (this.looking) return;
    this.looking = true;
    try {
      const { maintenance } = await this.http.call<{ maintenance: string | null }>('GET', '/maintenance');
      this.set(maintenance ?? undefined);
    } catch {
      // What was known before remains.
    } finally {
      this.looking = false;
    }
    clearTimeout(this.timer);
    if (this.#reason !== undefined) this.timer = setTimeout(() => void this.look(), INTERVAL);
  }

  private set(reason: string | undefined): void {
    if (this.#reason === reason) return;
    this.#reason = reason;
    this.cell.touch();
    if (reason === undefined) this.onEnd();
  }
}
