import { store } from '../client.ts';
import { key, type Conversation } from '../store/narrow.ts';

/** Box is the compose box currently on the page. */
export interface Box {
  slot: string;
  insert(text: string): Promise<void>;
  addFiles(files: File[]): void;
  focus(): void;
}

async function put(box: Box, text: string, files: File[]): Promise<void> {
  if (text) await box.insert(files.length > 0 ? `${text}\n` : text);
  if (files.length > 0) box.addFiles(files);
}

/** Composer inserts text and files into the compose box, or into the next one to appear for the slot. */
class Composer {
  private box: Box | undefined;
  private waiting: { slot: string; text: string; files: File[] } | undefined;

  attach(box: Box): () => void {
    this.box = box;
    if (this.waiting?.slot === box.slot) {
      const { text, files } = this.waiting;
      this.waiting = undefined;
      queueMicrotask(() => void put(box, text, files));
    }
    return () => {
      if (this.box === box) this.box = undefined;
    };
  }

  insert(text: string, slot: string, files: File[] = []): void {
    if (this.box?.slot === slot) void put(this.box, text, files);
    else this.waiting = { slot, text, files };
  }

  /** append adds text to what has been written in a conversation, whether its compose box is shown or not. */
  append(to: Conversation, text: string): void {
    const slot = key(to);
    if (this.box?.slot === slot) {
      void put(this.box, text, []);
      return;
    }
    const { content } = store.drafts.open(slot, to);
    store.drafts.write(slot, to, content ? `${content}\n${text}` : text);
  }

  focus(): boolean {
    this.box?.focus();
    return this.box !== undefined;
  }
}

export const composer = new Composer();
