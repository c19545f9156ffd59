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
	perRecheck      = 50                  // maximum number of users checked at once
	perUser         = 200                 // average number of notifications checked per user, newest first
	noticeRetention = 30 * 24 * time.Hour // age at which notifications are deleted and can no longer be withdrawn
)

// noticesDecided stores the notifications for users who have devices.
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
	s.Work.AfterCommit(ctx, s.notices.Added)
	return s.store.AddNotices(ctx, rows)
}

// read schedules a check of users who have read messages.
func (s *service) read(ctx context.Context, e *message.Read) error {
	s.Work.AfterCommit(ctx, s.notices.Added)
	return s.store.RecheckUsers(ctx, e.Users)
}

// deleted schedules a check of users who were notified of deleted messages.
func (s *service) deleted(ctx context.Context, e *message.Deleted) error {
	ids := make([]message.ID, len(e.Messages))
	for i, m := range e.Messages {
		ids[i] = m.ID
	}
	s.Work.AfterCommit(ctx, s.notices.Added)
	return s.store.RecheckMessages(ctx, ids)
}

// edited schedules a check of users who were notified of changed messages: they may no longer be mentioned or be able
// to see the message.
func (s *service) edited(ctx context.Context, e *message.Edited) error {
	ids := e.Moved
	if len(ids) == 0 {
		ids = []message.ID{e.After.ID}
	}
	s.Work.AfterCommit(ctx, s.notices.Added)
	return s.store.RecheckMessages(ctx, ids)
}

// subscriptionsChanged schedules a check of users who are no longer subscribed to a channel.
func (s *service) subscriptionsChanged(ctx context.Context, e *directory.Changed) error {
	var us user.Set
	for _, c := range e.Changes {
		if c.Subs != nil {
			us = us.Union(c.Subs.Remove)
		}
	}
	s.Work.AfterCommit(ctx, s.notices.Added)
	return s.store.RecheckUsers(ctx, us)
}

// recheck checks the scheduled users, and marks notifications for withdrawal if the user has read the message, can no
// longer see it, or is no longer mentioned.
func (s *service) recheck(ctx context.Context) error {
	for {
		checks, err := s.store.Rechecks(ctx, perRecheck)
		if err != nil || len(checks) == 0 {
			return err
		}
		us := make([]user.ID, len(checks))
		for i, p := range checks {
			us[i] = p.UserID
		}
		rows, err := s.store.Shown(ctx, us, perRecheck*perUser)
		if err != nil {
			return err
		}
		obsolete, err := s.obsolete(ctx, rows)
		if err != nil {
			return err
		}
		err = s.Work.Do(ctx, func(ctx context.Context) error {
			if err := s.store.Advance(ctx, obsolete, shown, toWithdraw, s.Clock.Now()); err != nil {
				return err
			}
			return s.store.DeleteRechecks(ctx, checks)
		})
		if err != nil {
			return err
		}
	}
}

// obsolete returns the notifications that must be withdrawn.
func (s *service) obsolete(ctx context.Context, rows []notice) ([]notice, error) {
	byRealm := map[realm.ID][]notice{}
	for _, r := range rows {
		byRealm[r.RealmID] = append(byRealm[r.RealmID], r)
	}
	var obsolete []notice
	for r, some := range byRealm {
		unread, err := s.unread(ctx, r, some)
		if err != nil {
			return nil, err
		}
		for _, n := range some {
			m := unread[n.MessageID]
			if m == nil || !m.Users.Has(n.UserID) || s.unmentioned(m, n) {
				obsolete = append(obsolete, n)
			}
		}
	}
	return obsolete, nil
}

// unmentioned reports whether the user was notified because of a mention that an edit has since removed.
func (s *service) unmentioned(m *message.Unread, n notice) bool {
	return n.Reason == notification.Mentioned && !m.EditedAt.IsZero() &&
		m.Flags[n.UserID]&(message.Mentioned|message.AlertWord) == 0
}

// unread returns the messages of notifications, by ID. The field Users of a message contains the notified users who can
// see it and have not read it. Messages without such users may be omitted.
func (s *service) unread(ctx context.Context, r realm.ID, rows []notice) (map[message.ID]*message.Unread, error) {
	all, err := s.Receivers.Unread(ctx, r, message.UsersByMessage(rows, func(row notice) (message.ID, user.ID) {
		return row.MessageID, row.UserID
	}))
	return message.UnreadByID(all), err
}

// prune is the job that deletes old notifications.
func (s *service) prune(ctx context.Context) error {
	before := s.Clock.Now().Add(-noticeRetention)
	return s.Work.Do(ctx, func(ctx context.Context) error { return s.store.PruneNotices(ctx, before) })
}
