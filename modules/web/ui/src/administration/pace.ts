/** WINDOW is the time, in milliseconds, over which the rate is measured. */
const WINDOW = 20_000;

/** Pace estimates how fast something advances, and how long it takes until its end. */
export class Pace {
  private samples: { at: number; done: number }[] = [];

  /** add notes how much is done at a time in milliseconds. If that is less than before, everything begins anew. */
  add(at: number, done: number): void {
    if (done < (this.samples.at(-1)?.done ?? 0)) this.samples = [];
    this.samples.push({ at, done });
    while (this.samples.length > 2 && this.samples[1]!.at <= at - WINDOW) this.samples.shift();
  }

  /** rate is per second; undefined: not known yet. */
  get rate(): number | undefined {
    const [first, last] = [this.samples[0], this.samples.at(-1)];
    if (!first || !last || last.at - first.at < 1000 || last.done === first.done) return undefined;
    return ((last.done - first.done) * 1000) / (last.at - first.at);
  }

  /** left returns the seconds until all is done; undefined: not known yet. */
  left(all: number): number | undefined {
    const { rate } = this;
    return rate === undefined ? undefined : Math.max(0, all - this.samples.at(-1)!.done) / rate;
  }
}

/** rounded returns a time in seconds that is no more exact than an estimate: 40 s, 3 min, 2 h. */
export function rounded(seconds: number): number {
  const step = seconds < 90 ? 5 : seconds < 90 * 60 ? 60 : 3600;
  return Math.max(step, Math.round(seconds / step) * step);
}
