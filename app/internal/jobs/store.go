package jobs

import (
	"context"
	"embed"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/modules/kit"
)

// Migrations holds the migrations of the lease table.
//
//go:embed migrations
var Migrations embed.FS

// lease records when a job may start next, on any node. While the job runs, that is the end of the lease, so a dead
// node leaves nothing to clean up.
type lease struct {
	bun.BaseModel `bun:"table:job_leases,alias:l"`
	Name          string `bun:",pk"`
	Holder        string
	Due           int64 // Unix milliseconds
}

// latest returns the latest due time that any node can store now. A later one was stored before a clock was set back.
func latest(now time.Time, every time.Duration) int64 {
	return now.Add(max(every, leaseTime) + time.Second).UnixMilli()
}

// ready reports whether the job may start.
func (l lease) ready(now time.Time, every time.Duration) bool {
	return l.Due <= now.UnixMilli() || l.Due > latest(now, every)
}

type store struct{ db *bunstore.DB }

// all returns the leases by job name.
func (s store) all(ctx context.Context) (map[string]lease, error) {
	var rows []lease
	err := s.db.From(ctx).NewSelect().Model(&rows).Scan(ctx)
	out := make(map[string]lease, len(rows))
	for _, l := range rows {
		out[l.Name] = l
	}
	return out, err
}

// acquire takes a job's lease if the job is due. It returns false if not, or if another node was first. Call it inside
// Do.
func (s store) acquire(ctx context.Context, j kit.Job, holder string, now time.Time) (bool, error) {
	res, err := s.db.From(ctx).
		NewInsert().
		Model(&lease{Name: j.Name, Holder: holder, Due: now.Add(leaseTime).UnixMilli()}).
		On("CONFLICT (name) DO UPDATE").
		Set("holder = EXCLUDED.holder").
		Set("due = EXCLUDED.due").
		Where("l.due <= ? OR l.due > ?", now.UnixMilli(), latest(now, j.Every)).
		Exec(ctx)
	return changed(res, err)
}

// renew extends a lease. It returns false if the holder has lost it. Call it inside Do.
func (s store) renew(ctx context.Context, name, holder string, now time.Time) (bool, error) {
	res, err := s.set(name, holder, now.Add(leaseTime), s.db.From(ctx)).Exec(ctx)
	return changed(res, err)
}

// finish sets when the job is due next, unless another node holds its lease. Call it inside Do.
func (s store) finish(ctx context.Context, name, holder string, due time.Time) error {
	_, err := s.set(name, holder, due, s.db.From(ctx)).Exec(ctx)
	return err
}

func (s store) set(name, holder string, due time.Time, db bun.IDB) *bun.UpdateQuery {
	return db.NewUpdate().
		Model((*lease)(nil)).
		Set("due = ?", due.UnixMilli()).
		Where("name = ?", name).
		Where("holder = ?", holder)
}

func changed(res interface{ RowsAffected() (int64, error) }, err error) (bool, error) {
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n > 0, err
}
