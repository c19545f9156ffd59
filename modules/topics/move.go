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

// edited moves the policies of a topic that was moved as a whole. If only some messages were moved and they begin a
// topic, their sender has started it.
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
	u := human(v, m.Before.Sender)
	if u == nil || !permission.Reads(v, message.ChannelOf(v, m.To.Recipient), u) {
		return nil
	}
	_, err = s.applyTriggers(ctx, m.Realm, []*trigger{{user: u, message: m.After, did: topic.Wrote, moved: true}})
	return err
}

// movePolicies moves the policies of the users that a move affects. Deactivated users are treated as if they had been
// reactivated, except that they receive no events.
func (s *service) movePolicies(ctx context.Context, v *directory.View, m *message.Edited) error {
	from, to := at(m.From), at(m.To)
	rows, err := s.rows.In(ctx, from, to)
	if err != nil {
		return err
	}
	moved, there := map[user.ID]topic.Visibility{}, map[user.ID]topic.Visibility{}
	us := make([]user.ID, len(rows))
	for i, r := range rows {
		us[i] = r.UserID
		if r.place().Topic == from {
			moved[r.UserID] = r.Policy
		} else {
			there[r.UserID] = r.Policy
		}
	}
	all := idset.Of(us...)
	away := all.Minus(v.Active())
	if v, err = s.withReactivated(ctx, v, away, from.Channel, to.Channel); err != nil {
		return err
	}
	readers, err := s.readers(ctx, v, m, away)
	if err != nil {
		return err
	}
	var ids []user.ID
	for _, id := range all {
		if affectedByMove(v, m, v.User(id), readers) {
			ids = append(ids, id)
		}
	}
	target := v.Channel(to.Channel)
	var cs []changed
	var quiet []row
	set := func(u user.ID, p readstate.Topic, name string, had, policy topic.Visibility) {
		r := row{
			UserID:    u,
			ChannelID: p.Channel,
			TopicKey:  p.Key,
			RealmID:   m.Realm,
			Topic:     name,
			Policy:    policy,
			UpdatedAt: s.Clock.Now(),
		}
		switch {
		case had == policy && from != to:
		case away.Has(u):
			quiet = append(quiet, r)
		default:
			cs = append(cs, changed{r, had})
		}
	}
	for _, u := range ids {
		if from == to { // only the case has changed: rename the policy
			set(u, to, m.To.Topic, moved[u], moved[u])
			continue
		}
		set(u, from, m.From.Topic, moved[u], topic.None)
		hidden := away.Has(u) && from.Channel != to.Channel &&
			!target.HistoryPublic // reactivated users cannot read messages moved there
		if !hidden && permission.Reads(v, target, v.User(u)) {
			set(u, to, m.To.Topic, there[u], topic.Merged(moved[u], there[u], m.Fresh))
		}
	}
	if err := s.rows.Set(ctx, quiet...); err != nil {
		return err
	}
	return s.write(ctx, cs)
}

// affectedByMove reports whether a move affects u's policy. It does not if u can read neither the old nor the new
// channel or, in a channel with protected history, had none of the messages. Such a user's policy keeps the old name
// and applies again if the user returns to the channel. Moving it would reveal the new place of a topic that the user
// may be unable to access.
func affectedByMove(v *directory.View, m *message.Edited, u *user.User, readers user.Set) bool {
	source, target := v.Channel(at(m.From).Channel), v.Channel(at(m.To).Channel)
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
	away user.Set,
	cs ...channel.ID,
) (*directory.View, error) {
	if len(away) == 0 {
		return v, nil
	}
	kept := channel.KeptAmong{Realm: v.Realm().ID}
	var changes []directory.Change
	for _, id := range away {
		if u := v.User(id); u != nil {
			back := *u
			back.Active = true
			changes = append(changes, directory.OfUser(u, &back))
		}
		for _, c := range idset.Of(cs...) {
			kept.Subscriptions = append(kept.Subscriptions, channel.SubscriptionRef{User: id, Channel: c})
		}
	}
	restored, _, err := s.Kept.Ask(ctx, kept)
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
func (s *service) readers(ctx context.Context, v *directory.View, m *message.Edited, away user.Set) (user.Set, error) {
	away = away.And(v.Subscribers(at(m.From).Channel))
	if m.Readers == nil || len(away) == 0 {
		return m.Readers, nil
	}
	had, err := m.Had(ctx, away)
	return m.Readers.Union(had), err
}

// emptied removes the policies of a deleted topic. The policies of users who can no longer read the channel stay.
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
	away := idset.Of(us...).Minus(v.Active())
	if v, err = s.withReactivated(ctx, v, away, m.Channel); err != nil {
		return err
	}
	var cs []changed
	var quiet []row
	for _, r := range rows {
		had := r.Policy
		r.Policy, r.UpdatedAt = topic.None, s.Clock.Now()
		switch {
		case !permission.Reads(v, v.Channel(m.Channel), v.User(r.UserID)):
		case away.Has(r.UserID):
			quiet = append(quiet, r)
		default:
			cs = append(cs, changed{r, had})
		}
	}
	if err := s.rows.Set(ctx, quiet...); err != nil {
		return err
	}
	return s.write(ctx, cs)
}

func at(p message.Place) readstate.Topic {
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
