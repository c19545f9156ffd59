package push

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/notification"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

const (
	perRecheck = 50                  // users checked at once
	perPerson  = 200                 // their newest notifications, per user
	keepFor    = 30 * 24 * time.Hour // age at which a notification can no longer be withdrawn
)

// noticesDecided stores the notifications of users with devices.
func (s *service) noticesDecided(ctx context.Context, e *notification.Decided) error {
	us := map[user.ID]bool{}
	for _, n := range e.Notices {
		if n.Push != notification.None {
			us[n.User] = true
		}
	}
	reachable, err := s.store.Reachable(ctx, slices.Collect(maps.Keys(us)), s.reach())
	if err != nil {
		return err
	}
	now := s.Clock.Now()
	var rows []notice
	for _, n := range e.Notices {
		if n.Push != notification.None && reachable.Has(n.User) {
			rows = append(rows, notice{
				UserID: n.User, MessageID: n.Message, RealmID: e.Realm, Reason: n.Push, GroupID: n.Group,
				State: toSend, DueAt: now, CreatedAt: now,
			})
		}
	}
	return s.store.Notify(ctx, rows)
}

// read schedules the notifications of read messages for withdrawal.
func (s *service) read(ctx context.Context, e *message.Read) error {
	return s.store.RecheckUsers(ctx, e.Users)
}

// deleted schedules the notifications of deleted messages for withdrawal.
func (s *service) deleted(ctx context.Context, e *message.Deleted) error {
	ids := make([]message.ID, len(e.Messages))
	for i, m := range e.Messages {
		ids[i] = m.ID
	}
	return s.store.RecheckMessages(ctx, ids)
}

// edited schedules a check of users who are no longer mentioned in a message or can no longer see it.
func (s *service) edited(ctx context.Context, e *message.Edited) error {
	ids := e.Moved
	if len(ids) == 0 {
		ids = []message.ID{e.After.ID}
	}
	return s.store.RecheckMessages(ctx, ids)
}

// checkReaders schedules a check of users who have left or lost a channel.
func (s *service) checkReaders(ctx context.Context, e *directory.Changed) error {
	var us user.Set
	for _, c := range e.Changes {
		if c.Subs != nil {
			us = us.Union(c.Subs.Remove)
		}
	}
	return s.store.RecheckUsers(ctx, us)
}

// recheck withdraws notifications of messages that users have read or can no longer see.
func (s *service) recheck(ctx context.Context) error {
	for {
		people, err := s.store.Rechecks(ctx, perRecheck)
		if err != nil || len(people) == 0 {
			return err
		}
		us := make([]user.ID, len(people))
		for i, p := range people {
			us[i] = p.UserID
		}
		rows, err := s.store.Shown(ctx, us, perRecheck*perPerson)
		if err != nil {
			return err
		}
		gone, err := s.obsolete(ctx, rows)
		if err != nil {
			return err
		}
		err = s.Work.Do(ctx, func(ctx context.Context) error {
			if err := s.store.Advance(ctx, gone, shown, toWithdraw, s.Clock.Now()); err != nil {
				return err
			}
			return s.store.Rechecked(ctx, people)
		})
		if err != nil {
			return err
		}
	}
}

// obsolete returns the notifications that have become pointless.
func (s *service) obsolete(ctx context.Context, rows []notice) ([]notice, error) {
	byRealm := map[realm.ID][]notice{}
	for _, r := range rows {
		byRealm[r.RealmID] = append(byRealm[r.RealmID], r)
	}
	var gone []notice
	for r, some := range byRealm {
		unread, err := s.unread(ctx, r, some)
		if err != nil {
			return nil, err
		}
		for _, n := range some {
			m := unread[n.MessageID]
			if m == nil || !m.Users.Has(n.UserID) || s.unmentioned(m, n) {
				gone = append(gone, n)
			}
		}
	}
	return gone, nil
}

// unmentioned reports whether a user was notified because of a mention that an edit has removed.
func (s *service) unmentioned(m *message.Unread, n notice) bool {
	return n.Reason == notification.Mentioned && !m.EditedAt.IsZero() &&
		m.Flags[n.UserID]&(message.Mentioned|message.AlertWord) == 0
}

// unread returns the messages of notifications, each with the receivers who can see it and have not read it.
func (s *service) unread(ctx context.Context, r realm.ID, rows []notice) (map[message.ID]*message.Unread, error) {
	all, err := s.Receivers.Unread(ctx, r, message.UsersByMessage(rows, func(row notice) (message.ID, user.ID) {
		return row.MessageID, row.UserID
	}))
	return message.UnreadByID(all), err
}

// prune is the job that deletes old notifications.
func (s *service) prune(ctx context.Context) error {
	before := s.Clock.Now().Add(-keepFor)
	return s.Work.Do(ctx, func(ctx context.Context) error { return s.store.PruneNotices(ctx, before) })
}
