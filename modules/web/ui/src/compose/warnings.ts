import type { Channel } from '../api/types.ts';
import { calls, store } from '../client.ts';
import { channelName, personName } from '../format/names.ts';
import { attempt } from '../shell/ui.svelte.ts';
import { toggleResolved } from '../sidebar/menus.ts';
import { Policy } from '../store/channels.ts';
import { isResolved } from '../store/messages.ts';
import type { Conversation } from '../store/narrow.ts';
import { text } from '../texts/index.ts';
import { mentionsIn, type Mentions } from './mentions.ts';

/** Warning is something that the writer of a message should know before sending it. */
export interface Warning {
  key: string;
  text: string;
  /** action remedies it, if the user may do that. */
  action?: { label: string; run: () => void } | undefined;
}

/** MANY is the number of people from which a mention counts as large. The server restricts who may use those. */
const MANY = 15;

const names = (users: readonly number[]) => text.list(users.map(personName));

/** refusal returns why the server would refuse any message from the user to a conversation. */
export function refusal(to: Conversation): string | undefined {
  if (to.kind === 'topic') return store.can.post(store.channels.get(to.channel)) ? undefined : text.mayNotWrite;
  const inactive = to.users.filter((u) => !store.users.isActive(u));
  if (inactive.length > 0) return text.recipientsDeactivated(names(inactive));
  return store.can.message(to.users, store.recent.has(to)) ? undefined : text.mayNotWrite;
}

/** warningsFor returns the warnings for a message. */
export function warningsFor(to: Conversation | undefined, content: string): Warning[] {
  const mentions = mentionsIn(content);
  const refused = to && refusal(to);
  const found = refused ? [{ key: 'refused', text: refused }] : to?.kind === 'dm' ? aboutRecipients(to.users) : [];
  if (!to || content.trim() === '') return found;
  const inactive = mentions.people.map((u) => u.user_id).filter((u) => !store.users.isActive(u));
  if (inactive.length > 0) found.push({ key: 'inactive', text: text.mentionsDeactivated(names(inactive)) });
  return [...found, ...(to.kind === 'dm' ? outside(to.users, mentions) : aboutTopic(to.channel, to.topic, mentions))];
}

/** unreached returns the mentioned people whom the author has to be warned about, if they do not get the message. */
export function unreached(to: Conversation, content: string): number[] {
  return mentionsIn(content)
    .people.map((u) => u.user_id)
    .filter((u) => u !== store.me && store.users.isActive(u) && (to.kind === 'topic' || !to.users.includes(u)));
}

function aboutRecipients(users: readonly number[]): Warning[] {
  const found: Warning[] = [];
  const muted = users.filter((u) => store.users.muted.has(u));
  if (muted.length > 0) {
    const unmute = () => muted.forEach((u) => void attempt(calls.setMutedUser(u, false)));
    found.push({
      key: 'muted',
      text: text.recipientsMuted(names(muted)),
      action: { label: text.unmuteUser, run: unmute },
    });
  }
  return found;
}

/** outside warns of mentions of people who are not in the direct conversation. */
function outside(users: readonly number[], { people }: Mentions): Warning[] {
  const others = people
    .map((u) => u.user_id)
    .filter((u) => u !== store.me && !users.includes(u) && store.users.isActive(u));
  return others.length > 0 ? [{ key: 'outside', text: text.mentionsOutside(names(others)) }] : [];
}

function aboutTopic(channel: number, topic: string, mentions: Mentions): Warning[] {
  const found: Warning[] = [];
  const c = store.channels.get(channel);
  const absent = mentions.people
    .map((u) => u.user_id)
    .filter((u) => u !== store.me && store.users.isActive(u) && store.subscribers.has(channel, u) === false);
  if (absent.length > 0) {
    const subscribe = () => void attempt(calls.subscribe(channelName(channel), absent));
    found.push({
      key: 'absent',
      text: (c?.invite_only ? text.mentionsWithoutAccess : text.mentionsNotSubscribed)(names(absent)),
      action: store.can.subscribeOthers(c) ? { label: text.subscribeThem, run: subscribe } : undefined,
    });
  }
  const many = largest(c, mentions);
  if (many > MANY) found.push({ key: 'many', text: text.mentionsMany(many) });
  if (isResolved(topic)) {
    const unresolve = () => void toggleResolved(channel, topic);
    found.push({
      key: 'resolved',
      text: text.topicResolved,
      action: store.can.resolveTopics(c) ? { label: text.unresolve, run: unresolve } : undefined,
    });
  }
  if (c && !store.channels.inHome(channel, topic)) {
    const policy = store.channels.subscribed.get(channel)?.is_muted ? Policy.unmuted : Policy.none;
    const unmute = () => void attempt(calls.setPolicy(channel, topic, policy));
    found.push({ key: 'quiet', text: text.topicMuted, action: { label: text.unmute, run: unmute } });
  }
  return found;
}

/** largest returns the number of people in the largest mentioned group. */
function largest(c: Channel | undefined, { groups, everybody }: Mentions): number {
  const sizes = groups.map((g) => store.users.membersOf(g.id).length);
  return Math.max(0, ...sizes, everybody ? (c?.subscriber_count ?? 0) : 0);
}
