// Loaded on demand: the pictures and videos of a conversation, in their order.
import { store } from '../client.ts';
import { parsed } from '../components/trusted.ts';
import { viewable } from '../components/viewable.ts';
import { nameOf } from '../format/files.ts';
import { terms } from '../store/narrow.ts';

/** Item is a picture or a video. */
export interface Item {
  /** key is the same for the same item in the message and on the page. */
  key: string;
  message: number | undefined;
  video: boolean;
  name: string;
  /** source is what browsers can show of the original. */
  source: string;
  original: string;
}

/** NEAR is the number of items before the end of what is known at which more messages are requested. */
const NEAR = 3;

/** itemOf describes a picture or a video in a message, as the server sends or as the page shows it. */
function itemOf(e: Element, message: number | undefined): Item {
  const link = e.closest('a');
  const shown = e.getAttribute('src') ?? '';
  const original = e.getAttribute('data-original-src') ?? link?.getAttribute('href') ?? shown;
  const transcoded = e.getAttribute('data-transcoded-image');
  return {
    key: `${message} ${original}`,
    message,
    video: e.matches('video'),
    name: e.getAttribute('alt') || (link ?? e).getAttribute('title') || nameOf(original),
    source: transcoded ? shown.replace(/[^/]*$/, transcoded) : original,
    original,
  };
}

/** itemsOf returns the items in the content of a message: those in a spoiler, or those outside of all. */
function itemsOf(root: ParentNode, message: number | undefined, spoiler: Element | null): Item[] {
  const items = new Map<string, Item>(); // a message may show the same picture twice
  for (const e of root.querySelectorAll(viewable)) {
    const item = itemOf(e, message);
    if (e.closest('.spoiler-content') === spoiler && !items.has(item.key)) items.set(item.key, item);
  }
  return [...items.values()];
}

/** Gallery pages through the pictures and videos of the list of messages on the screen. */
export class Gallery {
  /** current is the item to show, as it was when it was chosen. */
  private current = $state.raw() as Item;
  readonly all: readonly Item[] = $derived.by(() => this.fixed ?? this.find());
  /** at is the place of the shown item, or -1 if it was removed. */
  readonly at = $derived(this.all.findIndex((item) => item.key === this.current.key));
  readonly shown = $derived(this.all[this.at] ?? this.current);
  /** complete is true if all of the conversation's pictures and videos are known. */
  readonly complete = $derived.by(() => {
    const known = [this.list, this.found];
    return this.fixed !== undefined || (known.some((l) => l?.foundOldest) && known.some((l) => l?.foundNewest));
  });
  private readonly list = store.shown;
  /** found is the list of all messages with pictures and videos, if not all of them are in the list on the screen. */
  private found: typeof this.list;
  /** fixed are the items of content outside of the list, or of a spoiler. */
  private readonly fixed: readonly Item[] | undefined;
  private readonly parsed = new Map<number, { content: string; items: readonly Item[] }>();

  constructor(picture: Element) {
    const id = Number(picture.closest<HTMLElement>('[data-message]')?.dataset.message ?? NaN);
    const message = Number.isNaN(id) ? undefined : id;
    const spoiler = picture.closest('.spoiler-content');
    this.current = itemOf(picture, message);
    const { list } = this;
    if (spoiler || message === undefined || !list?.ids.includes(message))
      this.fixed = itemsOf(picture.closest('.rendered') ?? document, message, spoiler);
    else if (!list.foundOldest || !list.foundNewest) {
      const has = { operator: 'has', operand: 'image' };
      this.found = store.lists.open({ kind: 'search', terms: [...terms(list.narrow), has] }, message);
      void store.lists.refresh(this.found, undefined); // if it was opened before
    }
  }

  /** step goes to another item, if there is one. */
  step(by: number): void {
    this.go(this.at + by);
  }

  go(to: number): void {
    const next = this.at < 0 ? undefined : this.all[to];
    if (!next) return;
    this.current = next;
    if (!this.found) return;
    if (to < NEAR) void store.lists.older(this.found);
    if (to >= this.all.length - NEAR) void store.lists.newer(this.found);
  }

  /** neighbours returns the sources of the pictures beside the shown item. */
  neighbours(): string[] {
    return [1, -1].flatMap((by) => this.all[this.at + by] ?? []).flatMap((item) => (item.video ? [] : item.source));
  }

  private find(): Item[] {
    const ids = [...new Set([...(this.list?.ids ?? []), ...(this.found?.ids ?? [])])].sort((a, b) => a - b);
    const direct = this.list?.narrow.kind === 'dm';
    return ids.flatMap((id) => {
      const m = store.messages.get(id);
      return m && (direct || !store.users.muted.has(m.sender_id)) ? this.inMessage(id, m.content) : [];
    });
  }

  private inMessage(id: number, content: string): readonly Item[] {
    if (!content.includes('inline_image') && !content.includes('inline-image')) return [];
    const before = this.parsed.get(id);
    if (before?.content === content) return before.items;
    const items = itemsOf(parsed(content), id, null);
    this.parsed.set(id, { content, items });
    return items;
  }
}
