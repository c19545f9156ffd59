const AFTER = 1000; // milliseconds without scrolling
const AT_ONCE = 16;

/** AtRest runs what can wait until a list has not been scrolled for a while, a few functions a frame. */
export class AtRest {
  private waiting = new Set<() => void>();
  private timer: ReturnType<typeof setTimeout> | undefined;

  /** later runs a function at rest, unless the function that it returns is called before. */
  later = (run: () => void): (() => void) => {
    this.waiting.add(run);
    if (this.timer === undefined) this.plan(AFTER);
    return () => this.waiting.delete(run);
  };

  /** scrolled is called while the list is scrolled. */
  scrolled = (): void => {
    if (this.timer !== undefined) this.plan(AFTER);
  };

  private plan(ms: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(this.run, ms);
  }

  private run = (): void => {
    this.timer = undefined;
    for (const run of [...this.waiting].slice(0, AT_ONCE)) {
      this.waiting.delete(run);
      run();
    }
    if (this.waiting.size > 0) this.plan(16);
  };
}
