package jobs

import (
	"context"
	"embed"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
)

// Migrations make the table of leases.
//
//go:embed migrations
var Migrations embed.FS

// lease says when a job may be started next, by whichever node. While it runs that is the end of its time, so a node that
// dies leaves nothing to clean up.
type lease struct {
	bun.BaseModel `bun:"table:job_leases,alias:l"`
	Name          string `bun:",pk"`
	Holder        string
	Due           int64 // Unix milliseconds
}

type store struct{ db *bunstore.DB }

// due tells whether a job may be started now.
func (s store) due(ctx context.Context, name string, now time.Time) (bool, error) {
	later, err := s.db.From(ctx).NewSelect().Model((*lease)(nil)).
		Where("name = ?", name).Where("due > ?", now.UnixMilli()).Exists(ctx)
	return !later, err
}

// take gets the lease until then, unless another node has got it first. Inside Do.
func (s store) take(ctx context.Context, name, holder string, now, until time.Time) (bool, error) {
	res, err := s.db.From(ctx).NewInsert().Model(&lease{Name: name, Holder: holder, Due: until.UnixMilli()}).
		On("CONFLICT (name) DO UPDATE").Set("holder = EXCLUDED.holder").Set("due = EXCLUDED.due").
		Where("l.due <= ?", now.UnixMilli()).Exec(ctx)
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n > 0, err
}

// finish says when the job is due again. Inside Do.
func (s store) finish(ctx context.Context, name, holder string, due time.Time) error {
	_, err := s.db.From(ctx).NewUpdate().Model((*lease)(nil)).Set("due = ?", due.UnixMilli()).
		Where("name = ?", name).Where("holder = ?", holder).Exec(ctx)
	return err
}
