package notifications

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/notification"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

const (
	checkAfter    = 45 * time.Second // a connected client acknowledges an event within about a minute
	waitsPerBatch = 1000             // maximum number of waits checked at once
)

// waits returns the rows to store for notices of connected users.
func (s *service) waits(v *directory.View, notices []notification.Notice) []wait {
	due := s.Clock.Now().Add(checkAfter)
	rows := make([]wait, len(notices))
	for i, n := range notices {
		rows[i] = wait{
			UserID: n.User, MessageID: n.Message, RealmID: v.Realm().ID, Seq: event.Seq(v.Seq()),
			PushTrigger: n.Push, EmailTrigger: n.Email, GroupID: n.Group, DueAt: due,
		}
	}
	return rows
}

// checkWaits is the job that notifies users who lost the connection before a message arrived.
func (s *service) checkWaits(ctx context.Context) error {
	for {
		now := s.Clock.Now()
		rows, err := s.store.DueWaits(ctx, now, waitsPerBatch)
		if err != nil || len(rows) == 0 {
			return err
		}
		byRealm := map[realm.ID][]wait{}
		for _, r := range rows {
			byRealm[r.RealmID] = append(byRealm[r.RealmID], r)
		}
		var all []error
		for r, some := range byRealm {
			all = append(all, s.checkWaitsIn(ctx, r, some, now))
		}
		if err := errors.Join(all...); err != nil || len(rows) < waitsPerBatch {
			return err
		}
	}
}

// checkWaitsIn deletes the waits of users who have received the message, and runs notification.Decided for users
// without a connected client.
func (s *service) checkWaitsIn(ctx context.Context, r realm.ID, rows []wait, now time.Time) error {
	us := make([]user.ID, len(rows))
	for i, w := range rows {
		us[i] = w.UserID
	}
	listening, _, err := s.Listening.Ask(ctx, event.Listening{Realm: r, Users: idset.Of(us...)})
	if err != nil {
		return err
	}
	var keep, received, lost []wait
	for _, w := range rows {
		switch confirmed, live := listening[w.UserID]; {
		case !live:
			lost = append(lost, w)
		case confirmed >= w.Seq:
			received = append(received, w)
		default:
			keep = append(keep, w)
		}
	}
	return s.Work.Do(ctx, func(ctx context.Context) error {
		if _, err := s.store.DeleteWaits(ctx, received); err != nil {
			return err
		}
		if err := s.store.Postpone(ctx, keep, now.Add(checkAfter)); err != nil {
			return err
		}
		disconnected, err := s.store.DeleteWaits(ctx, lost)
		if err != nil {
			return err
		}
		notices := make([]notification.Notice, len(disconnected))
		for i, w := range disconnected {
			notices[i] = notification.Notice{
				User:    w.UserID,
				Message: w.MessageID,
				Push:    w.PushTrigger,
				Email:   w.EmailTrigger,
				Group:   w.GroupID,
			}
		}
		slices.SortFunc(notices, func(x, y notification.Notice) int {
			return cmp.Or(cmp.Compare(x.Message, y.Message), cmp.Compare(x.User, y.User))
		})
		return s.runHooks(ctx, r, notices)
	})
}
