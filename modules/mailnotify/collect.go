package mailnotify

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/mail"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/notification"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

const (
	missedKind      = "missed_messages"
	usersPerBatch   = 100                 // maximum number of users whose missed messages are collected at once
	messagesPerUser = 1000                // missed messages read per user: on average for a batch, at most for an email
	emailsPerPeriod = 10                  // maximum number of emails per user and batching period
	retention       = 14 * 24 * time.Hour // age at which records of missed messages and their emails are deleted
)

// noticesDecided stores missed messages and schedules their collection after the user's batching period.
func (s *service) noticesDecided(ctx context.Context, e *notification.Decided) error {
	v, err := s.Directory.View(ctx, e.Realm)
	if err != nil {
		return err
	}
	now := s.Clock.Now()
	var rows []missed
	people := map[user.ID]pendingUser{}
	for _, n := range e.Notices {
		u := v.User(n.User)
		if n.Email == notification.None || u == nil {
			continue
		}
		rows = append(rows, missed{UserID: n.User, MessageID: n.Message, RealmID: e.Realm, Reason: n.Email, CreatedAt: now})
		wait := time.Duration(u.Settings.EmailNotificationsBatchingPeriod) * time.Second
		people[n.User] = pendingUser{UserID: n.User, RealmID: e.Realm, DueAt: now.Add(wait)}
	}
	s.Work.AfterCommit(ctx, s.backlog.Added)
	return s.store.AddMissed(ctx, rows, people)
}

// deactivated deletes the data of a deactivated user.
func (s *service) deactivated(ctx context.Context, e *user.Deactivated) error {
	return s.store.Forget(ctx, e.User)
}

// collect is the job that turns missed messages into emails.
func (s *service) collect(ctx context.Context) error {
	for {
		people, err := s.store.Due(ctx, s.Clock.Now(), usersPerBatch)
		if err != nil || len(people) == 0 {
			return err
		}
		byRealm := map[realm.ID][]pendingUser{}
		for _, p := range people {
			byRealm[p.RealmID] = append(byRealm[p.RealmID], p)
		}
		var all []error
		for r, some := range byRealm {
			all = append(all, s.collectIn(ctx, r, some))
		}
		if err := errors.Join(all...); err != nil {
			return err
		}
	}
}

// conversation identifies a conversation in which a user has missed messages.
type conversation struct {
	user      user.ID
	recipient message.Recipient
	topic     string // topic key
}

// collectIn creates the emails for users of one realm: one per user and conversation with unread messages.
func (s *service) collectIn(ctx context.Context, r realm.ID, people []pendingUser) error {
	us := make([]user.ID, len(people))
	for i, p := range people {
		us[i] = p.UserID
	}
	rows, err := s.store.Uncollected(ctx, us, usersPerBatch*messagesPerUser)
	if err != nil {
		return err
	}
	unread, err := s.unread(ctx, r, rows)
	if err != nil {
		return err
	}
	var read []missed
	var order []conversation
	byConversation, emails := map[conversation][]missed{}, map[user.ID]int{}
	for _, row := range rows {
		m := unread[row.MessageID]
		if m == nil || !m.Users.Has(row.UserID) {
			read = append(read, row)
			continue
		}
		at := conversation{row.UserID, m.Recipient, m.TopicKey}
		if byConversation[at] == nil && emails[row.UserID] == emailsPerPeriod {
			continue
		}
		if byConversation[at] == nil {
			order = append(order, at)
			emails[row.UserID]++
		}
		byConversation[at] = append(byConversation[at], row)
	}
	v, err := s.Directory.View(ctx, r)
	if err != nil {
		return err
	}
	nextCollection := func(id user.ID) time.Time { // the time at which a user's remaining messages are due
		now := s.Clock.Now()
		if u := v.User(id); u != nil && emails[id] == emailsPerPeriod {
			return now.Add(time.Duration(u.Settings.EmailNotificationsBatchingPeriod) * time.Second)
		}
		return now
	}
	err = s.Work.Do(ctx, func(ctx context.Context) error {
		if first, err := s.store.Unschedule(ctx, us); err != nil || !first {
			return cmp.Or(err, errDoneElsewhere)
		}
		if err := s.store.SetLetter(ctx, read, noLetter); err != nil {
			return err
		}
		ids, err := s.store.NewLetters(ctx, r, order, s.Clock.Now())
		if err != nil {
			return err
		}
		post := make([]mail.Letter, len(order))
		for i, at := range order {
			post[i] = mail.Letter{Kind: missedKind, Ref: ids[i]}
			if err := s.store.SetLetter(ctx, byConversation[at], ids[i]); err != nil {
				return err
			}
		}
		if err := s.store.Reschedule(ctx, us, nextCollection); err != nil || len(post) == 0 {
			return err
		}
		return s.Outbox.Post(ctx, r, post...)
	})
	if errors.Is(err, errDoneElsewhere) {
		return nil
	}
	return err
}

// errDoneElsewhere rolls back a transaction because another node has already done its work.
var errDoneElsewhere = errors.New("mailnotify: another node has collected these messages")

// unread returns the messages of rows by ID. The field Users of each message contains the users who missed the message,
// can see it, and have not read it. Messages without such users may be omitted.
func (s *service) unread(ctx context.Context, r realm.ID, rows []missed) (map[message.ID]*message.Unread, error) {
	all, err := s.Receivers.Unread(ctx, r, message.UsersByMessage(rows, func(row missed) (message.ID, user.ID) {
		return row.MessageID, row.UserID
	}))
	return message.UnreadByID(all), err
}

// write composes an email of this module.
func (s *service) write(ctx context.Context, q mail.Composition) (*mail.Message, error) {
	if q.Letter.Kind != missedKind && q.Letter.Kind != loginKind && q.Letter.Kind != digestKind {
		return nil, nil
	}
	v, err := s.Directory.View(ctx, q.Realm)
	if errs.Is(err, errs.NotFound) { // the realm was deleted
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if v.Realm() == nil || v.Realm().Deactivated {
		return nil, nil
	}
	switch q.Letter.Kind {
	case loginKind:
		return s.writeLogin(ctx, v, q.Letter.Ref)
	case digestKind:
		return s.writeDigest(ctx, v, q.Letter.Ref)
	}
	return s.writeMissed(ctx, v, q.Letter.Ref)
}

// writeMissed composes an email about missed messages.
func (s *service) writeMissed(ctx context.Context, v *directory.View, ref int64) (*mail.Message, error) {
	rows, err := s.store.MessagesIn(ctx, ref)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	u := v.User(rows[0].UserID)
	if u == nil || !u.Active {
		return nil, nil
	}
	unread, err := s.unread(ctx, v.Realm().ID, rows)
	if err != nil {
		return nil, err
	}
	var list []*message.Unread
	for _, row := range rows {
		if m := unread[row.MessageID]; m != nil && m.Users.Has(u.ID) {
			list = append(list, m)
		}
	}
	if len(list) == 0 {
		return nil, nil
	}
	slices.SortFunc(list, func(x, y *message.Unread) int { return int(x.ID - y.ID) })
	return s.compose(ctx, v, u, list, rows[0].Reason)
}

// prune is the job that deletes old records.
func (s *service) prune(ctx context.Context) error {
	now := s.Clock.Now()
	return s.Work.Do(ctx, func(ctx context.Context) error {
		if err := s.store.Prune(ctx, now.Add(-retention)); err != nil {
			return err
		}
		if err := s.store.PruneDigests(ctx, now.Add(-retention)); err != nil {
			return err
		}
		return s.store.PruneLogins(ctx, now.Add(-retention), now.Add(-keepDevices))
	})
}
