package jobs

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// look is how often a node looks whether a job that runs on one node is due.
const look = 15 * time.Second

// Runner runs jobs.
type Runner struct {
	jobs  []kit.Job
	store store
	work  ports.UnitOfWork
	clock ports.Clock
	log   *slog.Logger
	node  string

	stop    context.CancelFunc
	running sync.WaitGroup
	mu      sync.Mutex
	busy    map[string]bool
}

// New makes a runner for the jobs of all modules; a job's full name is module.job.
func New(all []kit.Contribution, db *bunstore.DB, work ports.UnitOfWork, clock ports.Clock, log *slog.Logger) *Runner {
	r := &Runner{store: store{db}, work: work, clock: clock, log: log, node: rand.Text(), busy: map[string]bool{}}
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

// Names gives the full names of all jobs.
func (r *Runner) Names() []string {
	var out []string
	for _, j := range r.jobs {
		out = append(out, j.Name)
	}
	return out
}

// Start begins to run the jobs, in a context of the runner's own.
func (r *Runner) Start() {
	ctx, stop := context.WithCancel(context.Background())
	r.stop = stop
	for _, j := range r.jobs {
		r.running.Go(func() { r.loop(ctx, j) })
	}
}

// Stop ends the running jobs and waits for them until ctx ends. Errors: ctx ended first; it names the jobs.
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

// Run runs a job now, whether it is due or not.
func (r *Runner) Run(ctx context.Context, name string) error {
	i := slices.IndexFunc(r.jobs, func(j kit.Job) bool { return j.Name == name })
	if i < 0 {
		return fmt.Errorf("no job is named %q; there are: %s", name, strings.Join(r.Names(), ", "))
	}
	return r.run(ctx, r.jobs[i])
}

func (r *Runner) loop(ctx context.Context, j kit.Job) {
	every, step := j.Every, r.run
	if !j.Everywhere {
		every, step = min(j.Every, look), r.Once
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := step(ctx, j); err != nil && ctx.Err() == nil {
			r.log.Error("job failed", "job", j.Name, "error", err)
		}
	}
}

// Once runs a job if it is due and no other node runs it.
func (r *Runner) Once(ctx context.Context, j kit.Job) error {
	now := r.clock.Now()
	if due, err := r.store.due(ctx, j.Name, now); err != nil || !due {
		return err
	}
	got, err := kit.Tx(ctx, r.work, func(ctx context.Context) (bool, error) {
		return r.store.take(ctx, j.Name, r.node, now, now.Add(j.Timeout))
	})
	if err != nil || !got {
		return err
	}
	failed := r.run(ctx, j)
	end := context.WithoutCancel(ctx) // also when the server stops: the next run is due in its time
	return errors.Join(failed, r.work.Do(end, func(ctx context.Context) error {
		return r.store.finish(ctx, j.Name, r.node, now.Add(j.Every))
	}))
}

func (r *Runner) run(ctx context.Context, j kit.Job) (err error) {
	ctx, cancel := context.WithTimeout(ctx, j.Timeout)
	defer cancel()
	r.mark(j.Name, true)
	defer r.mark(j.Name, false)
	defer func() {
		if p := recover(); p != nil {
			r.log.Error("job panicked", "job", j.Name, "panic", p, "stack", string(debug.Stack()))
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return j.Run(ctx)
}

func (r *Runner) mark(name string, on bool) {
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
