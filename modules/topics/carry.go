package topics

import (
	"context"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/domain/topic"
	"github.com/stoachat/stoa/domain/user"
)

// carryPolicies changes policies for the new topic after a part of a topic was moved there. Those for the former topic
// stay, so that whoever follows it by having written there goes on following both. The number of queries and rows
// depends only on the number of senders of the moved messages.
func (s *service) carryPolicies(ctx context.Context, v *directory.View, m *message.Edited) error {
	var ts []*trigger
	u := human(v, m.Before.Sender)
	if u != nil && permission.Reads(v, message.ChannelOf(v, m.To.Recipient), u) {
		ts = append(ts, &trigger{user: u, message: m.After, did: topic.Wrote, moved: true})
	}
	cs, err := s.triggered(ctx, m.Realm, ts)
	if err != nil {
		return err
	}
	carried, deactivated, err := s.carried(ctx, v, m)
	if err != nil {
		return err
	}
	var silent []row
	for _, c := range carried {
		switch {
		case deactivated.Has(c.UserID):
			silent = append(silent, c.row)
		case len(cs) > 0 && cs[0].key() == c.key(): // the sender has also started the new topic
			cs[0].Policy = topic.Merged(c.Policy, cs[0].Policy, false)
		default:
			cs = append(cs, c)
		}
	}
	if err := s.rows.Set(ctx, silent...); err != nil {
		return err
	}
	return s.write(ctx, cs)
}

// carried returns the policies for the new topic that senders of the moved messages take along, if they are more
// visible than those they have there, and which of the senders are deactivated. These are treated as if they had been
// reactivated, except that they receive no events.
func (s *service) carried(
	ctx context.Context, v *directory.View, m *message.Edited,
) ([]changed, user.Set, error) {
	from, to := topicAt(m.From), topicAt(m.To)
	if from == to {
		return nil, nil, nil
	}
	var keys []policyKey
	for _, id := range m.Senders {
		if u := v.User(id); u != nil && !u.IsBot() && !u.System {
			keys = append(keys, policyKey{id, from}, policyKey{id, to})
		}
	}
	had, err := s.rows.At(ctx, keys)
	if err != nil {
		return nil, nil, err
	}
	var ids []user.ID
	for _, k := range keys {
		if p := had[k].Policy; k.Topic == from && (p == topic.Unmuted || p == topic.Followed) {
			ids = append(ids, k.User)
		}
	}
	us := idset.Of(ids...)
	deactivated := us.Minus(v.Active())
	if v, err = s.withReactivated(ctx, v, deactivated, from.Channel, to.Channel); err != nil {
		return nil, nil, err
	}
	readers, err := s.readers(ctx, v, m, deactivated)
	if err != nil {
		return nil, nil, err
	}
	inMuted, err := s.whoMuted(ctx, v, us, from, had)
	if err != nil {
		return nil, nil, err
	}
	var cs []changed
	for _, id := range us {
		there := had[policyKey{id, to}].Policy
		muted := inMuted[channel.SubscriptionRef{User: id, Channel: from.Channel}]
		policy := carriedBy(v.User(id), had[policyKey{id, from}], muted)
		if policy == topic.None || topic.Merged(policy, there, false) == there ||
			!affectedByMove(v, m, v.User(id), readers) || !mayFollowTo(v, m, id, deactivated) {
			continue
		}
		cs = append(cs, changed{row{
			UserID: id, ChannelID: to.Channel, TopicKey: to.Key, RealmID: m.Realm, Topic: m.To.Topic, Policy: policy,
			Automatic: true, UpdatedAt: s.Clock.Now(),
		}, there})
	}
	return cs, deactivated, nil
}

// carriedBy returns the policy that a user takes along.
func carriedBy(u *user.User, had row, inMuted bool) topic.Visibility {
	return topic.Carried(had.Policy, had.Automatic, topic.When(u.Settings.AutomaticallyFollowTopicsPolicy),
		topic.When(u.Settings.AutomaticallyUnmuteTopicsPolicy), inMuted)
}

// whoMuted reports which users have muted the channel of a topic, if this makes a difference to what they take along.
func (s *service) whoMuted(
	ctx context.Context, v *directory.View, us user.Set, at readstate.Topic, had map[policyKey]row,
) (map[channel.SubscriptionRef]bool, error) {
	query := channel.MutedAmong{Realm: v.Realm().ID}
	for _, id := range us {
		r := had[policyKey{id, at}]
		if u := v.User(id); carriedBy(u, r, true) != carriedBy(u, r, false) {
			query.Subscriptions = append(query.Subscriptions, channel.SubscriptionRef{User: id, Channel: at.Channel})
		}
	}
	if len(query.Subscriptions) == 0 {
		return nil, nil
	}
	muted, _, err := s.Muted.Ask(ctx, query)
	return muted, err
}
