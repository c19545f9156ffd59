import type { Http } from '../api/http.ts';
import type { Message } from '../api/types.ts';
import { CellMap } from './cell.ts';

export interface Topic {
  name: string;
  max_id: number;
}

/** Topics caches the topics of opened channels, newest first. */
export class Topics {
  private http: Http;
  private byChannel = new CellMap<number, Topic[]>();
  private loading = new Set<number>();

  constructor(http: Http) {
    this.http = http;
  }

  get(channel: number): Topic[] | undefined {
    return this.byChannel.get(channel);
  }

  async load(channel: number): Promise<void> {
    if (this.byChannel.has(channel) || this.loading.has(channel)) return;
    this.loading.add(channel);
    try {
      const answer = await this.http.call<{ topics: Topic[] }>('GET', `/users/me/${channel}/topics`, {
        allow_empty_topic_name: true,
      });
      this.byChannel.set(channel, answer.topics);
    } catch {
      // The sidebar then shows only topics with unread messages, and the next visit tries again.
    } finally {
      this.loading.delete(channel);
    }
  }

  received(m: Message): void {
    const list = this.byChannel.get(m.stream_id ?? 0);
    if (!list) return;
    const rest = list.filter((t) => t.name.toLowerCase() !== m.subject.toLowerCase());
    const name = list.length === rest.length ? m.subject : list.find((t) => !rest.includes(t))!.name;
    this.byChannel.set(m.stream_id!, [{ name, max_id: m.id }, ...rest]);
  }

  /** invalidate reloads the topics of an event's channels after messages were moved or deleted. */
  invalidate(e: { stream_id: number; new_stream_id?: number }): void {
    for (const id of [e.stream_id, e.new_stream_id]) {
      if (id !== undefined && this.byChannel.delete(id)) void this.load(id);
    }
  }

  reset(): void {
    const known = [...this.byChannel.keys()];
    this.byChannel.clear();
    for (const id of known.slice(-5)) void this.load(id);
  }
}
