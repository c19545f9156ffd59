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

// edited moves the policies of a topic that was moved as a whole. If only some messages were moved, their senders take
// along policies that they acquired by writing, and the sender of the edited message may have started the new topic.
func (s *service) edited(ctx context.Context, m *message.Edited) error {
	if m.Moved == nil {
		return nil
	}
	v, err := s.Directory.View(ctx, m.Realm)
	if err != nil {
		return err
	}
	if m.Whole {
		return s.movePolicies(ctx, v, m)
	}
	return s.carryPolicies(ctx, v, m)
}

// movePolicies moves the policies of the users that a move affects. Deactivated users are treated as if they had been
// reactivated, except that they receive no events.
func (s *service) movePolicies(ctx context.Context, v *directory.View, m *message.Edited) error {
	from, to := topicAt(m.From), topicAt(m.To)
	rows, err := s.rows.In(ctx, from, to)
	if err != nil {
		return err
	}
	moved, existing := map[user.ID]row{}, map[user.ID]row{}
	us := make([]user.ID, len(rows))
	for i, r := range rows {
		us[i] = r.UserID
		if r.key().Topic == from {
			moved[r.UserID] = r
		} else {
			existing[r.UserID] = r
		}
	}
	all := idset.Of(us...)
	deactivated := all.Minus(v.Active())
	if v, err = s.withReactivated(ctx, v, deactivated, from.Channel, to.Channel); err != nil {
		return err
	}
	readers, err := s.readers(ctx, v, m, deactivated)
	if err != nil {
		return err
	}
	var ids []user.ID
	for _, id := range all {
		if affectedByMove(v, m, v.User(id), readers) {
			ids = append(ids, id)
		}
	}
	var cs []changed
	var silent []row
	set := func(u user.ID, p readstate.Topic, name string, had, now row) {
		r := row{
			UserID:    u,
			ChannelID: p.Channel,
			TopicKey:  p.Key,
			RealmID:   m.Realm,
			Topic:     name,
			Policy:    now.Policy,
			Automatic: now.Automatic,
			UpdatedAt: s.Clock.Now(),
		}
		switch {
		case had.Policy == now.Policy && had.Automatic == now.Automatic && from != to:
		case deactivated.Has(u), had.Policy == now.Policy && from != to:
			silent = append(silent, r)
		default:
			cs = append(cs, changed{r, had.Policy})
		}
	}
	for _, u := range ids {
		if from == to { // only the case has changed: rename the policy
			set(u, to, m.To.Topic, moved[u], moved[u])
			continue
		}
		set(u, from, m.From.Topic, moved[u], row{})
		if mayFollowTo(v, m, u, deactivated) {
			set(u, to, m.To.Topic, existing[u], merged(moved[u], existing[u], m.Fresh))
		}
	}
	if err := s.rows.Set(ctx, silent...); err != nil {
		return err
	}
	return s.write(ctx, cs)
}

// merged returns the policy that results for the new topic, and whether it was acquired automatically.
func merged(moved, there row, fresh bool) row {
	r := row{Policy: topic.Merged(moved.Policy, there.Policy, fresh)}
	r.Automatic = r.Policy == moved.Policy && moved.Automatic || r.Policy == there.Policy && there.Automatic
	return r
}

// mayFollowTo reports whether a user affected by a move can read the new place. v is a view returned by
// withReactivated.
func mayFollowTo(v *directory.View, m *message.Edited, u user.ID, deactivated user.Set) bool {
	from, target := topicAt(m.From).Channel, v.Channel(topicAt(m.To).Channel)
	// In a channel with protected history, reactivated users cannot read messages moved there.
	hidden := deactivated.Has(u) && from != target.ID && !target.HistoryPublic
	return !hidden && permission.Reads(v, target, v.User(u))
}

// affectedByMove reports whether a move affects u's policy. It does not if u can read neither the old nor the new
// channel or, in a channel with protected history, had none of the messages. The policy of such a user stays in place
// and applies again if the user regains access. Moving it would reveal the new place of a topic that the user may be
// unable to access.
func affectedByMove(v *directory.View, m *message.Edited, u *user.User, readers user.Set) bool {
	source, target := v.Channel(topicAt(m.From).Channel), v.Channel(topicAt(m.To).Channel)
	switch {
	case u == nil:
		return false
	case m.Readers != nil:
		return readers.Has(u.ID) || permission.ReadsAll(v, target, u)
	}
	return permission.Reads(v, source, u) || permission.Reads(v, target, u)
}

// withReactivated returns the view as if deactivated users had been reactivated, with their subscriptions to the given
// channels restored.
func (s *service) withReactivated(
	ctx context.Context,
	v *directory.View,
	deactivated user.Set,
	cs ...channel.ID,
) (*directory.View, error) {
	if len(deactivated) == 0 {
		return v, nil
	}
	query := channel.KeptAmong{Realm: v.Realm().ID}
	var changes []directory.Change
	for _, id := range deactivated {
		if u := v.User(id); u != nil {
			reactivated := *u
			reactivated.Active = true
			changes = append(changes, directory.OfUser(u, &reactivated))
		}
		for _, c := range idset.Of(cs...) {
			query.Subscriptions = append(query.Subscriptions, channel.SubscriptionRef{User: id, Channel: c})
		}
	}
	restored, _, err := s.Kept.Ask(ctx, query)
	if err != nil {
		return nil, err
	}
	subscribers := map[channel.ID][]user.ID{}
	for _, k := range restored {
		subscribers[k.Channel] = append(subscribers[k.Channel], k.User)
	}
	for c, us := range subscribers {
		changes = append(changes, directory.Change{Subs: &directory.Subs{Channel: c, Add: idset.Of(us...)}})
	}
	return v.Apply(v.Seq(), changes...), nil
}

// readers returns the users who had one of the moved messages in a channel with protected history, including those who
// were subscribed when they were deactivated. v is a view returned by withReactivated.
func (s *service) readers(
	ctx context.Context, v *directory.View, m *message.Edited, deactivated user.Set,
) (user.Set, error) {
	deactivated = deactivated.And(v.Subscribers(topicAt(m.From).Channel))
	if m.Readers == nil || len(deactivated) == 0 {
		return m.Readers, nil
	}
	had, err := m.Had(ctx, deactivated)
	return m.Readers.Union(had), err
}

// emptied removes the policies of a deleted topic, except those of users who can no longer read the channel.
// Deactivated users are treated as if they had been reactivated, except that they receive no events.
func (s *service) emptied(ctx context.Context, m *message.Emptied) error {
	v, err := s.Directory.View(ctx, m.Realm)
	if err != nil {
		return err
	}
	rows, err := s.rows.In(ctx, readstate.Topic{Channel: m.Channel, Key: m.Key})
	if err != nil {
		return err
	}
	us := make([]user.ID, len(rows))
	for i, r := range rows {
		us[i] = r.UserID
	}
	deactivated := idset.Of(us...).Minus(v.Active())
	if v, err = s.withReactivated(ctx, v, deactivated, m.Channel); err != nil {
		return err
	}
	var cs []changed
	var silent []row
	for _, r := range rows {
		had := r.Policy
		r.Policy, r.UpdatedAt = topic.None, s.Clock.Now()
		switch {
		case !permission.Reads(v, v.Channel(m.Channel), v.User(r.UserID)):
		case deactivated.Has(r.UserID):
			silent = append(silent, r)
		default:
			cs = append(cs, changed{r, had})
		}
	}
	if err := s.rows.Set(ctx, silent...); err != nil {
		return err
	}
	return s.write(ctx, cs)
}

func topicAt(p message.TopicRef) readstate.Topic {
	c, _ := p.Recipient.Channel()
	return readstate.Topic{Channel: c, Key: topic.Key(p.Topic)}
}

// followers answers [readstate.TopicFollowers].
func (s *service) followers(ctx context.Context, q readstate.TopicFollowers) (user.Set, error) {
	rows, err := s.rows.In(ctx, q.Topic)
	var us []user.ID
	for _, r := range rows {
		if r.Policy == topic.Followed {
			us = append(us, r.UserID)
		}
	}
	return idset.Of(us...), err
}
