package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// items is a table of work, and a job that does it.
type items struct {
	t       *testing.T
	db      *bunstore.DB
	work    ports.UnitOfWork
	job     kit.Job
	backlog *kit.Backlog
	runs    atomic.Int64
}

func newItems(t *testing.T, db *bunstore.DB, everywhere bool) *items {
	t.Helper()
	w := &items{t: t, db: db, backlog: &kit.Backlog{Earliest: "SELECT min(due) FROM t_items", Unit: time.Millisecond}}
	w.job = kit.Job{Name: "items", Every: time.Millisecond, Timeout: time.Minute, Everywhere: everywhere,
		Backlog: w.backlog, Run: func(ctx context.Context) error {
			w.runs.Add(1)
			return w.exec(ctx, fmt.Sprintf("DELETE FROM t_items WHERE due <= %d", time.Now().UnixMilli()))
		}}
	return w
}

func (w *items) exec(ctx context.Context, sql string) error {
	return w.work.Do(ctx, func(ctx context.Context) error {
		_, err := w.db.From(ctx).ExecContext(ctx, sql)
		return err
	})
}

func (w *items) add(due time.Time) {
	w.t.Helper()
	if err := w.exec(w.t.Context(), fmt.Sprintf("INSERT INTO t_items VALUES (%d)", due.UnixMilli())); err != nil {
		w.t.Fatal(err)
	}
}

func (w *items) empty() bool {
	n, err := w.db.From(w.t.Context()).NewSelect().TableExpr("t_items").Count(w.t.Context())
	return err == nil && n == 0
}

// A job with a backlog runs for what was there at the start, what is added, and what becomes due, and otherwise never.
func TestBacklog(t *testing.T) {
	for _, everywhere := range []bool{false, true} {
		t.Run(fmt.Sprintf("everywhere=%t", everywhere), func(t *testing.T) {
			kittest.EachDatabase(t, func(t *testing.T, database string) {
				db := open(t, kittest.Real(t, database))
				w := newItems(t, db, everywhere)
				r := node(t, db, real{}, w.job)
				w.work = r.work
				if err := w.exec(t.Context(), "CREATE TABLE t_items (due bigint NOT NULL)"); err != nil {
					t.Fatal(err)
				}
				w.add(time.Now().Add(-time.Hour))
				r.AskEvery = time.Hour
				r.Start()
				kittest.Await(t, w.empty)

				w.add(time.Now())
				w.backlog.Added(t.Context())
				kittest.Await(t, w.empty)

				due := time.Now().Add(50 * time.Millisecond)
				w.add(due)
				w.backlog.Added(t.Context())
				kittest.Await(t, w.empty)
				if early := time.Until(due); early > time.Millisecond {
					t.Errorf("the job ran %v early", early)
				}
				if err := r.Stop(t.Context()); err != nil {
					t.Error(err)
				}
				if n := w.runs.Load(); n != 3 {
					t.Errorf("%d runs, want 3", n)
				}
			})
		})
	}
}

// A job that failed runs again, even if it has taken the work.
func TestFailedBacklog(t *testing.T) {
	for _, everywhere := range []bool{false, true} {
		db := open(t, kittest.Memory)
		w := newItems(t, db, everywhere)
		do := w.job.Run
		w.job.Run = func(ctx context.Context) error {
			err := do(ctx)
			if w.runs.Load() < 3 {
				return errors.New("failed")
			}
			return err
		}
		r := node(t, db, real{}, w.job)
		w.work = r.work
		if err := w.exec(t.Context(), "CREATE TABLE t_items (due bigint NOT NULL)"); err != nil {
			t.Fatal(err)
		}
		w.add(time.Now())
		r.AskEvery = time.Hour
		r.Start()
		kittest.Await(t, func() bool { return w.runs.Load() == 3 })
		if err := r.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// What another process adds is found by reading all backlogs.
func TestBacklogOfOthers(t *testing.T) {
	for _, everywhere := range []bool{false, true} {
		db := open(t, kittest.Memory)
		w := newItems(t, db, everywhere)
		r := node(t, db, real{}, w.job)
		w.work = r.work
		if err := w.exec(t.Context(), "CREATE TABLE t_items (due bigint NOT NULL)"); err != nil {
			t.Fatal(err)
		}
		r.AskEvery = 5 * time.Millisecond
		r.Start()
		for range 3 {
			w.add(time.Now())
			kittest.Await(t, w.empty)
		}
		if err := r.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	}
}
