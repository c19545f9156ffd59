// Compares what Can decides with what the server has decided about the same user at the same time.
import type { Message } from '../../src/api/types.ts';
import type { Can } from '../../src/store/can.ts';
import type { Store } from '../../src/store/store.ts';

type Kind = 'channel' | 'emoji' | 'group' | 'message' | 'person' | 'plain';
type Argument = string | number | boolean | number[];

/** Permissions holds the server's decisions after the first events of a recording, by the methods of Can. */
export interface Permissions {
  after: number;
  now: number;
  messages: Message[];
  /** can lists calls: the arguments, followed by the answer. */
  can: Record<string, [...Argument[], boolean][]>;
}

/** parameters lists every method of Can with its parameters, which are recorded as IDs unless they are plain. */
export const parameters: Record<keyof Can, readonly Kind[]> = {
  administerOrganization: [],
  ownOrganization: [],
  moderateOrganization: [],
  actAsMember: [],
  changeSetting: ['plain'],
  invite: [],
  inviteByLink: [],
  inviteAs: ['plain'],
  createPublicChannel: [],
  createPrivateChannel: [],
  createWebPublicChannel: [],
  createGroup: [],
  createBots: [],
  createIncomingWebhooks: [],
  exportWithoutConsent: [],
  addEmoji: [],
  removeEmoji: ['emoji'],
  changeOwnName: [],
  changeOwnEmail: [],
  changeOwnPicture: [],
  administer: ['channel'],
  read: ['channel'],
  seeHistory: ['channel'],
  join: ['channel'],
  post: ['channel', 'plain'],
  createTopic: ['channel'],
  subscribeOthers: ['channel'],
  unsubscribeOthers: ['channel'],
  renameTopics: ['channel'],
  moveMessagesOut: ['channel'],
  resolveTopics: ['channel'],
  deleteTopics: ['channel'],
  makePublic: ['channel'],
  makePrivate: ['channel'],
  makeWebPublic: ['channel'],
  grantAccess: ['channel'],
  setTopicsPolicy: ['channel'],
  setDeletePolicy: ['channel'],
  message: ['plain', 'plain'],
  mentionMany: [],
  mentionAll: ['channel'],
  react: ['message'],
  editMessage: ['message'],
  editMessageEver: ['message'],
  deleteMessage: ['message'],
  deleteMessageEver: ['message'],
  renameTopicOf: ['message'],
  moveMessage: ['message'],
  manageGroup: ['group'],
  addToGroup: ['group'],
  joinGroup: ['group'],
  removeFromGroup: ['group'],
  leaveGroup: ['group'],
  mentionGroup: ['group'],
  seeEmail: ['person'],
  changePerson: ['person'],
  changeRole: ['person', 'plain'],
  deactivatePerson: ['person'],
  manageBot: ['person'],
};

/** constant lists methods that these recordings give one answer only. */
const constant = new Map<string, string>([
  ['exportWithoutConsent', 'the operator alone permits it, and the recording server does not'],
]);

/** disagreements lists the calls of Can whose answers differ from the server's. */
export function disagreements(store: Store, p: Permissions): string[] {
  const messages = new Map(p.messages.map((m) => [m.id, m]));
  const emoji = new Map(store.emoji.own().map((e) => [e.id, e]));
  const resolve: Record<Kind, (id: Argument) => unknown> = {
    channel: (id) => store.channels.get(Number(id)),
    emoji: (id) => emoji.get(String(id)),
    group: (id) => store.users.groups.get(Number(id)),
    message: (id) => messages.get(Number(id)),
    person: (id) => store.users.get(Number(id)),
    plain: (value) => value,
  };
  return Object.entries(p.can).flatMap(([name, calls]) =>
    calls.flatMap((call) => {
      const args = call.slice(0, -1);
      const given = args.map((a, i) => resolve[parameters[name as keyof Can][i]!](a));
      const rules = store.can as unknown as Record<string, (...args: unknown[]) => boolean>;
      const answer = rules[name]!(...given);
      return answer === call.at(-1) ? [] : [`${name}(${JSON.stringify(args).slice(1, -1)}) is ${String(answer)}`];
    }),
  );
}

/** uncovered lists the methods that have not been compared with both answers of the server. */
export function uncovered(all: Iterable<Permissions>): string[] {
  const answers = new Map<string, Set<boolean>>();
  for (const p of all) {
    for (const [name, calls] of Object.entries(p.can)) {
      const seen = answers.get(name) ?? new Set();
      for (const call of calls) seen.add(call.at(-1) as boolean);
      answers.set(name, seen);
    }
  }
  return Object.keys(parameters).filter((name) => (answers.get(name)?.size ?? 0) < (constant.has(name) ? 1 : 2));
}
