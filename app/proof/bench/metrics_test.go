package bench_test

import (
	"io"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/app/kittest/testrun"
	"github.com/stoachat/stoa/app/proof/internal/harness"
)

// BenchmarkMetrics compares the requests and messages per second of a server with metrics with those of one without, in
// short rounds by turns, so that the machine treats both alike.
func BenchmarkMetrics(b *testing.B) {
	const clients, rounds, round = 8, 8, 2 * time.Second
	servers := map[string]*server{}
	for name, env := range map[string][]string{
		"off": nil, "on": {"STOA_METRICS_ADDR=" + testrun.FreeAddr(b)},
	} {
		s := newServer(b)
		s.Env = append(append(s.Env, "STOA_LOG_LEVEL=warn"), env...)
		s.Start()
		s.Must("POST", "/users/me/subscriptions", url.Values{"subscriptions": {`[{"name":"proof"}]`}})
		servers[name] = s
	}
	calls := map[string]func(*server) error{
		"requests": func(s *server) error { _, err := s.Call("GET", "/users/me", nil); return err },
		"messages": func(s *server) error {
			_, err := s.Call("POST", "/messages",
				url.Values{"type": {"stream"}, "to": {"proof"}, "topic": {"t"}, "content": {text}})
			return err
		},
	}
	for kind, call := range calls {
		b.Run(kind, func(b *testing.B) {
			rates := map[string][]float64{}
			for range rounds {
				for _, name := range []string{"off", "on"} {
					rates[name] = append(rates[name], rate(b, clients, round, func() error { return call(servers[name]) }))
				}
			}
			middle := func(name string) float64 { slices.Sort(rates[name]); return rates[name][rounds/2] }
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(middle("off"), "off/s")
			b.ReportMetric(middle("on"), "on/s")
			b.ReportMetric(middle("on")/middle("off"), "on/off")
		})
	}
}

// rate returns how many calls per second some clients make.
func rate(b *testing.B, clients int, d time.Duration, call func() error) float64 {
	b.Helper()
	var n atomic.Int64
	var all sync.WaitGroup
	begun := time.Now()
	for range clients {
		all.Go(func() {
			for time.Since(begun) < d {
				if err := call(); err != nil {
					b.Error(err)
					return
				}
				n.Add(1)
			}
		})
	}
	all.Wait()
	return float64(n.Load()) / time.Since(begun).Seconds()
}

// BenchmarkScrape reads /metrics of a server with 10,000 users. Budget: 20 ms.
func BenchmarkScrape(b *testing.B) {
	o := harness.AllOptions("")
	o.Config = "metrics: {addr: '127.0.0.1:0'}\n" + o.Config
	s := kittest.StartWith(b, o, harness.AllModules()...)
	populate(b, s, 10_000)
	s.As("olga").Do("POST /messages", "type", "channel", "to", `"general"`, "topic", "t", "content", "hello").OK()
	size := 0
	scrape := func() {
		res, err := http.Get("http://" + s.App.MetricsAddr() + "/metrics")
		if err != nil {
			b.Fatal(err)
		}
		text, err := io.ReadAll(res.Body)
		if _ = res.Body.Close(); err != nil || res.StatusCode != http.StatusOK {
			b.Fatal(res.Status, err)
		}
		size = len(text)
	}
	first := timed(scrape) // with what is then kept for five minutes
	var all []time.Duration
	for b.Loop() {
		all = append(all, timed(scrape))
	}
	b.ReportMetric(milliseconds(median(all)), "p50-ms")
	b.ReportMetric(milliseconds(first), "first-ms")
	b.ReportMetric(float64(size)/1024, "KiB")
}
