package bench_test

import (
	"encoding/base64"
	"fmt"
	"io"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// BenchmarkAbuse makes the most expensive requests under the standard limits, as one member: searches for many words in
// long messages, large responses that are not read, and repeated renames of a long topic. It reports CPU time, memory,
// and the latency of another client's sends at the same time.
func BenchmarkAbuse(b *testing.B) {
	s := newServer(b)
	s.Start()
	s.Must("POST", "/users/me/subscriptions", url.Values{"subscriptions": {`[{"name":"proof"}]`}})
	bad := s.member("mallory")
	s.fillTopic("long", 1500, strings.Repeat("so many words that nobody reads them all ", 240))
	named := s.fillTopic("busy", 12_000, text)
	s.Kill()
	// The sends take 1200 of them.
	s.Env = append(s.Env, "STOA_HTTP_RATE_LIMITS_ENABLED=true", "STOA_HTTP_RATE_LIMITS_PER_USER=1500")
	s.Start()
	bad.Cmd = s.Cmd
	for rested := 0; rested < 12; { // in seconds, while jobs index the new messages
		before := s.spent()
		time.Sleep(time.Second)
		if rested++; s.spent()-before > 200*time.Millisecond {
			rested = 0
		}
	}
	b.Run("nothing", func(b *testing.B) { s.sendDuring(b, func(<-chan struct{}) int { return 0 }) })
	b.Run("search", func(b *testing.B) {
		var words strings.Builder
		for i := range 49 {
			fmt.Fprintf(&words, "unheard%d ", i)
		}
		narrow := fmt.Sprintf(`[["topic","long"],{"operator":"search","operand":%q,"negated":true}]`, words.String())
		s.sendDuring(b, bad.repeat(4, "GET", "/messages",
			url.Values{"anchor": {"newest"}, "num_before": {"5000"}, "narrow": {narrow}}))
	})
	b.Run("slow readers", func(b *testing.B) { s.sendDuring(b, bad.unread(b, 100)) })
	b.Run("renames", func(b *testing.B) {
		s.sendDuring(b, bad.repeat(1, "PATCH", fmt.Sprint("/messages/", named),
			url.Values{"propagate_mode": {"change_all"}, "topic": {"busy #"}}))
	})
}

// member creates a user and returns the server as seen by that user.
func (s *server) member(name string) *server {
	email, password := name+"@example.com", "correct-horse-battery"
	s.Must("POST", "/users", url.Values{"email": {email}, "password": {password}, "full_name": {name}})
	key := s.Must("POST", "/fetch_api_key", url.Values{"username": {email}, "password": {password}})["api_key"].(string)
	one := &server{s.As(email, key)}
	one.Must("POST", "/users/me/subscriptions", url.Values{"subscriptions": {`[{"name":"proof"}]`}})
	return one
}

// fillTopic sends n messages to a topic and returns the ID of one of them.
func (s *server) fillTopic(topic string, n int, content string) (id string) {
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range n / 8 {
				s.Must("POST", "/messages", url.Values{"type": {"stream"}, "to": {"proof"}, "topic": {topic}, "content": {content}})
			}
		})
	}
	wg.Wait()
	return fmt.Sprint(s.Must("POST", "/messages", url.Values{
		"type": {"stream"}, "to": {"proof"}, "topic": {topic}, "content": {content},
	})["id"])
}

// sendDuring sends messages for ten seconds during an attack, which returns its number of successful requests.
func (s *server) sendDuring(b *testing.B, attack func(done <-chan struct{}) int) {
	done, ended := make(chan struct{}), make(chan int)
	cpu, memory := s.spent(), s.resident()
	go func() { ended <- attack(done) }()
	var took []time.Duration
	for range b.N {
		for began := time.Now(); time.Since(began) < 10*time.Second; time.Sleep(50 * time.Millisecond) {
			asked := time.Now()
			s.Must("POST", "/messages", url.Values{"type": {"stream"}, "to": {"proof"}, "topic": {"honest"}, "content": {text}})
			took = append(took, time.Since(asked))
		}
	}
	used, grown := s.spent()-cpu, s.resident()-memory
	close(done)
	succeeded := <-ended
	slices.Sort(took)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(succeeded), "successes")
	b.ReportMetric(used.Seconds(), "cpu-s")
	b.ReportMetric(float64(grown)/(1<<20), "MiB-growth")
	b.ReportMetric(took[len(took)*99/100].Seconds()*1e3, "p99-ms")
}

// repeat returns an attack that repeats the same request from several clients.
func (s *server) repeat(clients int, method, path string, params url.Values) func(<-chan struct{}) int {
	return func(done <-chan struct{}) int {
		var wg sync.WaitGroup
		var mu sync.Mutex
		succeeded := 0
		for range clients {
			wg.Go(func() {
				for n := 0; ; n++ {
					select {
					case <-done:
						return
					default:
					}
					with := url.Values{}
					for k, v := range params {
						with.Set(k, strings.ReplaceAll(v[0], "#", fmt.Sprint(n)))
					}
					out, err := s.Call(method, path, with)
					if err != nil || out["result"] != "success" {
						time.Sleep(50 * time.Millisecond)
						continue
					}
					mu.Lock()
					succeeded++
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		return succeeded
	}
}

// unread returns an attack that requests a large response again and again, on new connections, without reading it.
func (s *server) unread(b *testing.B, conns int) func(<-chan struct{}) int {
	return func(done <-chan struct{}) int {
		head := "GET /api/v1/messages?anchor=newest&num_before=1500&num_after=0 HTTP/1.1\r\n" +
			"Host: x\r\nAuthorization: Basic " +
			base64.StdEncoding.EncodeToString([]byte(s.Mail+":"+s.Key)) + "\r\n\r\n"
		held := 0
		for range conns {
			c, err := dial(strings.TrimPrefix(s.URL, "http://"))
			if err != nil {
				b.Error(err)
				break
			}
			defer c.Close()
			if _, err := io.WriteString(c, head); err != nil {
				b.Error(err)
				break
			}
			held++
		}
		<-done
		return held
	}
}

// spent returns the CPU time used by the server.
func (s *server) spent() time.Duration {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.Cmd.Process.Pid))
	if err != nil {
		s.T.Skip("no /proc to read the CPU time from")
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	fields := strings.Fields(rest)
	user, _ := strconv.ParseInt(fields[11], 10, 64)
	system, _ := strconv.ParseInt(fields[12], 10, 64)
	return time.Duration(user+system) * 10 * time.Millisecond
}
