package flags

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/user"
)

// Notified reports whether a user is notified that a message was moved or deleted.
type Notified func(user.ID, message.ID) bool

// DropMoved removes the flags of users who lose access to messages moved between channels: those who were ever
// subscribed to the channel from but are not subscribed to the channel to, and the users in others. It returns events
// for users who had starred the messages and are not notified of the move. The realm must be locked.
func (s *Service) DropMoved(
	ctx context.Context,
	v *directory.View,
	ids []message.ID,
	from, to message.Recipient,
	others user.Set,
	notified Notified,
) ([]event.Event, error) {
	return s.dropAll(ctx, v, ids, losingAccess(from, to, others), notified)
}

// DropDeleted removes all flags of messages that are being deleted. It returns events for the users who had starred the
// messages and are not notified of the deletion. The realm must be locked.
func (s *Service) DropDeleted(
	ctx context.Context,
	v *directory.View,
	ids []message.ID,
	notified Notified,
) ([]event.Event, error) {
	return s.dropAll(ctx, v, ids, allUsers, notified)
}

func (s *Service) dropAll(
	ctx context.Context,
	v *directory.View,
	ids []message.ID,
	of rowFilter,
	notified Notified,
) ([]event.Event, error) {
	stars, err := s.stars(ctx, ids, of)
	if err != nil {
		return nil, err
	}
	return unstarred(v, stars, notified), s.drop(ctx, ids, of)
}

// unstarred returns the events for users who are not notified otherwise. /register lists starred messages whether or
// not the user can read them, so clients may have the IDs of messages in a channel that the user has left. The events
// reveal nothing but these IDs.
func unstarred(v *directory.View, stars []Key, notified Notified) []event.Event {
	ids := map[user.ID][]message.ID{}
	for _, s := range stars {
		if u := v.User(s.User); u != nil && u.Active && !notified(s.User, s.Message) {
			ids[s.User] = append(ids[s.User], s.Message)
		}
	}
	users := map[string][]user.ID{} // by list of IDs; users with the same list share an event
	for u, list := range ids {
		key := fmt.Sprint(list)
		users[key] = append(users[key], u)
	}
	events := make([]event.Event, 0, len(users))
	for _, key := range slices.Sorted(maps.Keys(users)) {
		us := users[key]
		events = append(events, removed.To(v.Realm().ID, event.Each(us...), Change{
			Operation: "remove", Flag: message.NameStarred, Messages: ids[us[0]],
		}))
	}
	return events
}
