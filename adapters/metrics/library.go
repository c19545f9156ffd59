package metrics

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/stoachat/stoa/ports"
)

// seconds are the bounds of durations: from the fastest request to the longest time limit.
var seconds = []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60}

// nativeFactor is the growth of the native buckets, which Prometheus reads if it scrapes protocol buffers.
const nativeFactor = 1.1

// Library implements ports.MetricsLibrary with Prometheus's client.
type Library struct {
	registry *prometheus.Registry
	clock    ports.Clock
}

var _ ports.MetricsLibrary = (*Library)(nil)

// New returns a library with the instruments of Go and of the process.
func New(clock ports.Clock) *Library {
	l := &Library{prometheus.NewRegistry(), clock}
	l.registry.MustRegister(collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return l
}

// Counter implements ports.MetricsLibrary.
func (l *Library) Counter(i ports.Instrument) func([]string) ports.Adder {
	v := prometheus.NewCounterVec(prometheus.CounterOpts{Name: i.Name, Help: i.Help}, names(i))
	l.registry.MustRegister(v)
	return func(values []string) ports.Adder { return v.WithLabelValues(values...) }
}

// Histogram implements ports.MetricsLibrary.
func (l *Library) Histogram(i ports.Instrument) func([]string) ports.Observer {
	o := prometheus.HistogramOpts{
		Name: i.Name, Help: i.Help, Buckets: i.Buckets, NativeHistogramBucketFactor: nativeFactor,
		NativeHistogramMaxBucketNumber: 100,
	}
	if o.Buckets == nil {
		o.Buckets = seconds
	}
	v := prometheus.NewHistogramVec(o, names(i))
	l.registry.MustRegister(v)
	return func(values []string) ports.Observer { return v.WithLabelValues(values...) }
}

func names(i ports.Instrument) []string {
	all := make([]string, len(i.Labels))
	for n, l := range i.Labels {
		all[n] = l.Name
	}
	return all
}
