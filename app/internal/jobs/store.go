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

// lease records when a job may start next, on any node, and which node runs it.
type lease struct {
	bun.BaseModel `bun:"table:job_leases,alias:l"`
	Name          string `bun:",pk"`
	Holder        string // the node that runs the job; "" if none does
	Due           int64  // Unix milliseconds; while the job runs, when it started
	Free          bool   `bun:",scanonly"` // as seen by the node that reads it: no other living node holds the lease
}

// latest returns the latest due time that any node can store now. A later one was stored before a clock was set back.
func latest(now time.Time, every time.Duration) int64 {
	return now.Add(every + time.Second).UnixMilli()
}

// ready reports whether the job may start.
func (l lease) ready(now time.Time, every time.Duration) bool {
	return l.Free && (l.Holder != "" || l.Due <= now.UnixMilli() || l.Due > latest(now, every))
}

type store struct{ db *bunstore.DB }

// all returns the leases by job name, as seen by a node.
func (s store) all(ctx context.Context, holder string) (map[string]lease, error) {
	var rows []lease
	err := s.db.From(ctx).NewSelect().Model(&rows).Column("name", "holder", "due").
		ColumnExpr(bunstore.Free("l.holder")+" AS free", holder).Scan(ctx)
	out := make(map[string]lease, len(rows))
	for _, l := range rows {
		out[l.Name] = l
	}
	return out, err
}

// acquire takes a job's lease if the job is due, or if its holder has died. It returns false if not, or if another node
// was first. Call it inside Do.
func (s store) acquire(ctx context.Context, j kit.Job, holder string, now time.Time) (bool, error) {
	res, err := s.db.From(ctx).
		NewInsert().
		Model(&lease{Name: j.Name, Holder: holder, Due: now.UnixMilli()}).
		On("CONFLICT (name) DO UPDATE").
		Set("holder = EXCLUDED.holder").
		Set("due = EXCLUDED.due").
		Where(bunstore.Free("l.holder"), holder).
		Where("l.holder <> '' OR l.due <= ? OR l.due > ?", now.UnixMilli(), latest(now, j.Every)).
		Exec(ctx)
	return changed(res, err)
}

// finish releases a lease and sets when the job is due next, unless another node has taken it over. Call it inside Do.
func (s store) finish(ctx context.Context, name, holder string, due time.Time) error {
	_, err := s.db.From(ctx).NewUpdate().
		Model((*lease)(nil)).
		Set("holder = ''").
		Set("due = ?", due.UnixMilli()).
		Where("name = ?", name).
		Where("holder = ?", holder).
		Exec(ctx)
	return err
}

func changed(res interface{ RowsAffected() (int64, error) }, err error) (bool, error) {
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n > 0, err
}
