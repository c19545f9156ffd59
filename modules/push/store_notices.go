package push

import (
	"context"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/notification"
	"github.com/stoachat/stoa/domain/push"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// state is the state of a notification. The values are stored: never renumber them.
type state int

const (
	toSend     state = iota
	shown            // sent; devices may display it
	toWithdraw       // must be removed from devices
	over             // nothing left to do
)

// notice is the notification of one user about one message, on all their devices.
type notice struct {
	bun.BaseModel `bun:"table:push_notices,alias:n"`
	UserID        user.ID    `bun:",pk" person:"row"`
	MessageID     message.ID `bun:",pk"`
	RealmID       realm.ID
	Reason        notification.Trigger
	GroupID       group.ID
	State         state
	Tries         int
	DueAt         time.Time
	CreatedAt     time.Time
}

// recheck is a scheduled check: notifications of the user may have to be withdrawn.
type recheck struct {
	bun.BaseModel `bun:"table:push_rechecks,alias:c"`
	UserID        user.ID `bun:",pk" person:"row"`
	RealmID       realm.ID
	Mark          int64 // incremented each time a check is scheduled
}

// block is the maximum number of rows or values in one statement.
const block = 500

// reach selects types of devices.
type reach struct {
	service bool // devices with a token of the push service
	web     bool // devices with a Web Push subscription
}

func (r reach) only(q *bun.SelectQuery) *bun.SelectQuery {
	switch {
	case !r.web:
		return q.Where("token_id <> ''").Where("key <> ''")
	case !r.service:
		return q.Where("subscription <> ''")
	}
	return q.Where("(token_id <> '' AND key <> '' OR subscription <> '')")
}

// Reachable returns the users among us who have registered devices of the selected types.
func (s store) Reachable(ctx context.Context, us []user.ID, r reach) (user.Set, error) {
	var all []user.ID
	for some := range slices.Chunk(us, block) {
		var found []user.ID
		q := s.db.From(ctx).NewSelect().Model((*deviceRow)(nil)).Distinct().Column("user_id")
		err := r.only(q.Where("user_id IN (?)", bun.List(some))).Scan(ctx, &found)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	slices.Sort(all)
	return all, nil
}

// Active returns the users' registered devices of the selected types, oldest first.
func (s store) Active(ctx context.Context, us []user.ID, r reach) (map[user.ID][]*push.Device, error) {
	out := map[user.ID][]*push.Device{}
	for some := range slices.Chunk(us, block) {
		var rows []deviceRow
		err := r.only(s.db.From(ctx).NewSelect().Model(&rows).Where("user_id IN (?)", bun.List(some))).Order("id").Scan(ctx)
		if err != nil {
			return nil, err
		}
		devices, err := s.devicesOf(rows)
		if err != nil {
			return nil, err
		}
		for _, d := range devices {
			out[d.User] = append(out[d.User], d)
		}
	}
	return out, nil
}

// AddNotices stores notifications, unless they already exist.
func (s store) AddNotices(ctx context.Context, rows []notice) error {
	for some := range slices.Chunk(rows, block) {
		if _, err := s.db.From(ctx).NewInsert().Model(&some).On("CONFLICT DO NOTHING").Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}

// DueNotices returns at most limit notifications that are due to be sent or withdrawn, most overdue first.
func (s store) DueNotices(ctx context.Context, now time.Time, limit int64) ([]notice, error) {
	var rows []notice
	err := s.db.From(ctx).NewSelect().Model(&rows).Where("state IN (?, ?)", toSend, toWithdraw).Where("due_at <= ?", now).
		Order("due_at", "message_id", "user_id").Limit(limit).Scan(ctx)
	return rows, err
}

// Advance moves notifications from one state to another. Notifications in other states are unchanged.
func (s store) Advance(ctx context.Context, rows []notice, from, to state, due time.Time) error {
	return s.each(rows, func(keys [][]any) error {
		_, err := s.db.From(ctx).
			NewUpdate().
			Model((*notice)(nil)).
			Set("state = ?", to).
			Set("due_at = ?", due).
			Set("tries = 0").
			Where("(user_id, message_id) IN (?)", bunstore.Tuples(keys)).
			Where("state = ?", from).
			Exec(ctx)
		return err
	})
}

// PostponeNotices schedules another attempt to send or withdraw notifications.
func (s store) PostponeNotices(ctx context.Context, rows []notice, due time.Time) error {
	return s.each(rows, func(keys [][]any) error {
		_, err := s.db.From(ctx).NewUpdate().Model((*notice)(nil)).Set("tries = tries + 1").Set("due_at = ?", due).
			Where("(user_id, message_id) IN (?)", bunstore.Tuples(keys)).Exec(ctx)
		return err
	})
}

// each calls do with the keys of blocks of rows.
func (store) each(rows []notice, do func(keys [][]any) error) error {
	for some := range slices.Chunk(rows, block) {
		keys := make([][]any, len(some))
		for i, r := range some {
			keys[i] = []any{r.UserID, r.MessageID}
		}
		if err := do(keys); err != nil {
			return err
		}
	}
	return nil
}

// Shown returns at most limit notifications of the users in state shown, newest first.
func (s store) Shown(ctx context.Context, us []user.ID, limit int64) ([]notice, error) {
	var rows []notice
	err := s.db.From(ctx).NewSelect().Model(&rows).Where("user_id IN (?)", bun.List(us)).Where("state = ?", shown).
		Order("message_id DESC", "user_id").Limit(limit).Scan(ctx)
	return rows, err
}

// RecheckUsers schedules a check of the users among us who have notifications in state shown.
func (s store) RecheckUsers(ctx context.Context, us []user.ID) error {
	return recheckIn(ctx, s, "user_id", us)
}

// RecheckMessages schedules a check of all users who have notifications of the messages in state shown.
func (s store) RecheckMessages(ctx context.Context, ids []message.ID) error {
	return recheckIn(ctx, s, "message_id", ids)
}

func recheckIn[T any](ctx context.Context, s store, column string, values []T) error {
	for some := range slices.Chunk(values, block) {
		_, err := s.db.From(ctx).NewRaw(`INSERT INTO push_rechecks (user_id, realm_id, mark)
			SELECT DISTINCT user_id, realm_id, 1 FROM push_notices WHERE state = ? AND ? IN (?)
			ON CONFLICT (user_id) DO UPDATE SET mark = push_rechecks.mark + 1`,
			shown, bun.Ident(column), bun.List(some)).Exec(ctx)
		if err != nil {
			return err
		}
	}
	return nil
}

// Rechecks returns at most limit scheduled checks.
func (s store) Rechecks(ctx context.Context, limit int64) ([]recheck, error) {
	var rows []recheck
	err := s.db.From(ctx).NewSelect().Model(&rows).Order("user_id").Limit(limit).Scan(ctx)
	return rows, err
}

// DeleteRechecks deletes completed checks, except those that have been scheduled again in the meantime.
func (s store) DeleteRechecks(ctx context.Context, rows []recheck) error {
	keys := make([][]any, len(rows))
	for i, r := range rows {
		keys[i] = []any{r.UserID, r.Mark}
	}
	_, err := s.db.From(ctx).
		NewDelete().
		Model((*recheck)(nil)).
		Where("(user_id, mark) IN (?)", bunstore.Tuples(keys)).
		Exec(ctx)
	return err
}

// ForgetNotices deletes all notifications of a user.
func (s store) ForgetNotices(ctx context.Context, u user.ID) error {
	if _, err := s.db.From(ctx).NewDelete().Model((*recheck)(nil)).Where("user_id = ?", u).Exec(ctx); err != nil {
		return err
	}
	_, err := s.db.From(ctx).NewDelete().Model((*notice)(nil)).Where("user_id = ?", u).Exec(ctx)
	return err
}

// PruneNotices deletes notifications created before the given time.
func (s store) PruneNotices(ctx context.Context, before time.Time) error {
	_, err := s.db.From(ctx).NewDelete().Model((*notice)(nil)).Where("created_at < ?", before).Exec(ctx)
	return err
}
