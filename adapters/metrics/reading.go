package metrics

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/stoachat/stoa/ports"
)

// readTimeout is the time limit for reading the values of one instrument.
const readTimeout = 5 * time.Second

// reading is an instrument whose values are read.
type reading struct {
	ports.Instrument
	desc  *prometheus.Desc
	kind  prometheus.ValueType
	read  func(context.Context, ports.SetValue) error
	clock ports.Clock

	mu    sync.Mutex
	at    time.Time // when all was read; zero: never
	known []prometheus.Metric
}

// Read implements ports.MetricsLibrary.
func (l *Library) Read(i ports.Instrument, total bool, read func(context.Context, ports.SetValue) error) {
	r := &reading{Instrument: i, desc: prometheus.NewDesc(i.Name, i.Help, names(i), nil), kind: prometheus.GaugeValue,
		read: read, clock: l.clock}
	if total {
		r.kind = prometheus.CounterValue
	}
	l.registry.MustRegister(r)
}

// Describe implements prometheus.Collector.
func (r *reading) Describe(to chan<- *prometheus.Desc) { to <- r.desc }

// Collect implements prometheus.Collector. If reading fails, the instrument has no values, so that those who watch it
// see that they are unknown.
func (r *reading) Collect(to chan<- prometheus.Metric) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if now := r.clock.Now(); r.at.IsZero() || now.Sub(r.at) >= r.Age {
		r.known, r.at = r.values(), now
	}
	for _, m := range r.known {
		to <- m
	}
}

func (r *reading) values() []prometheus.Metric {
	ctx, cancel := context.WithTimeout(context.Background(), readTimeout)
	defer cancel()
	var all []prometheus.Metric
	err := r.read(ctx, func(v float64, values ...string) {
		if m, err := prometheus.NewConstMetric(r.desc, r.kind, v, r.listed(values)...); err == nil {
			all = append(all, m)
		}
	})
	if err != nil {
		return nil
	}
	return all
}

// listed replaces values that their label does not list.
func (r *reading) listed(values []string) []string {
	out := slices.Clone(values)
	for i, v := range out {
		if i < len(r.Labels) && !slices.Contains(r.Labels[i].Values, v) {
			out[i] = ports.OtherLabel
		}
	}
	return out
}
