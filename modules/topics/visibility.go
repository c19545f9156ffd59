package topics

import (
	"context"
	"maps"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// The list of muted topics for older clients contains the names of channels that the user can see, so it also changes
// when a channel is renamed or its visibility changes.

// visibilityChanged sends the list to users with muted topics in a channel that was renamed or that they have gained or
// lost access to. Users who became full members by account age may already have been notified; they are notified again.
func (s *service) visibilityChanged(ctx context.Context, m *directory.Changed) error {
	d := visibilityDiff{m.After, []*directory.View{m.Before}}
	if permission.AnnouncesFullMembers(m) {
		announced, _, err := s.Announced.Ask(ctx, permission.WaitingPeriod{Changed: m})
		if err != nil {
			return err
		}
		if before := announced.View(m.Before); before != m.Before {
			d.before = append(d.before, before)
		}
	}
	all, some, people := d.affected(m.Changes)
	ofAll, err := s.rows.Muting(ctx, m.Realm, all)
	if err != nil {
		return err
	}
	ofSome, err := s.rows.Muting(ctx, m.Realm, some, people...)
	if err != nil {
		return err
	}
	return s.publishMutedLists(ctx, m.Realm, append(ofAll, ofSome...), d.differs)
}

// becameFullMembers sends the list to new full members with muted topics in channels that they can now see.
func (s *service) becameFullMembers(ctx context.Context, m *permission.BecameFullMember) error {
	v := m.After
	var private []channel.ID
	for c := range v.Channels() {
		if c.Private {
			private = append(private, c.ID)
		}
	}
	muting, err := s.rows.Muting(ctx, m.Realm, private, m.Users...)
	if err != nil {
		return err
	}
	return s.publishMutedLists(ctx, m.Realm, muting, func(k channel.SubscriptionRef) bool {
		return permission.SeesChannel(v, v.Channel(k.Channel), v.User(k.User))
	})
}

func (s *service) publishMutedLists(
	ctx context.Context,
	r realm.ID,
	muting []channel.SubscriptionRef,
	affected func(channel.SubscriptionRef) bool,
) error {
	var us []user.ID
	for _, k := range muting {
		if affected(k) {
			us = append(us, k.User)
		}
	}
	var out []event.Event
	for _, u := range idset.Of(us...) {
		out = append(out, mutedTopics.To(r, event.To(u), changedList{User: u}))
	}
	return s.Log.Append(ctx, out...)
}

// visibilityDiff compares the channels that users can see before and after a change.
type visibilityDiff struct {
	after  *directory.View
	before []*directory.View // the actual view before, and the announced one
}

// affected returns the channels whose name or visibility may have changed for everyone, those for which it may have
// changed for some users, and these users.
func (d visibilityDiff) affected(changes []directory.Change) (all, some []channel.ID, people user.Set) {
	for _, c := range changes {
		switch {
		case c.Channel != nil && c.Channel.Old != nil && c.Channel.New != nil && redefined(c.Channel.Old, c.Channel.New):
			all = append(all, c.Channel.New.ID)
		case c.Subs != nil:
			var us []user.ID
			for _, u := range c.Subs.Add.Union(c.Subs.Remove) {
				if d.differs(channel.SubscriptionRef{User: u, Channel: c.Subs.Channel}) {
					us = append(us, u)
				}
			}
			if len(us) > 0 {
				some, people = append(some, c.Subs.Channel), people.Union(idset.Of(us...))
			}
		}
	}
	for _, before := range d.before {
		for _, x := range permission.VisibilityChanges(before, d.after, changes) {
			some, people = append(some, x.Channel.ID), people.Union(x.Gained).Union(x.Lost)
		}
	}
	return all, idset.Of(some...), people
}

// redefined reports whether a channel was renamed or its visibility may have changed.
func redefined(old, now *channel.Channel) bool {
	return old.Name != now.Name || old.Private != now.Private || old.WebPublic != now.WebPublic ||
		!maps.EqualFunc(old.Permissions, now.Permissions, group.Setting.Equal)
}

// differs reports whether a channel's name or visibility has changed for a user. It is false for users who were or are
// not active, since they receive no events, and for new channels, which have no muted topics.
func (d visibilityDiff) differs(k channel.SubscriptionRef) bool {
	u, c := d.after.User(k.User), d.after.Channel(k.Channel)
	if c == nil || u == nil || !u.Active {
		return false
	}
	sees := permission.SeesChannel(d.after, c, u)
	for _, v := range d.before {
		u, old := v.User(k.User), v.Channel(k.Channel)
		if old == nil || u == nil || !u.Active {
			return false
		}
		if permission.SeesChannel(v, old, u) != sees || sees && old.Name != c.Name {
			return true
		}
	}
	return false
}
