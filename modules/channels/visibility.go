package channels

import (
	"context"
	"slices"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/channels/internal/eventtype"
)

// directoryChanged notifies users of channels that became visible or hidden because users or groups changed. Operations
// that change channels and subscriptions send their own events.
func (s *service) directoryChanged(ctx context.Context, m *directory.Changed) error {
	before, after, err := s.announcedViews(ctx, m)
	if err != nil {
		return err
	}
	all := permission.VisibilityChanges(before, after, m.Changes)
	if before.Now().Before(m.Before.Now()) {
		all = lostSince(permission.VisibilityChanges(m.Before, m.After, m.Changes), all)
	}
	if err := s.Log.Append(ctx, visibilityEvents(m.Realm, all)...); err != nil {
		return err
	}
	for _, c := range m.Changes {
		if err := s.defaults.RoleChanged(ctx, m.Realm, m.After, c.User); err != nil {
			return err
		}
	}
	return nil
}

// becameFullMembers notifies new full members of private channels that they can now see.
func (s *service) becameFullMembers(ctx context.Context, m *permission.BecameFullMember) error {
	return s.Log.Append(ctx, visibilityEvents(m.Realm, permission.VisibleByAge(m.Before, m.After))...)
}

// announcedViews returns the views before and after a change, in which only members who have been announced, or whom
// the change announces, are full members.
func (s *service) announcedViews(
	ctx context.Context, m *directory.Changed,
) (before, after *directory.View, err error) {
	if permission.Waiting(m.Before) == 0 && permission.Waiting(m.After) == 0 ||
		!permission.AnnouncesFullMembers(m) && !groupsChanged(m.Changes) {
		return m.Before, m.After, nil
	}
	announced, _, err := s.Announced.Ask(ctx, permission.WaitingPeriod{Changed: m})
	if err != nil {
		return nil, nil, err
	}
	before, after = announced.View(m.Before), m.After
	if permission.Waiting(m.Before) == permission.Waiting(m.After) {
		after = announced.View(m.After)
	}
	return before, after, nil
}

// groupsChanged reports whether group memberships may have changed.
func groupsChanged(changes []directory.Change) bool {
	return slices.ContainsFunc(changes, func(c directory.Change) bool { return c.Members != nil || c.Group != nil })
}

// lostSince combines actual losses of access with gains relative to what users were notified of. Members who became
// full members by account age may have registered clients since then. These clients must be notified of a loss even if
// no event announced the gain.
func lostSince(fact, notified []permission.VisibilityChange) []permission.VisibilityChange {
	var all []permission.VisibilityChange
	for _, s := range fact {
		all = append(all, permission.VisibilityChange{Channel: s.Channel, Lost: s.Lost})
	}
	for _, s := range notified {
		all = append(all, permission.VisibilityChange{Channel: s.Channel, Gained: s.Gained})
	}
	return all
}

// visibilityEvents returns the events for channels that became hidden, followed by those for channels that became
// visible. Channels with the same audience share an event. Records and subscribers are added at delivery.
func visibilityEvents(r realm.ID, all []permission.VisibilityChange) []event.Event {
	var lost, gained audiences
	for _, s := range all {
		lost.add(s.Lost, s.Channel)
		gained.add(s.Gained, s.Channel)
	}
	var events []event.Event
	for _, a := range lost.all {
		p := eventtype.NewDeleted(a.reach, false, a.channels...)
		events = append(events, eventtype.StreamDelete.To(r, eventtype.EachUser(a.users), p))
	}
	for _, a := range gained.all {
		events = append(events,
			eventtype.StreamCreate.To(r, eventtype.EachUser(a.users), eventtype.Created{Seen: a.channels, Reach: a.reach}),
			eventtype.PeerAdd.To(r, eventtype.EachUser(a.users), eventtype.Peers{Seen: a.channels, Reach: a.reach}))
	}
	return events
}

// audience is a set of users who receive one event, and the channels that the event is about.
type audience struct {
	users    user.Set
	reach    eventtype.Reach
	channels []channel.ID
}

type audiences struct{ all []*audience }

func (l *audiences) add(us user.Set, c *channel.Channel) {
	if len(us) == 0 {
		return
	}
	reach := eventtype.ReachOf(c)
	i := slices.IndexFunc(l.all, func(a *audience) bool { return a.reach == reach && slices.Equal(a.users, us) })
	if i < 0 {
		i, l.all = len(l.all), append(l.all, &audience{users: us, reach: reach})
	}
	l.all[i].channels = append(l.all[i].channels, c.ID)
}
