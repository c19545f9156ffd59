/** ApiError is an error response, or with status 0 a missing one. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly data: Record<string, unknown>;

  constructor(status: number, code: string, message: string, data: Record<string, unknown> = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.data = data;
  }

  /** unanswered is true if the request may have taken effect on the server nevertheless. */
  get unanswered(): boolean {
    return this.status === 0 || this.status >= 500;
  }
}

export type Params = Record<string, unknown>;
export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

export interface CallOptions {
  signal?: AbortSignal;
  /** timeout is in milliseconds. */
  timeout?: number;
  /** leaving is true while the page closes: the request outlives it, and does not wait for earlier changes. */
  leaving?: boolean;
  /** body is sent instead of the parameters, which are then part of the address. */
  body?: Blob;
}

export interface HttpConfig {
  fetch: typeof fetch;
  /** csrf returns the page's CSRF token. */
  csrf(): string;
  /** renewCsrf fetches a new token if the page is older than the session. */
  renewCsrf(): Promise<void>;
  /** unauthorized is called when the session has ended. */
  unauthorized(): void;
  /**
   * otherUser reports whether another user has logged in with this browser since the page was loaded. No request may
   * then be made as that user.
   */
  otherUser?(): boolean;
  /** waiting is called with the seconds to wait when the server limits the rate, and with 0 afterwards. */
  waiting(seconds: number): void;
  /** maintained is called when a change was refused because of maintenance. */
  maintained?(): void;
  sleep(ms: number): Promise<void>;
  /** refuses returns the reason why a call must not be made, or undefined if it may. */
  refuses?(method: Method, path: string): string | undefined;
}

/** encode encodes parameters as the API expects them: strings verbatim, everything else as JSON. */
export function encode(params: Params): URLSearchParams {
  const out = new URLSearchParams();
  for (const [key, value] of Object.entries(params)) {
    if (value === undefined) continue;
    out.append(key, typeof value === 'string' ? value : JSON.stringify(value));
  }
  return out;
}

const DEFAULT_TIMEOUT = 30_000; // milliseconds
const MAX_WAITS = 5; // rate-limit delays per call

/** INDEPENDENT are the paths of requests that may overtake each other, since none replaces what another has written. */
const INDEPENDENT = new Set(['/events', '/messages', '/messages/render', '/register', '/typing']);

export class Http {
  private config: HttpConfig;
  /** writes holds the last change of each path that is under way. */
  private readonly writes = new Map<string, Promise<unknown>>();

  constructor(config: HttpConfig) {
    this.config = config;
  }

  /**
   * call performs an API operation. If the rate limit is hit, it waits and retries. Changes of the same object follow
   * one another, so that the last one wins.
   */
  call<T>(method: Method, path: string, params: Params = {}, options: CallOptions = {}): Promise<T> {
    if (method === 'GET' || INDEPENDENT.has(path) || options.leaving)
      return this.perform(method, path, params, options);
    const former = this.writes.get(path);
    const next = () => this.perform<T>(method, path, params, options);
    const result = former ? former.then(next, next) : next();
    this.writes.set(path, result);
    const done = () => {
      if (this.writes.get(path) === result) this.writes.delete(path);
    };
    result.then(done, done);
    return result;
  }

  private async perform<T>(method: Method, path: string, params: Params, options: CallOptions): Promise<T> {
    const why = this.config.refuses?.(method, path);
    if (why !== undefined) throw new ApiError(401, 'SPECTATOR', why);
    let renewed = false;
    for (let waits = 0; ;) {
      if (this.config.otherUser?.()) throw new ApiError(401, 'OTHER_USER', 'Another user has logged in.');
      try {
        return (await this.once(method, path, params, options)) as T;
      } catch (e) {
        if (!(e instanceof ApiError)) throw e;
        if (e.code === 'RATE_LIMIT_HIT' && waits < MAX_WAITS) {
          waits++;
          const seconds = Math.min(60, Math.max(0.5, Number(e.data['retry-after']) || 1));
          this.config.waiting(seconds);
          await this.config.sleep(seconds * 1000);
          this.config.waiting(0);
        } else if (e.code === 'CSRF_FAILED' && !renewed) {
          renewed = true;
          await this.config.renewCsrf();
        } else {
          if (e.status === 401) this.config.unauthorized();
          if (e.code === 'MAINTENANCE') this.config.maintained?.();
          throw e;
        }
      }
    }
  }

  private async once(method: Method, path: string, params: Params, options: CallOptions): Promise<unknown> {
    const encoded = encode(params);
    const headers: Record<string, string> = {};
    const init: RequestInit = { method, headers, credentials: 'same-origin', cache: 'no-store' };
    let url = `/json${path}`;
    if (method === 'GET' || options.body) {
      const query = encoded.toString();
      if (query) url += `?${query}`;
    }
    if (method !== 'GET') {
      init.body = options.body ?? encoded;
      init.keepalive = options.leaving ?? false;
      headers['X-CSRFToken'] = this.config.csrf();
      if (options.body) headers['Content-Type'] = 'application/octet-stream';
    }
    const timeout = AbortSignal.timeout(options.timeout ?? DEFAULT_TIMEOUT);
    init.signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout;
    let response: Response;
    let text: string;
    try {
      response = await this.config.fetch(url, init);
      text = await response.text();
    } catch (e) {
      if (options.signal?.aborted) throw e;
      throw new ApiError(0, 'NETWORK', 'The server cannot be reached.');
    }
    return parse(response.status, text);
  }
}

/** parse returns the body of a successful response and throws an ApiError for any other. */
export function parse(status: number, text: string): unknown {
  let body: Record<string, unknown>;
  try {
    body = JSON.parse(text) as Record<string, unknown>;
  } catch {
    throw new ApiError(status === 200 ? 502 : status, 'NOT_JSON', 'The server sent an invalid response.');
  }
  if (status === 200 && body.result === 'success') return body;
  const code = typeof body.code === 'string' ? body.code : '';
  const message = typeof body.msg === 'string' ? body.msg : 'Something went wrong.';
  throw new ApiError(status, code, message, body);
}
