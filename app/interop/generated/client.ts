// Sends, reads and polls with the types that openapi-typescript generates.
import createClient from 'openapi-fetch';
import type { paths } from './api.js';

declare const process: { env: Record<string, string>; exit(code: number): never };
const { SITE, EMAIL, KEY } = process.env as { SITE: string; EMAIL: string; KEY: string };
const api = createClient<paths>({
  baseUrl: `${SITE}/api/v1`,
  headers: { Authorization: `Basic ${btoa(`${EMAIL}:${KEY}`)}` },
});

function must<T>(answer: { data?: T; error?: unknown }): T {
  if (!answer.data) throw new Error(JSON.stringify(answer.error));
  return answer.data;
}

must(await api.POST('/users/me/subscriptions', { body: { subscriptions: [{ name: 'generated' }] } }));
const queue = must(await api.POST('/register', { body: { event_types: ['message'] } }));
const sent = must(
  await api.POST('/messages', { body: { type: 'channel', to: 'generated', topic: 'clients', content: 'Hello' } }),
);
const read = must(await api.GET('/messages/{message_id}', { params: { path: { message_id: sent.id } } }));
if (!read.message.content.includes('Hello')) throw new Error(JSON.stringify(read));
const polled = must(
  await api.GET('/events', { params: { query: { queue_id: queue.queue_id!, last_event_id: queue.last_event_id! } } }),
);
const seen = polled.events?.some((e) => e.type === 'message' && e.message.id === sent.id);
if (!seen) throw new Error(JSON.stringify(polled));
console.log('passed');
