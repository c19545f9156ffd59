package jobs

import (
	"context"
	"time"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/modules/kit"
)

// State describes a job for operators.
type State struct {
	kit.Job
	Running bool      // on any node; if it runs on every node: on this one
	Due     time.Time // zero: the job runs on every node, has never run, or runs when work is due
}

// States returns all jobs, in the order of their modules.
func (r *Runner) States(ctx context.Context) ([]State, error) {
	leases, err := r.store.all(ctx, "")
	if err != nil {
		return nil, err
	}
	out := make([]State, len(r.jobs))
	for i, j := range r.jobs {
		out[i] = State{Job: j, Running: r.isBusy(j.Name)}
		l, ok := leases[j.Name]
		if !ok || j.Everywhere {
			continue
		}
		out[i].Running = !l.Free
		if j.Backlog == nil && l.Free {
			out[i].Due = time.UnixMilli(l.Due).UTC()
		}
	}
	return out, nil
}

// How long, and how often, RunNow tries to run a job that is running.
const (
	patience = 5 * time.Second
	retry    = 100 * time.Millisecond
)

// RunNow runs a job now, even if it is not due. Errors: BadRequest if it is running, on any node, and does not end
// within seconds.
func (r *Runner) RunNow(ctx context.Context, j kit.Job) error {
	if j.Everywhere {
		return r.run(ctx, j)
	}
	waiting, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		ran, err := r.early(ctx, j)
		switch {
		case ran || err != nil:
			return err
		case waiting.Err() != nil:
			return errs.Bad("the job %s is running already; see stoa job list", j.Name)
		}
		sleep(waiting, retry)
	}
}

// early runs a job that is not running, even if it is not due, and reports whether it did. The lease alone would not
// tell, since a node may take over what it holds itself.
func (r *Runner) early(ctx context.Context, j kit.Job) (ran bool, err error) {
	r.mu.Lock()
	busy := r.busy[j.Name]
	r.busy[j.Name] = true
	r.mu.Unlock()
	if busy {
		return false, nil
	}
	defer r.setBusy(j.Name, false)
	return r.once(ctx, j, true)
}
