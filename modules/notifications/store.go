package notifications

import (
	"context"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/notification"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

type store struct{ db *bunstore.DB }

// block is the maximum number of rows per statement.
const block = 500

// pending is a message whose notifications have not been decided yet.
type pending struct {
	bun.BaseModel `bun:"table:notification_messages,alias:n"`
	MessageID     message.ID `bun:",pk"`
	RealmID       realm.ID
	Edited        bool
	Named         string // message.MentionedInHTML of the text before an edit, as JSON
}

// wait is a notification that is held back because its user is connected.
type wait struct {
	bun.BaseModel `bun:"table:notification_waits,alias:w"`
	UserID        user.ID    `bun:",pk" person:"row"`
	MessageID     message.ID `bun:",pk"`
	RealmID       realm.ID
	Seq           event.Seq
	PushTrigger   notification.Trigger
	EmailTrigger  notification.Trigger
	GroupID       group.ID
	DueAt         time.Time
}

// Selections for the backlogs of the jobs.
const (
	anyPending   = "SELECT 0 FROM notification_messages LIMIT 1"
	earliestWait = "SELECT min(due_at) FROM notification_waits"
)

// Add stores pending messages. It leaves existing rows unchanged.
func (s store) Add(ctx context.Context, rows []pending) error {
	_, err := s.db.From(ctx).NewInsert().Model(&rows).On("CONFLICT DO NOTHING").Exec(ctx)
	return err
}

// Pending returns up to limit pending messages, oldest first.
func (s store) Pending(ctx context.Context, limit int64) ([]pending, error) {
	var rows []pending
	err := s.db.From(ctx).NewSelect().Model(&rows).Order("message_id").Limit(limit).Scan(ctx)
	return rows, err
}

// ClaimPending deletes pending messages and returns those that it deleted; another node may have claimed the others.
func (s store) ClaimPending(ctx context.Context, ids []message.ID) ([]message.ID, error) {
	var claimed []message.ID
	err := s.db.From(ctx).NewDelete().Model((*pending)(nil)).Where("message_id IN (?)", bun.List(ids)).
		Returning("message_id").Scan(ctx, &claimed)
	return claimed, bunstore.IgnoreNoRows(err)
}

// AddWaits stores notifications that are held back.
func (s store) AddWaits(ctx context.Context, rows []wait) error {
	for some := range slices.Chunk(rows, block) {
		if _, err := s.db.From(ctx).NewInsert().Model(&some).On("CONFLICT DO NOTHING").Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}

// DueWaits returns up to limit notifications that are due for another check, longest due first.
func (s store) DueWaits(ctx context.Context, now time.Time, limit int64) ([]wait, error) {
	var rows []wait
	err := s.db.From(ctx).NewSelect().Model(&rows).Where("due_at <= ?", now).
		Order("due_at", "user_id", "message_id").Limit(limit).Scan(ctx)
	return rows, err
}

// Postpone makes notifications due for another check at until.
func (s store) Postpone(ctx context.Context, rows []wait, until time.Time) error {
	for some := range slices.Chunk(rows, block) {
		_, err := s.db.From(ctx).NewUpdate().Model((*wait)(nil)).Set("due_at = ?", until).
			Where("(user_id, message_id) IN (?)", bunstore.Tuples(keys(some))).Exec(ctx)
		if err != nil {
			return err
		}
	}
	return nil
}

// DeleteWaits deletes notifications and returns those that it deleted; another node may have handled the others.
func (s store) DeleteWaits(ctx context.Context, rows []wait) ([]wait, error) {
	var all []wait
	for some := range slices.Chunk(rows, block) {
		var deleted []wait
		err := s.db.From(ctx).NewDelete().Model((*wait)(nil)).
			Where("(user_id, message_id) IN (?)", bunstore.Tuples(keys(some))).Returning("*").Scan(ctx, &deleted)
		if bunstore.IgnoreNoRows(err) != nil {
			return nil, err
		}
		all = append(all, deleted...)
	}
	return all, nil
}

func keys(rows []wait) [][]any {
	out := make([][]any, len(rows))
	for i, r := range rows {
		out[i] = []any{r.UserID, r.MessageID}
	}
	return out
}
