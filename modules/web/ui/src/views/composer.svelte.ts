/** Box is the compose box on the page. */
export interface Box {
  slot: string;
  insert(text: string): void;
  focus(): void;
}

/** Composer lets the rest of the page write into the compose box, also into one that is about to appear. */
class Composer {
  private box: Box | undefined;
  private waiting: { slot: string; text: string } | undefined;

  attach(box: Box): () => void {
    this.box = box;
    if (this.waiting?.slot === box.slot) {
      const { text } = this.waiting;
      this.waiting = undefined;
      queueMicrotask(() => box.insert(text));
    }
    return () => {
      if (this.box === box) this.box = undefined;
    };
  }

  insert(text: string, slot: string): void {
    if (this.box?.slot === slot) this.box.insert(text);
    else this.waiting = { slot, text };
  }

  focus(): boolean {
    this.box?.focus();
    return this.box !== undefined;
  }
}

export const composer = new Composer();
