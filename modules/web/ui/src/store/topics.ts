import type { Http } from '../api/http.ts';
import type { Message } from '../api/types.ts';
import { KeyCells } from './cell.ts';
import { sameTopic } from './narrow.ts';

export interface Topic {
  name: string;
  max_id: number;
}

/** TopicMove describes messages that were moved. */
export interface TopicMove {
  from: { channel: number; topic: string };
  to: { channel: number; topic: string };
  ids: readonly number[];
  /** whole means that no message remains in the former topic. */
  whole: boolean;
}

/** Topics caches the topics of opened channels, newest first. */
export class Topics {
  private http: Http;
  private byChannel = new Map<number, Topic[]>();
  private readonly cells = new KeyCells<number>();
  /** loading holds the channels whose topics are being fetched, and what the response may lack. */
  private loading = new Map<number, { outdated: boolean; arrived: Message[] }>();

  constructor(http: Http) {
    this.http = http;
  }

  get(channel: number): Topic[] | undefined {
    this.cells.track(channel);
    return this.byChannel.get(channel);
  }

  private set(channel: number, topics: Topic[]): void {
    this.byChannel.set(channel, topics);
    this.cells.touch(channel);
  }

  async load(channel: number): Promise<void> {
    if (!this.byChannel.has(channel)) await this.reload(channel);
  }

  private async reload(channel: number): Promise<void> {
    const running = this.loading.get(channel);
    if (running) {
      running.outdated = true;
      return;
    }
    const request: { outdated: boolean; arrived: Message[] } = { outdated: true, arrived: [] };
    this.loading.set(channel, request);
    try {
      while (request.outdated) {
        Object.assign(request, { outdated: false, arrived: [] });
        const answer = await this.http.call<{ topics: Topic[] }>('GET', `/users/me/${channel}/topics`, {
          allow_empty_topic_name: true,
        });
        if (this.loading.get(channel) !== request) return; // the channel has been lost meanwhile
        if (request.outdated) continue;
        this.set(channel, answer.topics);
        for (const m of request.arrived) this.put(channel, m.subject, m.id);
      }
    } catch {
      // The sidebar then shows only topics with unread messages, and the next visit tries again.
    } finally {
      if (this.loading.get(channel) === request) this.loading.delete(channel);
    }
  }

  received(m: Message): void {
    if (m.stream_id === undefined) return;
    this.loading.get(m.stream_id)?.arrived.push(m);
    this.put(m.stream_id, m.subject, m.id);
  }

  /** put makes a message the latest one of a topic, if it is newer. The latest one names the topic. */
  private put(channel: number, topic: string, id: number): void {
    const list = this.byChannel.get(channel);
    if (!list) return;
    const known = list.find((t) => sameTopic(t.name, topic));
    if (known && known.max_id > id) return;
    const others = list.filter((t) => t !== known);
    const at = others.findIndex((t) => t.max_id <= id); // the list is sorted
    others.splice(at < 0 ? others.length : at, 0, { name: topic, max_id: id });
    this.set(channel, others);
  }

  private drop(channel: number, gone: (t: Topic) => boolean): void {
    const list = this.byChannel.get(channel);
    if (list?.some(gone)) {
      const left = list.filter((t) => !gone(t));
      this.set(channel, left);
    }
  }

  /** moved applies the move of a whole topic. After other moves, the topics are fetched again. */
  moved(m: TopicMove): void {
    const newest = Math.max(...m.ids);
    const left = (t: Topic) => sameTopic(t.name, m.from.topic) && (m.whole || m.ids.includes(t.max_id));
    this.drop(m.from.channel, left);
    this.put(m.to.channel, m.to.topic, newest);
    for (const channel of new Set([m.from.channel, m.to.channel])) {
      const running = this.loading.get(channel);
      if (running) running.outdated = true;
      else if (!m.whole && this.byChannel.has(channel)) void this.reload(channel);
    }
  }

  /** deleted drops the topics whose latest message was deleted, and fetches those that are left. */
  deleted(channel: number, ids: readonly number[]): void {
    const gone = new Set(ids);
    const known = this.byChannel.get(channel);
    this.drop(channel, (t) => gone.has(t.max_id));
    if (this.loading.has(channel) || this.byChannel.get(channel) !== known) void this.reload(channel);
  }

  /** lost drops the topics of channels whose messages the user can no longer read. */
  lost(channels: ReadonlySet<number>): void {
    for (const id of channels) {
      this.loading.delete(id);
      if (this.byChannel.delete(id)) this.cells.touch(id);
    }
  }

  reset(): void {
    const known = [...this.byChannel.keys()];
    this.loading.clear();
    this.byChannel.clear();
    this.cells.touchAll();
    for (const id of known.slice(-5)) void this.load(id);
  }
}
