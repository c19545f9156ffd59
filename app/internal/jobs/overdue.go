package jobs

import (
	"context"
	"fmt"
	"time"
)

// late is how long after its time a job, or the first item of a backlog, is overdue.
const late = time.Hour

// Overdue describes the jobs that have not run for longer than they should, and the backlogs whose first item waits for
// too long.
func (r *Runner) Overdue(ctx context.Context) ([]string, error) {
	now := r.clock.Now()
	leases, err := r.store.all(ctx, "")
	if err != nil {
		return nil, err
	}
	var out []string
	for _, j := range r.jobs {
		due, waits := time.Time{}, ""
		if l, known := leases[j.Name]; j.Backlog != nil {
			waits = "work of the job %s is due since %s"
			all, err := r.store.earliest(ctx, j.Backlog)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", j.Name, err)
			}
			due = all[0]
		} else if known && !j.Everywhere {
			waits, due = "the job %s is due since %s", time.UnixMilli(l.Due)
		}
		if due.Unix() > 0 && now.Sub(due) > late+j.Timeout {
			out = append(out, fmt.Sprintf(waits, j.Name, due.UTC().Format(time.RFC3339)))
		}
	}
	return out, nil
}
