package load

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stoachat/stoa/ports"
)

// results collects latencies and errors.
type results struct {
	clock                      ports.Clock
	sent, delivered, listeners atomic.Int64

	mu     sync.Mutex
	times  map[string][]time.Duration
	errors map[string]map[string]int // by operation and text
}

func newResults(c ports.Clock) *results {
	return &results{clock: c, times: map[string][]time.Duration{}, errors: map[string]map[string]int{}}
}

// add records the end of an operation that was to begin at a time.
func (r *results) add(name string, due time.Time, err error) {
	took := r.clock.Now().Sub(due)
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case err == nil:
		r.times[name] = append(r.times[name], took)
	case r.errors[name] == nil:
		r.errors[name] = map[string]int{cause(err): 1}
	default:
		r.errors[name][cause(err)]++
	}
}

// cause returns the text of an error without addresses and ports, which differ.
func cause(err error) string {
	for next := errors.Unwrap(err); next != nil; next = errors.Unwrap(err) {
		err = next
	}
	return err.Error()
}

// deliver records that somebody has received a message that was to be sent at a time.
func (r *results) deliver(due time.Time) {
	r.add("deliver", due, nil)
	r.delivered.Add(1)
}

// awaitDelivered waits until everybody who listens has received every message.
func (r *results) awaitDelivered(ctx context.Context) {
	for r.delivered.Load() < r.sent.Load()*r.listeners.Load() {
		if !sleep(ctx, 10*time.Millisecond) {
			return
		}
	}
}

// refusal returns the code of a refusal; "": none.
func refusal(err error) string {
	var refused *refusedError
	if errors.As(err, &refused) {
		return refused.code
	}
	return ""
}

// consumed is what the server has used.
type consumed struct{ cpu, memory float64 } // seconds, bytes

// measure reads what the server has used; zero without Metrics.
func (r *run) measure(ctx context.Context) (consumed, error) {
	var c consumed
	if r.Metrics == "" {
		return c, nil
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, r.Metrics, nil)
	if err != nil {
		return c, err
	}
	if r.Token != "" {
		req.Header.Set("Authorization", "Bearer "+r.Token)
	}
	res, err := newClient(callTimeout, 1).Do(req)
	if err != nil {
		return c, fmt.Errorf("read metrics: %w", err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return c, fmt.Errorf("read metrics: %s", res.Status)
	}
	lines := bufio.NewScanner(res.Body)
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), " ")
		n, _ := strconv.ParseFloat(value, 64) // comments are none
		switch name {
		case "process_cpu_seconds_total":
			c.cpu = n
		case "process_resident_memory_bytes":
			c.memory = n
		}
	}
	return c, lines.Err()
}

// Report is what a run has measured.
type Report struct {
	Scenario   string         `json:"scenario"`
	Users      int            `json:"users"`
	Rate       float64        `json:"messages_per_second"`
	Took       float64        `json:"seconds"`
	Sent       int64          `json:"sent"`
	Missing    int64          `json:"not_delivered"`
	Operations []Measured     `json:"operations"`
	Errors     []CountedError `json:"errors"`
	// Of the server's process, if its metrics were read.
	CPU    float64 `json:"server_cpu_ms_per_message,omitempty"`
	Cores  float64 `json:"server_cores,omitempty"`
	Memory float64 `json:"server_memory_mib,omitempty"`
}

// Measured is the latency of an operation, in milliseconds from the time at which it was to begin.
type Measured struct {
	Name   string  `json:"name"`
	Count  int     `json:"count"`
	Errors int     `json:"errors"`
	P50    float64 `json:"p50_ms"`
	P99    float64 `json:"p99_ms"`
	Max    float64 `json:"max_ms"`
}

// CountedError is an error of requests, and how many had it.
type CountedError struct {
	Operation string `json:"operation"`
	Error     string `json:"error"`
	Count     int    `json:"count"`
}

func (r *results) report(o Options, took time.Duration, before, after consumed) *Report {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := &Report{
		Scenario: o.Scenario, Users: o.Users, Rate: o.Rate, Took: took.Seconds(), Sent: r.sent.Load(),
		Missing: r.sent.Load()*r.listeners.Load() - r.delivered.Load(), Errors: []CountedError{},
	}
	if sent := float64(p.Sent); o.Metrics != "" && sent > 0 {
		p.CPU, p.Cores = (after.cpu-before.cpu)*1000/sent, (after.cpu-before.cpu)/took.Seconds()
		p.Memory = after.memory / (1 << 20)
	}
	names := map[string]bool{}
	for name := range r.times {
		names[name] = true
	}
	for name, all := range r.errors {
		names[name] = true
		for text, n := range all {
			p.Errors = append(p.Errors, CountedError{name, text, n})
		}
	}
	for name := range names {
		p.Operations = append(p.Operations, r.measured(name))
	}
	slices.SortFunc(p.Operations, func(a, b Measured) int { return strings.Compare(a.Name, b.Name) })
	slices.SortFunc(p.Errors, func(a, b CountedError) int { return b.Count - a.Count })
	return p
}

func (r *results) measured(name string) Measured {
	m := Measured{Name: name, Count: len(r.times[name])}
	for _, n := range r.errors[name] {
		m.Errors += n
	}
	all := r.times[name]
	slices.Sort(all)
	at := func(share float64) float64 {
		if len(all) == 0 {
			return 0
		}
		return all[min(len(all)-1, int(share*float64(len(all))))].Seconds() * 1000
	}
	m.P50, m.P99, m.Max = at(0.5), at(0.99), at(1)
	return m
}

// String returns the report as a table.
func (p *Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-10s %9s %7s %10s %10s %10s\n", "operation", "count", "errors", "p50 ms", "p99 ms", "max ms")
	for _, m := range p.Operations {
		fmt.Fprintf(&b, "%-10s %9d %7d %10.1f %10.1f %10.1f\n", m.Name, m.Count, m.Errors, m.P50, m.P99, m.Max)
	}
	fmt.Fprintf(&b, "\n%d users, %d messages in %.1f s, %d deliveries missing\n", p.Users, p.Sent, p.Took, p.Missing)
	if p.Memory > 0 {
		fmt.Fprintf(&b, "server: %.2f ms of CPU a message, %.2f cores, %.0f MiB\n", p.CPU, p.Cores, p.Memory)
	}
	for _, e := range p.Errors {
		fmt.Fprintf(&b, "%7d × %s: %s\n", e.Count, e.Operation, e.Error)
	}
	return b.String()
}
