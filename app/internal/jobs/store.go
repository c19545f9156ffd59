package jobs

import (
	"cmp"
	"context"
	"embed"
	"fmt"
	"strings"
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

// acquire takes a job's lease if the job is due, or may run early, or if its holder has died. It returns false if not,
// or if another node was first. Call it inside Do.
func (s store) acquire(ctx context.Context, j kit.Job, holder string, now time.Time, early bool) (bool, error) {
	q := s.db.From(ctx).
		NewInsert().
		Model(&lease{Name: j.Name, Holder: holder, Due: now.UnixMilli()}).
		On("CONFLICT (name) DO UPDATE").
		Set("holder = EXCLUDED.holder").
		Set("due = EXCLUDED.due").
		Where(bunstore.Free("l.holder"), holder)
	if !early {
		q.Where("l.holder <> '' OR l.due <= ? OR l.due > ?", now.UnixMilli(), latest(now, j.Every))
	}
	res, err := q.Exec(ctx)
	return bunstore.Changed(res, err)
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

// earliest returns when the first items of backlogs are due. The zero time means that a backlog is empty.
func (s store) earliest(ctx context.Context, of ...*kit.Backlog) ([]time.Time, error) {
	var text strings.Builder
	values, into := make([]any, len(of)), make([]any, len(of))
	for i, b := range of {
		fmt.Fprintf(&text, "%s(%s) AS b%d", []string{"SELECT ", ", "}[min(i, 1)], b.Earliest, i)
		into[i] = &values[i]
	}
	if err := s.db.From(ctx).QueryRowContext(ctx, text.String()).Scan(into...); err != nil {
		return nil, err
	}
	due := make([]time.Time, len(of))
	for i := range of {
		switch v := values[i].(type) {
		case nil:
		case int64:
			unit := cmp.Or(of[i].Unit, time.Second)
			perSecond := int64(time.Second / unit)
			due[i] = time.Unix(v/perSecond, v%perSecond*int64(unit))
		default:
			var err error
			if due[i], err = bunstore.Time(v); err != nil {
				return nil, fmt.Errorf("%s: %w", of[i].Earliest, err)
			}
		}
	}
	return due, nil
}
