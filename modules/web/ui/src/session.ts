import { spectator } from './csrf.ts';
import { expired, ownerIn } from './store/owner.ts';

/** Guarded is what belongs to the session: it stops and is deleted with it. */
interface Guarded {
  readonly owner: string | undefined;
  readonly connection: { stop(): void };
  readonly offline: { forget(): Promise<void> };
}

/** MAX_ENDING is how long, in milliseconds, the page waits for data to be deleted before it opens the login page. */
const MAX_ENDING = 2000;

/** loginURL returns the address of the login page, which returns to the current view after login. */
export function loginURL(): string {
  return `/login/?next=${encodeURIComponent(location.pathname + location.search + location.hash)}`;
}

/** Session watches whose session this browser has, and ends the page with it. */
class Session {
  private guarded: Guarded | undefined;
  private leaving = false;
  private replacing = false;
  private readonly endings: (() => Promise<unknown>)[] = [];

  /** guard names what ends with the session. */
  guard(guarded: Guarded): void {
    this.guarded = guarded;
  }

  /** owner returns the user of the browser's session as the server names it, or undefined without one. */
  owner(): string | undefined {
    return ownerIn(document.cookie);
  }

  /** isLeaving reports whether the page is about to be replaced because its session is over. */
  isLeaving(): boolean {
    return this.leaving;
  }

  /** whenEnded adds an action that is run when somebody has ended the session before it expired. */
  whenEnded(run: () => Promise<unknown>): void {
    this.endings.push(run);
  }

  /** isReplaced reports whether another user has logged in with this browser. If so, the page starts over. */
  isReplaced(): boolean {
    const [now, before] = [this.owner(), this.guarded?.owner];
    if (!this.replacing && !this.leaving && before !== undefined && now !== undefined && now !== before) {
      this.startOver();
    }
    return this.replacing;
  }

  startOver(): void {
    this.replacing = true;
    this.hide();
    location.reload();
  }

  /** start checks whose session this is whenever the user returns to the page or another tab has written something. */
  start(): void {
    for (const type of ['storage', 'focus']) addEventListener(type, () => this.isReplaced());
    document.addEventListener('visibilitychange', () => this.isReplaced());
    // After a logout, going back in the browser's history can show the former page.
    addEventListener('pageshow', (e) => {
      if (e.persisted && !spectator && this.owner() !== this.guarded?.owner) this.startOver();
    });
  }

  /** startLogout starts a logout: from now on, 401 responses are ignored. */
  startLogout(): void {
    this.leaving = true;
    this.guarded?.connection.stop();
  }

  /**
   * leaveAfter runs an action that ends the session, and opens the login page unless it fails. Meanwhile, 401 responses
   * are ignored: they would open the login page, too.
   */
  async leaveAfter(action: () => Promise<unknown>): Promise<void> {
    this.leaving = true;
    try {
      await action();
    } catch (e) {
      this.leaving = false;
      throw e;
    }
    this.hide();
    await this.deleteSaved();
    location.assign('/login/');
  }

  /** unauthorized opens the login page. Several requests can find the session expired; only the first one navigates. */
  unauthorized(): void {
    if (this.leaving || this.isReplaced()) return;
    this.hide();
    void this.deleteSaved().then(() => location.assign(loginURL()));
  }

  /** hide hides everything on a page that is about to be replaced. */
  private hide(): void {
    this.leaving = true;
    document.body.hidden = true;
    this.guarded?.connection.stop();
  }

  /** deleteSaved deletes what this browser has saved of a user whose session is over, except unsent text. */
  private async deleteSaved(): Promise<void> {
    const early = this.owner() !== undefined; // otherwise, the cookie has expired with the session
    for (const cookie of expired()) document.cookie = cookie;
    const work = [
      this.guarded?.offline.forget() ?? Promise.resolve(),
      ...(early ? this.endings.map((run) => run()) : []),
    ];
    const late = new Promise((resolve) => setTimeout(resolve, MAX_ENDING));
    await Promise.race([Promise.allSettled(work), late]);
  }
}

export const session = new Session();
