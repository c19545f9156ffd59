package ports

import (
	"context"
	"slices"
	"sync/atomic"
	"time"
)

// Metrics creates the instruments that operators read at /metrics. A nil *Metrics, as while metrics are off, creates
// none, and nil instruments record nothing. Both cost no allocation. Create instruments in wire: their names must be
// unique.
type Metrics struct{ library MetricsLibrary }

// MetricsLibrary keeps the values of instruments. It isolates the metrics library.
type MetricsLibrary interface {
	// Counter returns a function that creates the counter for the values of an instrument's labels.
	Counter(Instrument) func(values []string) Adder
	// Histogram is Counter for histograms.
	Histogram(Instrument) func(values []string) Observer
	// Read shows what read sets, at each scrape or, if the instrument has an Age, when that has passed. total says that
	// the values only grow.
	Read(i Instrument, total bool, read func(ctx context.Context, set SetValue) error)
}

// Adder is one counter. It is a port because MetricsLibrary returns it.
type Adder interface{ Add(n float64) }

// Observer is one histogram. It is a port because MetricsLibrary returns it.
type Observer interface{ Observe(v float64) }

// NewMetrics returns metrics that a library keeps.
func NewMetrics(l MetricsLibrary) *Metrics { return &Metrics{l} }

// Instrument describes a counter, histogram or gauge.
type Instrument struct {
	// Name begins with stoa_, or in modules of others with their name, and ends in the unit, such as _seconds or _bytes;
	// that of a counter ends in _total.
	Name   string
	Help   string
	Labels []Label
	// Buckets are the upper bounds of a histogram's buckets; nil: bounds for seconds, from a millisecond to a minute.
	Buckets []float64
	Age     time.Duration // how long values that are expensive to read may be shown
}

// Label is a label with its possible values. They are a closed set, which never contains anything that people write or
// choose: names, addresses, IDs, texts of errors. Other values are counted as "other".
type Label struct {
	Name   string
	Values []string
}

// SetValue sets the value of a gauge for values of its labels.
type SetValue func(v float64, values ...string)

// Outcomes is the label of what may fail.
func Outcomes() Label { return Label{"outcome", []string{"ok", "failed"}} }

// Outcome returns the value of the label Outcomes.
func Outcome(err error) string {
	if err != nil {
		return "failed"
	}
	return "ok"
}

// Counter counts, separately for each combination of its labels' values.
type Counter struct{ series[Adder] }

// Histogram counts values, such as durations in seconds, by size.
type Histogram struct{ series[Observer] }

// Counter returns a new counter.
func (m *Metrics) Counter(i Instrument) *Counter {
	if m == nil {
		return nil
	}
	return &Counter{newSeries(i.Labels, m.library.Counter(i))}
}

// Histogram returns a new histogram.
func (m *Metrics) Histogram(i Instrument) *Histogram {
	if m == nil {
		return nil
	}
	return &Histogram{newSeries(i.Labels, m.library.Histogram(i))}
}

// Gauge shows values that are read when someone asks for them. read must be fast unless the instrument has an Age.
func (m *Metrics) Gauge(i Instrument, read func(ctx context.Context, set SetValue) error) {
	if m != nil {
		m.library.Read(i, false, read)
	}
}

// Total is Gauge for sums that only grow.
func (m *Metrics) Total(i Instrument, read func(ctx context.Context, set SetValue) error) {
	if m != nil {
		m.library.Read(i, true, read)
	}
}

// Add adds n for the given values of the labels, which are in the order of the instrument's.
func (c *Counter) Add(n int, values ...string) {
	if c != nil {
		c.at(values).Add(float64(n))
	}
}

// With returns the counter for values of the first labels. Its Add takes those of the others.
func (c *Counter) With(values ...string) *Counter {
	if c == nil {
		return nil
	}
	return &Counter{c.with(values)}
}

// Observe counts a value for the given values of the labels.
func (h *Histogram) Observe(v float64, values ...string) {
	if h != nil {
		h.at(values).Observe(v)
	}
}

// Took counts a duration, in seconds, for the given values of the labels.
func (h *Histogram) Took(d time.Duration, values ...string) {
	if h != nil {
		h.at(values).Observe(max(0, d.Seconds()))
	}
}

// With returns the histogram for values of the first labels. Its Observe takes those of the others.
func (h *Histogram) With(values ...string) *Histogram {
	if h == nil {
		return nil
	}
	return &Histogram{h.with(values)}
}

// series holds what records the values of each combination of label values. It is created when first used, except for
// instruments with few combinations, so that their rates begin at zero.
type series[T any] struct {
	labels []Label
	create func(values []string) T
	cells  []atomic.Pointer[T]
}

// few is the number of combinations up to which all exist from the beginning.
const few = 64

// OtherLabel replaces values that a label does not list.
const OtherLabel = "other"

func newSeries[T any](labels []Label, create func([]string) T) series[T] {
	all, listed := 1, 1
	for _, l := range labels {
		all, listed = all*(len(l.Values)+1), listed*len(l.Values)
	}
	s := series[T]{labels, create, make([]atomic.Pointer[T], all)}
	if listed <= few {
		s.createAll(nil)
	}
	return s
}

func (s *series[T]) createAll(values []string) {
	if len(values) == len(s.labels) {
		s.at(values)
		return
	}
	for _, v := range s.labels[len(values)].Values {
		s.createAll(append(slices.Clone(values), v))
	}
}

func (s *series[T]) at(values []string) T {
	n := number(s.labels, values)
	if p := s.cells[n].Load(); p != nil {
		return *p
	}
	return s.add(n)
}

// number numbers the combinations of the labels' values.
func number(labels []Label, values []string) int {
	n := 0
	for i, l := range labels {
		at := len(l.Values)
		if i < len(values) {
			if found := slices.Index(l.Values, values[i]); found >= 0 {
				at = found
			}
		}
		n = n*(len(l.Values)+1) + at
	}
	return n
}

// with returns the part of the series with values of the first labels.
func (s *series[T]) with(values []string) series[T] {
	fixed, rest := s.labels[:len(values)], s.labels[len(values):]
	size := 1
	for _, l := range rest {
		size *= len(l.Values) + 1
	}
	n := number(fixed, values)
	first := slices.Clone(values)
	for i, l := range fixed {
		if !slices.Contains(l.Values, first[i]) {
			first[i] = OtherLabel
		}
	}
	create := func(more []string) T { return s.create(slices.Concat(first, more)) }
	return series[T]{rest, create, s.cells[n*size : (n+1)*size]}
}

// add creates the cell with number n.
func (s *series[T]) add(n int) T {
	values, rest := make([]string, len(s.labels)), n
	for i := len(s.labels) - 1; i >= 0; i-- {
		l := s.labels[i]
		values[i] = OtherLabel
		if at := rest % (len(l.Values) + 1); at < len(l.Values) {
			values[i] = l.Values[at]
		}
		rest /= len(l.Values) + 1
	}
	it := s.create(values)
	s.cells[n].Store(&it)
	return it
}
