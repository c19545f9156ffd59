import { Cell } from './cell.ts';

/** Counted is what a tally counts. */
export interface Counted {
  /** channels returns the channels with unread messages. */
  channels(): Iterable<number>;
  /** inTopics counts a channel's unread messages in topics for which counts returns true. */
  inTopics(channel: number, counts: (topic: string) => boolean): number;
  isHidden(channel: number): boolean;
}

/**
 * Tally is the number of unread messages in the topics for which counts returns true. It counts again what has changed,
 * or everything once the answers of counts and isHidden may have.
 */
export class Tally {
  /** counts reports whether the messages of a topic are counted. */
  readonly counts: (channel: number, topic: string) => boolean;
  private counted: Counted;
  /** answers changes with the answers of counts and isHidden. */
  private answers: Cell;
  private known = -1;
  private stale = new Set<number>();
  private byChannel = new Map<number, number>();
  private sum = 0;

  constructor(counted: Counted, answers: Cell, counts: (channel: number, topic: string) => boolean) {
    this.counted = counted;
    this.answers = answers;
    this.counts = counts;
  }

  /** changed is called when the unread messages of a channel have changed. */
  changed(channel: number): void {
    this.stale.add(channel);
  }

  reset(): void {
    this.known = -1;
  }

  in(channel: number): number {
    return this.counted.inTopics(channel, (topic) => this.counts(channel, topic));
  }

  /** total leaves out hidden channels. */
  total(): number {
    if (this.known !== this.answers.version) {
      this.known = this.answers.version;
      this.byChannel.clear();
      this.sum = 0;
      this.stale = new Set(this.counted.channels());
    }
    for (const channel of this.stale) {
      const n = this.counted.isHidden(channel) ? 0 : this.in(channel);
      this.sum += n - (this.byChannel.get(channel) ?? 0);
      if (n > 0) this.byChannel.set(channel, n);
      else this.byChannel.delete(channel);
    }
    this.stale.clear();
    return this.sum;
  }
}
