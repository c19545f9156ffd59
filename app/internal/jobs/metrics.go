package jobs

import (
	"context"
	"sync"
	"time"

	"github.com/stoachat/stoa/ports"
)

// measures are the runner's instruments. They are nil while metrics are off.
type measures struct {
	runs *ports.Counter
	took *ports.Histogram

	mu    *sync.Mutex
	ended map[string]time.Time // the last successful run on this node
}

// Measure begins to measure the jobs. Call it before Start.
func (r *Runner) Measure(m *ports.Metrics) {
	if m == nil {
		return
	}
	job := ports.Label{Name: "job", Values: r.Names()}
	r.m = measures{
		runs: m.Counter(ports.Instrument{Name: "stoa_job_runs_total", Labels: []ports.Label{job, ports.Outcomes()},
			Help: "Runs of background jobs on this node."}),
		took: m.Histogram(ports.Instrument{Name: "stoa_job_duration_seconds", Labels: []ports.Label{job},
			Help: "Duration of the runs of background jobs."}),
		mu: &sync.Mutex{}, ended: map[string]time.Time{},
	}
	m.Gauge(ports.Instrument{
		Name: "stoa_job_last_success_timestamp_seconds", Labels: []ports.Label{job},
		Help: "When the last successful run of a job on this node ended.",
	}, func(_ context.Context, set ports.SetValue) error {
		r.m.mu.Lock()
		defer r.m.mu.Unlock()
		for name, at := range r.m.ended {
			set(float64(at.UnixMilli())/1e3, name)
		}
		return nil
	})
	m.Gauge(ports.Instrument{
		Name: "stoa_job_due_seconds", Labels: []ports.Label{job}, Age: checkEvery,
		Help: "How long a job that runs on one node at a time has been due; 0 if it runs or is not due.",
	}, r.readDue)
}

// ran measures a run.
func (m *measures) ran(job string, begun, ended time.Time, err error) {
	if m.runs == nil {
		return
	}
	m.runs.Add(1, job, ports.Outcome(err))
	m.took.Took(ended.Sub(begun), job)
	if err != nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ended[job] = ended
}

// readDue reads how long jobs have been due. A job with a backlog is due when the earliest item is, which the runner
// knows only while it runs.
func (r *Runner) readDue(ctx context.Context, set ports.SetValue) error {
	_, holder, done := r.node.Hold(ctx)
	done()
	leases, err := r.store.all(ctx, holder)
	if err != nil {
		return err
	}
	now := r.clock.Now()
	for _, j := range r.jobs {
		if j.Everywhere || j.Backlog != nil {
			continue
		}
		due := 0.0
		if l, ok := leases[j.Name]; ok && l.Holder == "" {
			due = max(0, now.Sub(time.UnixMilli(l.Due)).Seconds())
		}
		set(due, j.Name)
	}
	return nil
}
