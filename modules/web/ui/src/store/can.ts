import type { Channel, CustomEmoji, GroupValue, Message, PermissionScope, User, UserGroup } from '../api/types.ts';
import { memo } from './cell.ts';
import type { Channels } from './channels.ts';
import type { Realm } from './realm.ts';
import { Role } from './roles.ts';
import type { Users } from './users.ts';

/** Facts is the part of the store that permissions depend on. */
interface Facts {
  users: Users;
  channels: Channels;
  realm: Realm;
  /** now is the current time in seconds. */
  now: number;
}

/** byOwners lists the organization's settings that administrators who are not owners cannot change. */
export const byOwners: ReadonlySet<string> = new Set([
  'authentication_methods',
  'can_create_groups',
  'can_invite_users_group',
  'can_manage_all_groups',
  'can_manage_billing_group',
  'create_multiuse_invite_group',
  'disallow_disposable_email_addresses',
  'emails_restricted_to_domains',
  'invite_required',
  'message_retention_days',
  'waiting_period_threshold',
]);

/** FEW_READERS is the largest number of subscribers whom everybody may mention together. */
const FEW_READERS = 15;

/**
 * Can decides what the current user may do, like the server's package permission, from groups and settings. Nothing is
 * remembered: what views compute from it follows every change. Methods named after actions in a channel, group or
 * message answer false if there is none. test/oracle compares each method with the server's decisions.
 */
export class Can {
  #facts: Facts;
  #mine: () => ReadonlySet<number>;

  constructor(facts: Facts) {
    this.#facts = facts;
    this.#mine = memo(() => groupsOf(facts.users), facts.users.groups.cell);
  }

  // The organization.

  administerOrganization(): boolean {
    return this.#role <= Role.administrator;
  }

  ownOrganization(): boolean {
    return this.#role <= Role.owner;
  }

  moderateOrganization(): boolean {
    return this.#role <= Role.moderator;
  }

  /** actAsMember reports whether the user is not a guest. */
  actAsMember(): boolean {
    return this.#role <= Role.member;
  }

  /** changeSetting takes the name of a setting of the organization on the wire. */
  changeSetting(name: string): boolean {
    return byOwners.has(name) ? this.ownOrganization() : this.administerOrganization();
  }

  /** invite reports whether the user may invite people by email. The server may be unable to send any. */
  invite(): boolean {
    return this.#holds('can_invite_users_group');
  }

  inviteByLink(): boolean {
    return this.#holds('create_multiuse_invite_group');
  }

  inviteAs(role: number): boolean {
    return role >= this.#role && (this.invite() || this.inviteByLink());
  }

  createPublicChannel(): boolean {
    return this.#holds('can_create_public_channel_group');
  }

  createPrivateChannel(): boolean {
    return this.#holds('can_create_private_channel_group');
  }

  createWebPublicChannel(): boolean {
    const { realm } = this.#facts;
    return (
      realm.flag('server_web_public_streams_enabled') &&
      realm.flag('realm_enable_spectator_access') &&
      this.#holds('can_create_web_public_channel_group')
    );
  }

  createGroup(): boolean {
    return this.#holds('can_create_groups');
  }

  createBots(): boolean {
    return this.#holds('can_create_bots_group');
  }

  createIncomingWebhooks(): boolean {
    return this.createBots() || this.#holds('can_create_write_only_bots_group');
  }

  exportWithoutConsent(): boolean {
    return this.ownOrganization() && this.#facts.realm.flag('realm_owner_full_content_access');
  }

  addEmoji(): boolean {
    return this.#holds('can_add_custom_emoji_group');
  }

  removeEmoji(emoji: CustomEmoji | undefined): boolean {
    if (!emoji) return false;
    return this.administerOrganization() || emoji.author_id === this.#facts.users.me;
  }

  changeOwnName(): boolean {
    return this.administerOrganization() || !this.#facts.realm.flag('realm_name_changes_disabled');
  }

  changeOwnEmail(): boolean {
    return this.administerOrganization() || !this.#facts.realm.flag('realm_email_changes_disabled');
  }

  changeOwnPicture(): boolean {
    return this.administerOrganization() || !this.#facts.realm.flag('realm_avatar_changes_disabled');
  }

  // Channels.

  administer(channel: Channel | undefined): boolean {
    return this.administerOrganization() || this.#inChannel(channel, 'can_administer_channel_group');
  }

  /** read reports whether the user may read messages of a channel: in protected history only those received. */
  read(channel: Channel | undefined): boolean {
    if (!channel) return false;
    if (channel.is_web_public || this.#facts.channels.subscribed.has(channel.stream_id)) return true;
    if (!this.actAsMember()) return false;
    return (
      !channel.invite_only ||
      this.#includes(channel.can_add_subscribers_group) ||
      this.#includes(channel.can_subscribe_group)
    );
  }

  /** seeHistory reports whether the user may read messages from before they subscribed. */
  seeHistory(channel: Channel | undefined): boolean {
    return (channel?.history_public_to_subscribers ?? false) && this.read(channel);
  }

  join(channel: Channel | undefined): boolean {
    return this.actAsMember() && this.read(channel);
  }

  /** post reports whether the user may send messages to a channel and, if given, to a topic that exists. */
  post(channel: Channel | undefined, topic?: string): boolean {
    if (!channel || channel.is_archived || !this.read(channel)) return false;
    if (!this.#includes(channel.can_send_message_group)) return false;
    if (topic === undefined) return true;
    const policy = this.#topicsPolicy(channel);
    return topic === '' ? policy !== 'disable_empty_topic' : policy !== 'empty_topic_only';
  }

  createTopic(channel: Channel | undefined): boolean {
    return this.post(channel) && this.#includes(channel?.can_create_topic_group);
  }

  subscribeOthers(channel: Channel | undefined): boolean {
    if (!this.actAsMember() || !this.read(channel)) return false;
    const name = 'can_add_subscribers_group';
    return this.administer(channel) || this.#inChannel(channel, name) || this.#holds(name);
  }

  unsubscribeOthers(channel: Channel | undefined): boolean {
    return this.administer(channel) || this.#inChannel(channel, 'can_remove_subscribers_group');
  }

  /** renameTopics and moveMessagesOut ignore the time limits; see renameTopicOf and moveMessage. */
  renameTopics(channel: Channel | undefined): boolean {
    return this.#changes(channel, 'can_move_messages_between_topics_group', 'can_move_messages_within_channel_group');
  }

  moveMessagesOut(channel: Channel | undefined): boolean {
    return this.#changes(
      channel,
      'can_move_messages_between_channels_group',
      'can_move_messages_out_of_channel_group',
    );
  }

  resolveTopics(channel: Channel | undefined): boolean {
    if (!this.#open(channel)) return false;
    const name = 'can_resolve_topics_group';
    return this.#holds(name) || this.#inChannel(channel, name);
  }

  deleteTopics(channel: Channel | undefined): boolean {
    return this.administerOrganization() && this.#open(channel);
  }

  makePublic(channel: Channel | undefined): boolean {
    return this.createPublicChannel() && this.grantAccess(channel);
  }

  makePrivate(channel: Channel | undefined): boolean {
    return this.createPrivateChannel() && this.grantAccess(channel);
  }

  makeWebPublic(channel: Channel | undefined): boolean {
    return this.createWebPublicChannel() && this.grantAccess(channel);
  }

  /** grantAccess reports whether the user may set who else can read a channel. */
  grantAccess(channel: Channel | undefined): boolean {
    return this.administer(channel) && this.read(channel);
  }

  setTopicsPolicy(channel: Channel | undefined): boolean {
    if (!this.administer(channel)) return false;
    return this.administerOrganization() || this.#holds('can_set_topics_policy_group');
  }

  /** setDeletePolicy reports whether the user may set who deletes messages of a channel. */
  setDeletePolicy(channel: Channel | undefined): boolean {
    if (!this.administer(channel)) return false;
    return this.administerOrganization() || this.#holds('can_set_delete_message_policy_group');
  }

  // Messages.

  /** message reports whether the user may write to people. begun is whether the conversation has messages. */
  message(people: readonly number[], begun: boolean): boolean {
    const { users, realm } = this.#facts;
    const others = people.filter((id) => id !== users.me);
    if (!others.every((id) => users.isActive(id))) return false;
    if (others.every((id) => users.get(id)?.is_bot)) return true;
    const permitted = realm.group('realm_direct_message_permission_group');
    const initiators = realm.group('realm_direct_message_initiator_group');
    return (
      (this.#includes(permitted) || others.some((id) => users.inGroup(permitted, id))) &&
      (begun || this.#includes(initiators))
    );
  }

  /** react reports whether the user may react to a message, vote in its poll, or change its list of tasks. */
  react(m: Message): boolean {
    return this.#inOpen(m);
  }

  mentionMany(): boolean {
    return this.#holds('can_mention_many_users_group');
  }

  /** mentionAll reports whether the user may mention all subscribers of a channel. */
  mentionAll(channel: Channel | undefined): boolean {
    return (channel?.subscriber_count ?? 0) <= FEW_READERS || this.mentionMany();
  }

  editMessage(m: Message): boolean {
    return this.editMessageEver(m) && this.#inTime(m, 'message_content_edit_limit_seconds');
  }

  /** editMessageEver ignores the time limit. */
  editMessageEver(m: Message): boolean {
    const { users, realm } = this.#facts;
    if (m.sender_id !== users.me || m.submessages.length > 0) return false;
    return realm.flag('realm_allow_message_editing') && this.#inOpen(m);
  }

  deleteMessage(m: Message): boolean {
    if (!this.#inOpen(m)) return false;
    return (
      this.#holdsFor(m, 'can_delete_any_message_group') ||
      (this.deleteMessageEver(m) && this.#inTime(m, 'message_content_delete_limit_seconds'))
    );
  }

  /** deleteMessageEver ignores the time limit. */
  deleteMessageEver(m: Message): boolean {
    if (!this.#inOpen(m)) return false;
    if (this.#holdsFor(m, 'can_delete_any_message_group')) return true;
    const { users } = this.#facts;
    const sender = users.get(m.sender_id);
    const own = m.sender_id === users.me || (sender?.is_bot && sender.bot_owner_id === users.me);
    return !!own && this.#holdsFor(m, 'can_delete_own_message_group');
  }

  /** renameTopicOf reports whether the user may move a message to another topic of its channel. */
  renameTopicOf(m: Message): boolean {
    return (
      this.renameTopics(this.#channelOf(m)) &&
      (this.moderateOrganization() || this.#inTime(m, 'move_messages_within_stream_limit_seconds'))
    );
  }

  /** moveMessage reports whether the user may move a message to another channel. */
  moveMessage(m: Message): boolean {
    return (
      this.moveMessagesOut(this.#channelOf(m)) &&
      (this.moderateOrganization() || this.#inTime(m, 'move_messages_between_streams_limit_seconds'))
    );
  }

  // Groups.

  manageGroup(g: UserGroup | undefined): boolean {
    if (!g || g.is_system_group) return false;
    return this.#holds('can_manage_all_groups') || this.#inGroup(g, 'can_manage_group');
  }

  addToGroup(g: UserGroup | undefined): boolean {
    return this.manageGroup(g) || this.#inGroup(g, 'can_add_members_group');
  }

  joinGroup(g: UserGroup | undefined): boolean {
    return this.addToGroup(g) || this.#inGroup(g, 'can_join_group');
  }

  removeFromGroup(g: UserGroup | undefined): boolean {
    return this.manageGroup(g) || this.#inGroup(g, 'can_remove_members_group');
  }

  leaveGroup(g: UserGroup | undefined): boolean {
    return this.removeFromGroup(g) || (this.actAsMember() && this.#inGroup(g, 'can_leave_group'));
  }

  mentionGroup(g: UserGroup | undefined): boolean {
    return !g?.deactivated && this.#inGroup(g, 'can_mention_group');
  }

  // People.

  seeEmail(person: User | undefined): boolean {
    return !!person && (person.is_bot || typeof person.delivery_email === 'string');
  }

  changePerson(person: User | undefined): boolean {
    if (!person || person.is_system_bot) return false;
    return this.administerOrganization() || (person.is_bot && person.bot_owner_id === this.#facts.users.me);
  }

  /** changeRole and deactivatePerson do not check that an owner remains; the server's refusal says so. */
  changeRole(person: User | undefined, to: number): boolean {
    if (!person || !this.administerOrganization()) return false;
    return (person.role !== Role.owner && to !== Role.owner) || this.ownOrganization();
  }

  deactivatePerson(person: User | undefined): boolean {
    return this.changePerson(person) && (person?.role !== Role.owner || this.ownOrganization());
  }

  /** manageBot reports whether the user may change a bot and read its key. */
  manageBot(bot: User | undefined): boolean {
    if (!bot?.is_bot || bot.is_system_bot) return false;
    if (bot.bot_owner_id === this.#facts.users.me) return true;
    return this.administerOrganization() && bot.role >= this.#role;
  }

  get #role(): number {
    return this.#facts.users.self?.role ?? Role.guest;
  }

  /** #includes reports whether a value of a permission setting includes the user. */
  #includes(value: GroupValue | undefined): boolean {
    if (value === undefined) return false;
    if (typeof value === 'number') return this.#mine().has(value);
    return (
      value.direct_members.includes(this.#facts.users.me) || value.direct_subgroups.some((g) => this.#mine().has(g))
    );
  }

  /** #allowed is like #includes, but never admits guests to settings that do not accept role:everyone. */
  #allowed(scope: PermissionScope, name: string, value: GroupValue | undefined): boolean {
    const rule = this.#facts.realm.permissionRules[scope][name];
    if (!this.actAsMember() && !rule?.allow_everyone_group) return false;
    return this.#includes(value);
  }

  #holds(name: string): boolean {
    return this.#allowed('realm', name, this.#facts.realm.group(`realm_${name}`));
  }

  #inChannel(channel: Channel | undefined, name: keyof Channel & `can_${string}`): boolean {
    return this.#allowed('stream', name, channel?.[name]);
  }

  #inGroup(g: UserGroup | undefined, name: keyof UserGroup & `can_${string}`): boolean {
    return !!g && !g.is_system_group && this.#allowed('group', name, g[name]);
  }

  #channelOf(m: Message): Channel | undefined {
    return m.stream_id === undefined ? undefined : this.#facts.channels.get(m.stream_id);
  }

  /** #holdsFor reports whether the user has a permission of the organization, or for the channel of a message. */
  #holdsFor(m: Message, name: 'can_delete_any_message_group' | 'can_delete_own_message_group'): boolean {
    return this.#holds(name) || this.#inChannel(this.#channelOf(m), name);
  }

  /** #open reports whether the user can read a channel and its messages can be changed. */
  #open(channel: Channel | undefined): boolean {
    return !channel?.is_archived && this.read(channel);
  }

  #inOpen(m: Message): boolean {
    return m.type === 'private' || this.#open(this.#channelOf(m));
  }

  #changes(channel: Channel | undefined, ofRealm: string, ofChannel: keyof Channel & `can_${string}`): boolean {
    if (!this.#open(channel)) return false;
    return this.#holds(ofRealm) || this.#inChannel(channel, ofChannel) || this.administer(channel);
  }

  #topicsPolicy(channel: Channel): string {
    const own = channel.topics_policy;
    return own === undefined || own === 'inherit' ? this.#facts.realm.text('realm_topics_policy') : own;
  }

  #inTime(m: Message, name: string): boolean {
    const limit = this.#facts.realm.limit(`realm_${name}`);
    return limit === undefined || this.#facts.now - m.timestamp <= limit;
  }
}

/** groupsOf returns the groups that contain the current user, directly or through subgroups. */
function groupsOf(users: Users): ReadonlySet<number> {
  const above = new Map<number, number[]>();
  const found = new Set<number>();
  const add = (id: number) => {
    if (found.has(id)) return;
    found.add(id);
    above.get(id)?.forEach(add);
  };
  const groups = [...users.groups.values()];
  for (const g of groups) {
    for (const sub of g.direct_subgroup_ids) {
      const known = above.get(sub);
      if (known) known.push(g.id);
      else above.set(sub, [g.id]);
    }
  }
  for (const g of groups) if (g.members.includes(users.me)) add(g.id);
  return found;
}
