package bench_test

import (
	"encoding/json"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// BenchmarkReader counts the requests of a reader's four windows while others send 100 messages a second: with the
// defaults, and with what they replaced, every event answered at once and polls limited like other requests.
func BenchmarkReader(b *testing.B) {
	for name, env := range map[string][]string{
		"default": nil,
		"without": {"STOA_MODULES_EVENTS_HOLD_BACK=0s", "STOA_HTTP_RATE_LIMITS_POLLS=200"},
	} {
		b.Run(name, func(b *testing.B) { countWindows(b, env) })
	}
}

func countWindows(b *testing.B, env []string) {
	const windows, perSecond, seconds = 4, 100, 20
	s := newServer(b)
	s.Start()
	s.Must("POST", "/users/me/subscriptions", url.Values{"subscriptions": {`[{"name":"proof"}]`}})
	reader := s.member("reader")
	s.Kill()
	s.Env = append(append(s.Env, "STOA_HTTP_RATE_LIMITS_ENABLED=true", "STOA_HTTP_RATE_LIMITS_PER_USER=100000"), env...)
	s.Start()
	var requests, refusals, received atomic.Int64
	var polling, sending sync.WaitGroup
	var done atomic.Bool
	for range windows {
		reg := reader.Must("POST", "/register", url.Values{"event_types": {`["message"]`}})
		polling.Go(func() {
			last := reg["last_event_id"].(json.Number).String()
			for !done.Load() {
				res, err := reader.Call("GET", "/events",
					url.Values{"queue_id": {reg["queue_id"].(string)}, "last_event_id": {last}})
				if err != nil {
					b.Error(err)
					return
				}
				requests.Add(1)
				if wait, refused := res["retry-after"].(json.Number); refused {
					refusals.Add(1)
					seconds, _ := wait.Float64()
					time.Sleep(time.Duration(seconds * float64(time.Second)))
					continue
				}
				for _, e := range res["events"].([]any) {
					last = e.(map[string]any)["id"].(json.Number).String()
					received.Add(1)
				}
			}
		})
	}
	begun := time.Now()
	for tick, n := time.NewTicker(time.Second/perSecond), 0; n < perSecond*seconds; n++ {
		<-tick.C
		sending.Go(func() {
			_, err := s.Call("POST", "/messages",
				url.Values{"type": {"stream"}, "to": {"proof"}, "topic": {"t"}, "content": {text}})
			if err != nil {
				b.Error(err)
			}
		})
	}
	sending.Wait()
	took := time.Since(begun)
	counted, refused, got := requests.Load(), refusals.Load(), received.Load()
	done.Store(true)
	s.Must("POST", "/messages", url.Values{"type": {"stream"}, "to": {"proof"}, "topic": {"t"}, "content": {text}})
	polling.Wait()
	perMinute := float64(time.Minute) / float64(took)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(counted)*perMinute, "requests/min")
	b.ReportMetric(float64(refused)*perMinute, "refusals/min")
	b.ReportMetric(float64(got)/windows*perMinute, "events/min")
}
