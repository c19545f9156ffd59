package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

const (
	checkEvery = 4 * time.Second
	firstCheck = time.Second // after the server has started
)

// Runner runs jobs.
type Runner struct {
	jobs  []kit.Job
	store store
	work  ports.UnitOfWork
	clock ports.Clock
	log   *slog.Logger
	node  ports.Node

	// AskEvery is how often all backlogs are read, to find what other nodes and commands have added. What this node adds
	// is found at once. Set it before Start.
	AskEvery time.Duration
	// Traces, if not nil, gets a span for each run. Set it before Start.
	Traces *ports.Traces
	// Panics, if not nil, counts panics. Set it before Start.
	Panics *kit.Panics
	// Database, if not nil, receives the outcome of each use of the database, and reports whether the database is down.
	// Set it before Start.
	Database interface {
		ObserveDatabase(err error) bool
		Down() bool
	}

	m       measures
	doubt   doubt
	stop    context.CancelFunc
	running sync.WaitGroup
	look    chan struct{} // receives when a job that runs on one node at a time may have become due
	blocked atomic.Bool   // whether the last attempt to lease a job failed
	freed   atomic.Bool   // whether a lease may have become free since the leases were last read
	started atomic.Bool   // after which backlogs does not change
	mu      sync.Mutex
	busy    map[string]bool

	backlogs  map[*kit.Backlog]*backlog // complete before the runner starts
	leasesDue time.Time                 // when the leases must be read again; used by runShared
}

// New returns a runner for the jobs of all modules. A job's full name is module.job.
func New(
	all []kit.Contribution,
	db *bunstore.DB,
	work ports.UnitOfWork,
	node ports.Node,
	clock ports.Clock,
	log *slog.Logger,
) *Runner {
	r := &Runner{
		store: store{db}, work: work, clock: clock, log: log, node: node, AskEvery: askEvery,
		look: make(chan struct{}, 1), busy: map[string]bool{}, backlogs: map[*kit.Backlog]*backlog{},
	}
	r.doubt.steady.Ahead(clock)
	for _, c := range all {
		for _, j := range c.Parts.Jobs {
			j.Name = c.Module + "." + j.Name
			if j.Timeout == 0 {
				j.Timeout = j.Every
			}
			r.jobs = append(r.jobs, j)
		}
	}
	return r
}

// Names returns the full names of all jobs.
func (r *Runner) Names() []string {
	var out []string
	for _, j := range r.jobs {
		out = append(out, j.Name)
	}
	return out
}

// Start starts running the jobs, in the runner's own context.
func (r *Runner) Start() {
	ctx, stop := context.WithCancel(context.Background())
	r.stop = stop
	var shared []kit.Job
	var loops []func()
	for _, j := range r.jobs {
		switch {
		case j.Everywhere && j.Backlog != nil:
			look := make(chan struct{}, 1)
			b := r.backlogOf(j.Backlog, look)
			loops = append(loops, func() { r.repeatDue(ctx, j, b, look) })
		case j.Everywhere:
			loops = append(loops, func() { r.repeat(ctx, j) })
		case j.Backlog != nil:
			r.backlogOf(j.Backlog, r.look)
			shared = append(shared, j)
		default:
			shared = append(shared, j)
		}
	}
	if len(shared) > 0 {
		loops = append(loops, func() { r.runShared(ctx, shared) })
	}
	if len(r.backlogs) > 0 {
		loops = append(loops, func() { r.readBacklogs(ctx) })
	}
	for of, b := range r.backlogs {
		of.OnAdded(func() { b.changed(); b.look() })
	}
	for _, loop := range loops {
		r.running.Go(loop)
	}
	r.started.Store(true)
}

// Stop cancels the running jobs and waits until they have ended. If ctx ends first, the error names the remaining jobs.
func (r *Runner) Stop(ctx context.Context) error {
	if r.stop == nil {
		return nil
	}
	r.stop()
	done := make(chan struct{})
	go func() {
		r.running.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("jobs did not stop in time: %s", strings.Join(r.unfinished(), ", "))
	}
}

// Run runs a job now, even if it is not due.
func (r *Runner) Run(ctx context.Context, name string) error {
	i := slices.IndexFunc(r.jobs, func(j kit.Job) bool { return j.Name == name })
	if i < 0 {
		return fmt.Errorf("no job is named %q; there are: %s", name, strings.Join(r.Names(), ", "))
	}
	return r.run(ctx, r.jobs[i])
}

// repeat runs a job that every node runs.
func (r *Runner) repeat(ctx context.Context, j kit.Job) {
	tick := time.NewTicker(j.Every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		r.report(ctx, j, r.run(ctx, j))
	}
}

// runShared runs due jobs, of the kind that only one node at a time runs.
func (r *Runner) runShared(ctx context.Context, all []kit.Job) {
	wait := time.NewTimer(firstCheck)
	defer wait.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-wait.C:
		case <-r.look:
		}
		next, err := r.startDue(ctx, all)
		switch {
		case ctx.Err() != nil, r.Database != nil && r.Database.ObserveDatabase(err):
		case err != nil:
			r.log.Error("cannot look for due jobs", "error", err)
		}
		wait.Reset(next)
	}
}

// startDue starts the due jobs that are not running on this node, and returns the time until the next check.
func (r *Runner) startDue(ctx context.Context, all []kit.Job) (time.Duration, error) {
	now, next := r.clock.Now(), checkEvery
	var candidates []kit.Job
	working := false // whether a backlog has due work
	for _, j := range all {
		if r.isBusy(j.Name) {
			continue
		}
		if b := r.backlogs[j.Backlog]; b != nil {
			wait, err := r.untilDue(ctx, j, b, now)
			if err != nil {
				return checkEvery, err
			}
			if wait > 0 {
				next = min(next, wait)
				continue
			}
			working = true
		}
		candidates = append(candidates, j)
	}
	if wait := r.leasesDue.Sub(now); !working && wait > 0 && wait <= checkEvery && !r.freed.Swap(false) {
		return min(next, wait), nil
	}
	wait, err := r.startFree(ctx, candidates, now)
	r.leasesDue = now.Add(wait)
	return min(next, wait), err
}

// startFree starts those of the jobs that no node is running and that may run again, and returns the time until the
// next one may.
func (r *Runner) startFree(ctx context.Context, some []kit.Job, now time.Time) (time.Duration, error) {
	_, holder, done := r.node.Hold(ctx)
	done()
	leases, err := r.store.all(ctx, holder)
	if err != nil {
		return checkEvery, err
	}
	next := checkEvery
	for _, j := range some {
		if l, ok := leases[j.Name]; ok && !l.ready(now, j.Every) {
			if l.Free {
				next = min(next, time.UnixMilli(l.Due).Sub(now)+time.Millisecond)
			}
			continue
		}
		r.setBusy(j.Name, true)
		r.running.Go(func() {
			err := r.Once(ctx, j)
			r.report(ctx, j, err)
			if errors.As(err, new(leaseError)) { // the job is still due, and would fail again at once
				sleep(ctx, checkEvery)
			}
			r.setBusy(j.Name, false)
			if b := r.backlogs[j.Backlog]; b != nil {
				b.ended(err)
			}
			r.Look()
		})
	}
	return next, nil
}

// Freed makes the runner look for due work of every kind now, since a node that held leases has died.
func (r *Runner) Freed() {
	if !r.started.Load() {
		return
	}
	for _, b := range r.backlogs {
		b.changed()
		b.look()
	}
	r.Look()
}

// Look makes the runner look for due jobs now, since one has ended.
func (r *Runner) Look() {
	r.freed.Store(true)
	signal(r.look)
}

// report logs a job's failure, unless the database is down, which is logged once for all its users.
func (r *Runner) report(ctx context.Context, j kit.Job, err error) {
	switch {
	case err == nil, ctx.Err() != nil, r.Database != nil && r.Database.Down():
	case errors.As(err, new(leaseError)):
		if !r.blocked.Swap(true) { // the same for all jobs
			r.log.Error("no job can be started", "job", j.Name, "error", err)
		}
	default:
		r.log.Error("job failed", "job", j.Name, "error", err)
	}
}

// leaseError reports that a job could not be leased, for example because the disk is full.
type leaseError struct{ error }

// Unwrap returns the cause.
func (e leaseError) Unwrap() error { return e.error }

// sleep waits until d has passed or ctx ends.
func sleep(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// Once runs a job if it is due and no other node is running it. If stopping the server interrupts the job, it is due
// immediately for the next node that starts. If this node may have lost its lease, the job's context ends.
func (r *Runner) Once(ctx context.Context, j kit.Job) error {
	_, err := r.once(ctx, j, false)
	return err
}

// once is Once, but reports whether the job ran. early runs it even if it is not due.
func (r *Runner) once(ctx context.Context, j kit.Job, early bool) (ran bool, err error) {
	now := r.clock.Now()
	held, holder, done := r.node.Hold(ctx)
	defer done()
	acquired, err := kit.Tx(held, r.work, func(ctx context.Context) (bool, error) {
		return r.store.acquire(ctx, j, holder, now, early)
	})
	if err != nil {
		return false, leaseError{err}
	}
	if r.blocked.Swap(false) {
		r.log.Info("jobs run again")
	}
	if !acquired {
		return false, nil
	}
	failed := r.run(held, j)
	due := now.Add(j.Every)
	switch {
	case ctx.Err() != nil:
		due = now
	case held.Err() != nil:
		due, failed = now, errors.Join(failed, context.Cause(held))
	}
	end := context.WithoutCancel(ctx)
	return true, errors.Join(failed, r.work.Do(end, func(ctx context.Context) error {
		return r.store.finish(ctx, j.Name, holder, due)
	}))
}

func (r *Runner) run(ctx context.Context, j kit.Job) (err error) {
	if doubtful, first := r.doubt.rises(r.clock); doubtful && j.Deletes {
		return nil
	} else if first {
		r.log.Warn("the clock was set forward; nothing is deleted because of its age for a day, unless it is set back")
	}
	ctx, cancel := context.WithTimeout(ctx, j.Timeout)
	defer cancel()
	if !r.isBusy(j.Name) {
		r.setBusy(j.Name, true)
		defer r.setBusy(j.Name, false)
	}
	begun := r.clock.Now()
	ctx, span := r.Traces.Begin(ctx, ports.SpanJob, j.Name, "")
	defer func() { span.End(err) }()
	err = r.recovered(ctx, j)
	r.m.ran(j.Name, begun, r.clock.Now(), err)
	return err
}

func (r *Runner) isBusy(name string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.busy[name]
}

func (r *Runner) setBusy(name string, on bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if on {
		r.busy[name] = true
	} else {
		delete(r.busy, name)
	}
}

func (r *Runner) unfinished() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []string
	for name := range r.busy {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}
