package metrics_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/adapters/metrics"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/ports"
)

func instruments(m *ports.Metrics) (*ports.Counter, *ports.Histogram) {
	labels := []ports.Label{{Name: "kind", Values: []string{"a", "b"}}, ports.Outcomes()}
	return m.Counter(ports.Instrument{Name: "stoa_x_total", Help: "X.", Labels: labels}),
		m.Histogram(ports.Instrument{Name: "stoa_x_seconds", Help: "X.", Labels: labels})
}

// Recording costs no allocation, whether metrics are on or off.
func TestNoAllocations(t *testing.T) {
	for name, m := range map[string]*ports.Metrics{
		"off": nil, "on": ports.NewMetrics(metrics.New(kittest.NewClock())),
	} {
		c, h := instruments(m)
		part := c.With("b")
		record := func() {
			c.Add(1, "a", "ok")
			part.Add(1, "failed")
			h.Took(time.Second, "a", "unknown")
		}
		record()
		if n := testing.AllocsPerRun(100, record); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

// Values outside of a label's set are shown as "other", and the series of few combinations exist from the beginning.
func TestClosedSets(t *testing.T) {
	l := metrics.New(kittest.NewClock())
	m := ports.NewMetrics(l)
	c, _ := instruments(m)
	c.Add(1, "a", "ok")
	c.With("ada@example.com").Add(2, "ok")
	m.Gauge(ports.Instrument{Name: "stoa_g", Help: "G.", Labels: []ports.Label{{Name: "kind", Values: []string{"a"}}}},
		func(_ context.Context, set ports.SetValue) error { set(3, "lovelace"); return nil })
	got := text(t, l)
	for _, want := range []string{
		`stoa_x_total{kind="a",outcome="ok"} 1`, `stoa_x_total{kind="b",outcome="failed"} 0`,
		`stoa_x_total{kind="other",outcome="ok"} 2`, `stoa_g{kind="other"} 3`,
	} {
		if !strings.Contains(got, want+"\n") {
			t.Errorf("%s is missing in\n%s", want, got)
		}
	}
	if strings.Contains(got, "ada@") || strings.Contains(got, "lovelace") {
		t.Error("a label has a value that is not in its set")
	}
}

// Values with an age are read again only when it has passed.
func TestAge(t *testing.T) {
	clock := kittest.NewClock()
	l := metrics.New(clock)
	reads := 0.0
	ports.NewMetrics(l).Total(ports.Instrument{Name: "stoa_r_total", Help: "R.", Age: time.Minute},
		func(_ context.Context, set ports.SetValue) error { reads++; set(reads); return nil })
	for _, c := range []struct {
		after time.Duration
		want  string
	}{{0, "1"}, {59 * time.Second, "1"}, {time.Second, "2"}} {
		clock.Advance(c.after)
		if got := text(t, l); !strings.Contains(got, "\nstoa_r_total "+c.want+"\n") {
			t.Errorf("want %s, got\n%s", c.want, got)
		}
	}
}

func TestConfig(t *testing.T) {
	for _, c := range []struct {
		cfg  metrics.Config
		want string
	}{
		{metrics.Config{}, ""},
		{metrics.Config{Addr: "127.0.0.1:9992"}, ""},
		{metrics.Config{Addr: "[::1]:9992"}, ""},
		{metrics.Config{Addr: ":9992", Token: "0123456789abcdef"}, ""},
		{metrics.Config{Addr: "9992"}, `addr: "9992" is not host:port, such as 127.0.0.1:9992`},
		{metrics.Config{Addr: "0.0.0.0:9992"}, "token: is missing, and addr 0.0.0.0:9992 can be reached from other " +
			"machines; set STOA_METRICS_TOKEN to at least 16 random characters, or addr to 127.0.0.1:9992"},
		{metrics.Config{Addr: ":9992", Token: "short"},
			"token: is too short; set STOA_METRICS_TOKEN to at least 16 random characters"},
	} {
		got := ""
		if err := c.cfg.Validate(); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%+v: %q, want %q", c.cfg, got, c.want)
		}
	}
}
