package mail

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/realm"
)

type store struct{ db *bunstore.DB }

// row is a queued email.
type row struct {
	bun.BaseModel `bun:"table:mail_queue,alias:m"`
	ID            int64 `bun:",pk,autoincrement"`
	RealmID       realm.ID
	Kind          string
	Ref           int64
	MessageID     string // the same for all attempts
	Tries         int
	DueAt         time.Time
	CreatedAt     time.Time
	Holder        string // the node that sends the email; "" if none does
}

// earliest selects when the first email is due.
const earliest = "SELECT min(due_at) FROM mail_queue"

// Add queues emails.
func (s store) Add(ctx context.Context, rows []row) error {
	if len(rows) == 0 {
		return nil
	}
	_, err := s.db.From(ctx).NewInsert().Model(&rows).Exec(ctx)
	return err
}

// Claim returns the email that has been due longest, or nil if none is due. It counts an attempt and makes the email
// due again at until. It must be called inside Do.
func (s store) Claim(ctx context.Context, holder string, now, until time.Time) (*row, error) {
	var r row
	q := s.db.From(ctx).NewSelect().Model(&r).Where("m.due_at <= ?", now).Order("m.due_at", "m.id").Limit(1)
	if found, err := bunstore.Found(s.db.ForUpdate(q).Scan(ctx)); !found {
		return nil, err
	}
	r.Tries++
	_, err := s.db.From(ctx).NewUpdate().Model((*row)(nil)).Set("due_at = ?", until).Set("tries = ?", r.Tries).
		Set("holder = ?", holder).Where("id = ?", r.ID).Exec(ctx)
	return &r, err
}

// Postpone makes an email due at the given time.
func (s store) Postpone(ctx context.Context, id int64, until time.Time) error {
	_, err := s.db.From(ctx).NewUpdate().Model((*row)(nil)).Set("due_at = ?", until).Set("holder = ''").
		Where("id = ?", id).Exec(ctx)
	return err
}

// Overdue counts the emails that were queued before the given time and have been attempted at least once.
func (s store) Overdue(ctx context.Context, before time.Time) (int64, error) {
	return s.db.From(ctx).NewSelect().Model((*row)(nil)).Where("m.created_at <= ?", before).Where("m.tries > 0").Count(ctx)
}

// Waiting counts the emails in the queue.
func (s store) Waiting(ctx context.Context) (int64, error) {
	return s.db.From(ctx).NewSelect().Model((*row)(nil)).Count(ctx)
}

// Remove deletes an email.
func (s store) Remove(ctx context.Context, id int64) error {
	_, err := s.db.From(ctx).NewDelete().Model((*row)(nil)).Where("id = ?", id).Exec(ctx)
	return err
}
