package topics

import (
	"context"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/domain/topic"
	"github.com/stoachat/stoa/domain/user"
)

// edited lets policies follow a topic that was moved as a whole; who begins a topic by what was moved out of another has started
// it (messages.md §10.9).
func (s *service) edited(ctx context.Context, m *message.Edited) error {
	if m.Moved == nil {
		return nil
	}
	v, err := s.Directory.View(ctx, m.Realm)
	if err != nil {
		return err
	}
	if m.Whole {
		return s.follow(ctx, v, m)
	}
	u := human(v, m.Before.Sender)
	if u == nil || !permission.Reads(v, message.ChannelOf(v, m.To.Recipient), u) {
		return nil
	}
	_, err = s.raise(ctx, m.Realm, []*wish{{user: u, message: m.After, did: topic.Wrote, moved: true}})
	return err
}

func (s *service) follow(ctx context.Context, v *directory.View, m *message.Edited) error {
	from, to := at(m.From), at(m.To)
	if from == to {
		return s.rows.Rename(ctx, to, m.To.Topic)
	}
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
	target := v.Channel(to.Channel)
	var cs []changed
	set := func(u user.ID, p readstate.Topic, name string, had, policy topic.Visibility) {
		if had != policy {
			r := row{UserID: u, ChannelID: p.Channel, TopicKey: p.Key, RealmID: m.Realm, Topic: name, Policy: policy, UpdatedAt: s.Clock.Now()}
			cs = append(cs, changed{r, had})
		}
	}
	for _, u := range idset.Of(us...) {
		if m.Readers != nil && !m.Readers.Has(u) && !permission.ReadsAll(v, target, v.User(u)) {
			continue // they have nothing of it, and do not learn where it is
		}
		set(u, from, m.From.Topic, moved[u], topic.None)
		if permission.Reads(v, target, v.User(u)) {
			set(u, to, m.To.Topic, there[u], topic.Merged(moved[u], there[u], m.Fresh))
		}
	}
	return s.write(ctx, cs)
}

// emptied takes away what people have set for a topic that was deleted (channels.md, delete_topic). Who may not read the channel any
// more does not learn of it; who is not active has nothing to be told, and nothing of it when they are back.
func (s *service) emptied(ctx context.Context, m *message.Emptied) error {
	v, err := s.Directory.View(ctx, m.Realm)
	if err != nil {
		return err
	}
	rows, err := s.rows.In(ctx, readstate.Topic{Channel: m.Channel, Key: m.Key})
	if err != nil {
		return err
	}
	var cs []changed
	var away []row
	for _, r := range rows {
		u, had := v.User(r.UserID), r.Policy
		r.Policy, r.UpdatedAt = topic.None, s.Clock.Now()
		switch {
		case u == nil || !u.Active:
			away = append(away, r)
		case permission.Reads(v, v.Channel(m.Channel), u):
			cs = append(cs, changed{r, had})
		}
	}
	if err := s.rows.Set(ctx, away...); err != nil {
		return err
	}
	return s.write(ctx, cs)
}

func at(p message.Place) readstate.Topic {
	c, _ := p.Recipient.Channel()
	return readstate.Topic{Channel: c, Key: topic.Key(p.Topic)}
}

// followers answers who follows a topic.
func (s *service) followers(ctx context.Context, m *readstate.Followers) error {
	rows, err := s.rows.In(ctx, m.Topic)
	var us []user.ID
	for _, r := range rows {
		if r.Policy == topic.Followed {
			us = append(us, r.UserID)
		}
	}
	m.Users = m.Users.Union(idset.Of(us...))
	return err
}
