package jobs

import (
	"context"
	"sync"
	"time"

	"github.com/stoachat/stoa/modules/kit"
)

// askEvery is the default of Runner.AskEvery.
const askEvery = 4 * time.Second

// backlog is what the runner knows about a kit.Backlog.
type backlog struct {
	of   *kit.Backlog
	jobs []chan<- struct{} // each makes a loop look whether its jobs are due; complete before the runner starts

	reading sync.Mutex // held while the database is read; mu is not, since commits wait for changed

	mu     sync.Mutex
	due    time.Time // of the first item; zero if none waits
	read   time.Time // when due was read
	stale  bool      // whether due may have changed since it was read
	failed bool      // whether the last run failed: run again, whatever is due
	turn   int       // counts readings and changes, so that an older reading does not replace a newer one
}

// backlogOf returns the runner's state for a backlog, whose jobs are started by a loop that receives from look.
func (r *Runner) backlogOf(of *kit.Backlog, look chan<- struct{}) *backlog {
	b := r.backlogs[of]
	if b == nil {
		b = &backlog{of: of, stale: true}
		r.backlogs[of] = b
	}
	b.jobs = append(b.jobs, look)
	return b
}

// look makes the jobs look at the backlog.
func (b *backlog) look() {
	for _, c := range b.jobs {
		signal(c)
	}
}

// changed records that items may have been added or removed.
func (b *backlog) changed() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.stale = true
	b.turn++
}

// ended records the outcome of a run.
func (b *backlog) ended(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.stale, b.failed = true, err != nil
	b.turn++
}

// signal sends to a channel with a buffer of one, unless it is full.
func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// untilDue returns the time until the first item is due, or until the caller should ask again. It is 0 if one is due.
// It reads the backlog of a job at most once per interval of the job.
func (r *Runner) untilDue(ctx context.Context, j kit.Job, b *backlog, now time.Time) (time.Duration, error) {
	b.reading.Lock()
	defer b.reading.Unlock()
	wait, known := b.known(j, now, r.AskEvery)
	if known {
		return wait, nil
	}
	due, err := r.store.earliest(ctx, b.of)
	if err != nil {
		b.changed()
		return r.AskEvery, err
	}
	b.learn(due[0], now)
	return until(due[0], now, r.AskEvery), nil
}

// until returns the time until due, but no more than longest, since the clock may be set. Nothing is due at the zero
// time.
func until(due, now time.Time, longest time.Duration) time.Duration {
	if due.IsZero() {
		return longest
	}
	return min(max(0, due.Sub(now)), longest)
}

// known returns the result of untilDue, or false if the backlog must be read. Then the caller reads it.
func (b *backlog) known(j kit.Job, now time.Time, longest time.Duration) (time.Duration, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.failed {
		return 0, true
	}
	if b.stale {
		if wait := b.read.Add(j.Every).Sub(now); wait > 0 && wait <= j.Every {
			return min(wait, longest), true
		}
		b.stale = false // unless something changes while it is read
		return 0, false
	}
	return until(b.due, now, longest), true
}

func (b *backlog) learn(due, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.due, b.read = due, now
	b.turn++
}

// readBacklogs reads all backlogs periodically with a single statement.
func (r *Runner) readBacklogs(ctx context.Context) {
	var all []*backlog
	var of []*kit.Backlog
	for _, b := range r.backlogs {
		all, of = append(all, b), append(of, b.of)
	}
	tick := time.NewTicker(r.AskEvery)
	defer tick.Stop()
	turns := make([]int, len(all))
	for {
		for i, b := range all {
			turns[i] = b.current()
		}
		due, err := r.store.earliest(ctx, of...)
		switch {
		case ctx.Err() != nil, r.Database != nil && r.Database.ObserveDatabase(err):
		case err != nil:
			r.log.Error("cannot look for due work", "error", err)
		}
		for i := range due {
			all[i].found(due[i], turns[i])
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

func (b *backlog) current() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.turn
}

// found records when the first item is due, unless that is known better since the given turn.
func (b *backlog) found(due time.Time, turn int) {
	b.mu.Lock()
	changed := b.turn == turn && (b.stale || !b.due.Equal(due))
	if changed {
		b.due, b.stale = due, false
		b.turn++
	}
	b.mu.Unlock()
	if changed && !due.IsZero() {
		b.look()
	}
}

// repeatDue runs a job that every node runs whenever work is due, but starts it at most once per interval.
func (r *Runner) repeatDue(ctx context.Context, j kit.Job, b *backlog, look <-chan struct{}) {
	timer := time.NewTimer(r.AskEvery)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-look:
		case <-timer.C:
		}
		now := r.clock.Now()
		wait, err := r.untilDue(ctx, j, b, now)
		switch {
		case err != nil:
			r.report(ctx, j, err)
		case wait == 0:
			err = r.run(ctx, j)
			r.report(ctx, j, err)
			b.ended(err)
			rest := time.NewTimer(min(now.Add(j.Every).Sub(r.clock.Now()), j.Every))
			select {
			case <-ctx.Done():
				rest.Stop()
				return
			case <-rest.C:
			}
		}
		timer.Reset(wait)
	}
}
