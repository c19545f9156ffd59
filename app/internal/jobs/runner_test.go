package jobs_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/app/internal/jobs"
	"github.com/stoachat/stoa/app/internal/kernel"
	"github.com/stoachat/stoa/app/internal/nodes"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// member is a runner on one of several nodes that share a database.
type member struct {
	*jobs.Runner
	node *nodes.Node
	work ports.UnitOfWork
}

func (m member) renew(t *testing.T) {
	t.Helper()
	if _, err := m.node.Renew(t.Context()); err != nil {
		t.Error(err)
	}
}

func node(t *testing.T, db *bunstore.DB, clock ports.Clock, all ...kit.Job) member {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	k := kernel.New(kernel.Options{DB: db, Clock: clock, Log: log})
	t.Cleanup(func() { _ = k.Stop(context.Background()) })
	n := nodes.New(nodes.Options{DB: db, Clock: clock, Log: log, Manual: true, Migrations: migrations})
	if err := n.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	contributions := []kit.Contribution{{Module: "m", Parts: kit.Parts{Jobs: all}}}
	return member{jobs.New(contributions, db, k, n, clock, log), n, k}
}

func migrations() []bunstore.Migrations {
	return []bunstore.Migrations{kernel.Migrations(), nodes.Migrations(), {Module: "jobs", FS: jobs.Migrations}}
}

func open(t *testing.T, url string) *bunstore.DB {
	t.Helper()
	db, err := bunstore.Open(t.Context(), bunstore.Config{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	if err := db.Migrate(t.Context(), migrations()); err != nil {
		t.Fatal(err)
	}
	return db
}

func TestOneNodeAtATime(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		db, clock := open(t, kittest.Real(t, url)), kittest.NewClock()
		var runs atomic.Int64
		j := kit.Job{Name: "m.count", Every: time.Hour, Timeout: time.Minute,
			Run: func(context.Context) error { runs.Add(1); return nil }}
		nodes := []member{node(t, db, clock), node(t, db, clock), node(t, db, clock)}
		everyone := func(want int64) {
			t.Helper()
			var all sync.WaitGroup
			for _, n := range nodes {
				all.Go(func() {
					if err := n.Once(t.Context(), j); err != nil {
						t.Error(err)
					}
				})
			}
			all.Wait()
			if got := runs.Load(); got != want {
				t.Errorf("ran %d times, want %d", got, want)
			}
		}
		everyone(1)
		everyone(1)
		clock.Advance(59 * time.Minute)
		everyone(1)
		clock.Advance(time.Minute)
		everyone(2)
	})
}

func TestDeadNodeIsReplaced(t *testing.T) {
	db, clock := open(t, kittest.Memory), kittest.NewClock()
	ran := false
	j := kit.Job{Name: "m.j", Every: time.Hour, Timeout: time.Minute,
		Run: func(context.Context) error { ran = true; return nil }}
	lost := j
	lost.Run = func(context.Context) error {
		other := node(t, db, clock)
		clock.Advance(8 * time.Second)
		other.renew(t)
		if err := other.Once(t.Context(), j); err != nil || ran {
			t.Errorf("while the first node may still be running it: ran %v, %v", ran, err)
		}
		clock.Advance(time.Second)
		other.renew(t)
		if err := other.Once(t.Context(), j); err != nil || !ran {
			t.Errorf("after the first node's death: ran %v, %v", ran, err)
		}
		return nil
	}
	if err := node(t, db, clock).Once(t.Context(), lost); err != nil {
		t.Error(err)
	}
	clock.Advance(59 * time.Minute)
	if ran = false; node(t, db, clock).Once(t.Context(), j) != nil || ran {
		t.Error("the lost node changed when the job is due")
	}
}

// A job keeps its lease as long as its node lives. A job whose lease was lost is canceled.
func TestLeaseIsKept(t *testing.T) {
	db, clock := open(t, kittest.Memory), kittest.NewClock()
	j := kit.Job{Name: "m.j", Every: time.Hour, Timeout: time.Minute}
	own, other, ran := node(t, db, clock), node(t, db, clock), false
	stolen := j
	stolen.Run = func(context.Context) error { ran = true; return nil }
	j.Run = func(ctx context.Context) error {
		for range 5 {
			clock.Advance(8 * time.Second)
			own.renew(t)
			other.renew(t)
			if err := other.Once(t.Context(), stolen); err != nil || ran {
				t.Errorf("a lease was not kept: %v", err)
			}
		}
		clock.Advance(9 * time.Second)
		other.renew(t)
		if err := other.Once(t.Context(), stolen); err != nil || !ran {
			t.Errorf("the lease of a dead node was kept: %v", err)
		}
		own.renew(t)
		<-ctx.Done()
		return ctx.Err()
	}
	if err := own.Once(t.Context(), j); err == nil || !strings.Contains(err.Error(), "leases are lost") {
		t.Errorf("a job that lost its lease ended with %v", err)
	}
}

// An interrupted job is due immediately, and a clock that was set back does not block a job.
func TestInterruptedJobIsDue(t *testing.T) {
	db, clock := open(t, kittest.Memory), kittest.NewClock()
	runs := 0
	ctx, stop := context.WithCancel(t.Context())
	j := kit.Job{Name: "m.j", Every: time.Hour, Timeout: time.Minute,
		Run: func(context.Context) error { runs++; stop(); return nil }}
	for i, want := range []int{1, 2, 2, 3} {
		if i == 3 {
			clock.Advance(-2 * time.Hour)
		}
		if err := node(t, db, clock).Once(ctx, j); err != nil || runs != want {
			t.Errorf("%d: ran %d times, want %d; %v", i, runs, want, err)
		}
		ctx = t.Context()
	}
}

// Jobs run when they are due, whenever tickers fire.
func TestRunsWhenDue(t *testing.T) {
	db := open(t, kittest.Memory)
	var runs atomic.Int64
	r := node(t, db, real{}, kit.Job{Name: "often", Every: 20 * time.Millisecond,
		Run: func(context.Context) error { runs.Add(1); return nil }})
	r.Start()
	kittest.Await(t, func() bool { return runs.Load() > 10 })
	if err := r.Stop(t.Context()); err != nil {
		t.Error(err)
	}
}

type real struct{}

func (real) Now() time.Time { return time.Now().UTC() }

func TestFailures(t *testing.T) {
	db, clock := open(t, kittest.Memory), kittest.NewClock()
	broken := errors.New("broken")
	r := node(t, db, clock,
		kit.Job{Name: "panics", Every: time.Hour, Run: func(context.Context) error { panic("ouch") }},
		kit.Job{Name: "fails", Every: time.Hour, Run: func(context.Context) error { return broken }},
		kit.Job{Name: "slow", Every: time.Hour, Timeout: time.Millisecond,
			Run: func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }},
	)
	if err := r.Run(t.Context(), "m.panics"); err == nil || !strings.Contains(err.Error(), "ouch") {
		t.Errorf("a panic returned %v", err)
	}
	if err := r.Run(t.Context(), "m.fails"); !errors.Is(err, broken) {
		t.Errorf("a failure returned %v", err)
	}
	if err := r.Run(t.Context(), "m.slow"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a job that timed out returned %v", err)
	}
	if err := r.Run(t.Context(), "m.none"); err == nil || !strings.Contains(err.Error(), "m.panics") {
		t.Errorf("an unknown job returned %v", err)
	}
}

func TestStop(t *testing.T) {
	db, clock := open(t, kittest.Memory), kittest.NewClock()
	var ticks atomic.Int64
	r := node(t, db, clock, kit.Job{Name: "often", Every: time.Millisecond, Everywhere: true,
		Run: func(context.Context) error {
			ticks.Add(1)
			return nil
		}})
	r.Start()
	kittest.Await(t, func() bool { return ticks.Load() > 2 })
	if err := r.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	entered, release := make(chan struct{}), make(chan struct{})
	r = node(t, db, clock, kit.Job{Name: "stuck", Every: time.Millisecond, Everywhere: true, Timeout: time.Hour,
		Run: func(context.Context) error {
			close(entered)
			<-release
			return nil
		}})
	r.Start()
	<-entered
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.Stop(ctx); err == nil || !strings.Contains(err.Error(), "m.stuck") {
		t.Errorf("a job that ignores cancellation returned %v", err)
	}
	close(release)
}

// If the database cannot be written, due jobs are tried again at intervals, and the cause is logged once for all.
func TestUnwritableDatabase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stoa.db")
	db, clock := open(t, "sqlite:"+path), kittest.NewClock()
	var out kittest.Lines
	log := slog.New(slog.NewTextHandler(&out, nil))
	k := kernel.New(kernel.Options{DB: db, Clock: clock, Log: log})
	t.Cleanup(func() { _ = k.Stop(context.Background()) })
	n := nodes.New(nodes.Options{DB: db, Clock: clock, Log: log, Manual: true, Migrations: migrations})
	if err := n.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path, path+".moved"); err != nil {
		t.Fatal(err)
	}
	due := func(context.Context) error { t.Error("a job ran without a lease"); return nil }
	var r *jobs.Runner
	var looks atomic.Int64
	r = jobs.New([]kit.Contribution{{Module: "m", Parts: kit.Parts{Jobs: []kit.Job{
		{Name: "a", Every: time.Hour, Run: due}, {Name: "b", Every: time.Hour, Run: due},
		{Name: "look", Every: time.Millisecond, Everywhere: true,
			Run: func(context.Context) error { r.Look(); looks.Add(1); return nil }},
	}}}}, db, k, n, clock, log)
	r.Start()
	kittest.Await(t, func() bool { return strings.Contains(out.String(), "no job can be started") })
	seen := looks.Load()
	kittest.Await(t, func() bool { return looks.Load() > seen+100 })
	if err := r.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	if lines := strings.Count(out.String(), "\n"); lines != 1 {
		t.Errorf("logged %d lines:\n%.1000s", lines, out.String())
	}
}

// After the clock was set forward, nothing is deleted because of its age for a day, unless the clock is set back.
func TestClockSetForward(t *testing.T) {
	db, clock := open(t, kittest.Memory), kittest.NewClock()
	runs := 0
	r := node(t, db, clock, kit.Job{Name: "old", Every: time.Hour, Deletes: true,
		Run: func(context.Context) error { runs++; return nil }})
	for i, c := range []struct {
		jump, pass time.Duration
		want       int
	}{
		{0, 30 * 24 * time.Hour, 1}, {time.Minute, 0, 2}, {time.Hour, 0, 2}, {0, 23 * time.Hour, 2}, {-time.Hour, 0, 3},
		{24 * 365 * time.Hour, 0, 3}, {0, 24 * time.Hour, 4}, {0, time.Hour, 5}, {time.Hour, 0, 5},
	} {
		clock.Jump(c.jump)
		clock.Advance(c.pass)
		if err := r.Run(t.Context(), "m.old"); err != nil || runs != c.want {
			t.Errorf("%d: ran %d times, want %d; %v", i, runs, c.want, err)
		}
	}
}
