package kernel

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// measures are the kernel's instruments. They are nil while metrics are off.
type measures struct {
	clock                           ports.Clock // nil while metrics are off
	commits, conflicts, events      *ports.Counter
	commitTook, batchSize, viewLoad *ports.Histogram
}

// now returns the time if it is needed for a measurement.
func (m *measures) now() time.Time {
	if m.clock == nil {
		return time.Time{}
	}
	return m.clock.Now()
}

// attempted measures an attempt to commit a change.
func (m *measures) attempted(begun time.Time, k *Kernel, err error) {
	if m.clock == nil {
		return
	}
	outcome := "failed"
	var refusal *errs.Error
	switch {
	case err == nil:
		outcome = "committed"
	case errors.Is(err, errStale):
		outcome = "conflict"
		m.conflicts.Add(1)
	case k.db.Retryable(err):
		outcome = "conflict"
	case errors.As(err, &refusal) && refusal.Code != errs.Unavailable:
		outcome = "refused"
	}
	m.commits.Add(1, outcome)
	m.commitTook.Took(m.now().Sub(begun), outcome)
}

// measure creates the instruments.
func (k *Kernel) measure(all []kit.Contribution) {
	m := k.o.Metrics
	if m == nil {
		return
	}
	var types []string
	for _, c := range all {
		for _, e := range c.Parts.Events {
			types = append(types, e.Type)
		}
	}
	slices.Sort(types)
	types = slices.Compact(types)
	outcomes := []ports.Label{{Name: "outcome", Values: []string{"committed", "refused", "conflict", "failed"}}}
	k.m = measures{
		clock: k.o.Clock,
		commits: m.Counter(ports.Instrument{Name: "stoa_commits_total", Labels: outcomes,
			Help: "Attempts to commit a change or a batch of changes. Conflicts are decided again."}),
		commitTook: m.Histogram(ports.Instrument{Name: "stoa_commit_duration_seconds", Labels: outcomes,
			Help: "Duration of an attempt to commit, with waiting for the database and for locks."}),
		batchSize: m.Histogram(ports.Instrument{Name: "stoa_batch_size",
			Buckets: []float64{1, 2, 4, 8, 16, 32, 64, 128, 256},
			Help:    "Number of changes, such as messages and reactions, that were committed together."}),
		conflicts: m.Counter(ports.Instrument{Name: "stoa_log_conflicts_total",
			Help: "Changes that were decided again because another change of the organization was faster."}),
		events: m.Counter(ports.Instrument{Name: "stoa_events_total",
			Labels: []ports.Label{{Name: "type", Values: types}},
			Help:   "Entries that this node has appended to the organizations' logs."}),
		viewLoad: m.Histogram(ports.Instrument{Name: "stoa_view_load_seconds",
			Help: "Duration of loading the view of an organization from the database."}),
	}
	k.measureLogs(m)
}

// viewBytesAge is how long an estimate of the memory of views is shown.
const viewBytesAge = 5 * time.Minute

// measureLogs creates the instruments that read the models.
func (k *Kernel) measureLogs(m *ports.Metrics) {
	joined := func(i ports.Instrument, read func(*model) float64, join func(a, b float64) float64) {
		m.Gauge(i, func(_ context.Context, set ports.SetValue) error {
			all := 0.0
			for _, one := range k.builtModels() {
				all = join(all, read(one))
			}
			set(all)
			return nil
		})
	}
	gauge := func(name, help string, read func(*model) float64, join func(a, b float64) float64) {
		joined(ports.Instrument{Name: name, Help: help}, read, join)
	}
	add := func(a, b float64) float64 { return a + b }
	gauge("stoa_views_loaded", "Organizations whose views this node holds in memory.",
		func(*model) float64 { return 1 }, add)
	joined(ports.Instrument{Name: "stoa_view_bytes", Age: viewBytesAge,
		Help: "Memory that the newest views of organizations occupy, estimated from samples."},
		func(m *model) float64 { return float64(memoryOf(m.newest())) }, add)
	gauge("stoa_log_head", "Number of the newest entry of the log that this node knows of; the sum of all "+
		"organizations in memory.", func(m *model) float64 { head, _ := m.positions(); return float64(head) }, add)
	gauge("stoa_log_applied", "Number of the newest entry of the log that this node has applied; the sum of all "+
		"organizations in memory.", func(m *model) float64 { _, at := m.positions(); return float64(at) }, add)
	gauge("stoa_log_lag_seconds", "How late this node has applied the newest entries of other nodes or, if it cannot "+
		"read the log, for how long; of the organization that is furthest behind.",
		func(m *model) float64 { return m.behind().Seconds() }, func(a, b float64) float64 { return max(a, b) })
}

// builtModels returns all models that have been built.
func (k *Kernel) builtModels() []*model {
	k.mu.Lock()
	defer k.mu.Unlock()
	var out []*model
	for _, m := range k.models {
		select {
		case <-m.ready:
			if m.err == nil {
				out = append(out, m)
			}
		default:
		}
	}
	return out
}

// sawHead records the newest position of the log.
func (m *model) sawHead(seq event.Seq) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.head = seq
}

// positions returns the newest known position of the log, and the one that was applied.
func (m *model) positions() (head, applied event.Seq) {
	m.mu.Lock()
	defer m.mu.Unlock()
	applied = event.Seq(m.last().Seq())
	return max(m.head, applied), applied
}

// measureLag measures how late the entries after a position were applied, which this node has just read.
func (m *model) measureLag(after, head event.Seq) {
	if m.k.m.clock == nil {
		return
	}
	var lag time.Duration
	if es, ok := m.recent(after, after+1); ok && head > after {
		lag = max(0, m.k.m.now().Sub(es[0].At))
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lag = lag
}

// behind returns how late entries arrive. A realm that is followed is verified at each poll.
func (m *model) behind() time.Duration {
	now := m.k.o.Clock.Now()
	m.mu.Lock()
	defer m.mu.Unlock()
	return max(m.lag, now.Sub(m.verified)-2*m.k.o.Poll, 0)
}
