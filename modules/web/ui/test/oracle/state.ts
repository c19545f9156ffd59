import type { Store } from '../../src/store/store.ts';
import { key } from '../../src/store/narrow.ts';

const sorted = (ids: Iterable<number>) => [...ids].sort((a, b) => a - b);
const byKey = <T>(list: Iterable<T>, of: (t: T) => string | number) =>
  Object.fromEntries([...list].map((t) => [String(of(t)), t]));

/** derived matches registration values that clients compute from groups and settings, or that no event updates. */
const derived = /^server_|^max_message_id|^realm_(filters|wildcard_mention_policy|create_\w+_policy)/;

/** state returns the store's state as far as views show it, independent of order. */
export function state(store: Store): Record<string, unknown> {
  const { users, channels, personal, unread, messages, drafts, emoji, realm } = store;
  return {
    users: Object.fromEntries(
      [...users.byID.values()].map((u) => [
        u.user_id,
        {
          name: u.full_name,
          email: u.email,
          delivery: u.delivery_email,
          avatar: u.avatar_url,
          bot: u.is_bot,
          role: u.role,
          roles: [u.is_owner, u.is_admin, u.is_guest],
          zone: u.timezone,
          active: users.isActive(u.user_id),
        },
      ]),
    ),
    groups: byKey(
      [...users.groups.values()].map((g) => ({
        ...g,
        members: sorted(g.members),
        direct_subgroup_ids: sorted(g.direct_subgroup_ids),
      })),
      (g) => g.id,
    ),
    bots: byKey(users.bots.values(), (b) => b.user_id),
    statuses: Object.fromEntries(users.statuses),
    muted: sorted(users.muted),
    channels: Object.fromEntries(
      [...channels.all.values()].map((c) => [
        c.stream_id,
        {
          name: c.name,
          description: c.description,
          rendered: c.rendered_description,
          private: c.invite_only,
          archived: c.is_archived,
          folder: c.folder_id,
          post: c.can_send_message_group,
          administer: c.can_administer_channel_group,
          topics: c.topics_policy,
          history: c.history_public_to_subscribers,
          count: c.subscriber_count,
        },
      ]),
    ),
    subscriptions: Object.fromEntries(
      [...channels.subscribed.values()].map((c) => [
        c.stream_id,
        { name: c.name, color: c.color, muted: c.is_muted, pinned: c.pin_to_top, folder: c.folder_id },
      ]),
    ),
    folders: byKey(channels.folders, (f) => f.id),
    policies: channels.topics(),
    unread: Object.fromEntries(unread.all().map((u) => [key(u.conversation), u.count])),
    starred: sorted(messages.starred),
    settings: personal.settings,
    scheduled: byKey(personal.scheduled, (s) => s.scheduled_message_id),
    reminders: byKey(personal.reminders, (r) => r.reminder_id),
    snippets: byKey(personal.snippets, (s) => s.id),
    views: byKey(personal.views, (v) => v.fragment),
    alertWords: [...personal.alertWords].sort(),
    fields: byKey(personal.fields, (f) => f.id),
    drafts: Object.fromEntries(drafts.byID),
    emoji: emoji.search('', 1000).filter((e) => e.url),
    linkifiers: realm.linkifiers,
    playgrounds: realm.playgrounds,
    domains: byKey(realm.domains, (d) => d.domain),
    defaultChannels: sorted(realm.defaultChannels),
    userDefaults: realm.userDefaults,
    realm: Object.fromEntries(realm.entries().filter(([name]) => !derived.test(name))),
  };
}
