package bench_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/app/proof/internal/harness"
	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/ports"
)

// crowded returns a server with 10,000 users and channels with 200 subscribers each. alice is subscribed to a fifth.
func crowded(b *testing.B, channels int) *kittest.Server {
	b.Helper()
	s := harness.StartAll(b)
	people := populate(b, s, 10_000)
	owner := s.Actor("olga")
	for i := range channels {
		in := make([]user.ID, 0, 201)
		for k := range 200 {
			in = append(in, people[(i*131+k*37)%len(people)])
		}
		if i%5 == 0 {
			in = append(in, s.UserID("alice"))
		}
		slices.Sort(in)
		if _, err := s.Ports.Channels.Create(b.Context(), owner,
			ports.NewChannel{Name: fmt.Sprintf("channel %d", i), Private: i%10 == 1}, slices.Compact(in)); err != nil {
			b.Fatal(err)
		}
	}
	v, err := s.Ports.Directory.View(b.Context(), s.Realm)
	if err != nil || len(v.Subscriptions(s.UserID("alice"))) < 200 || v.Channel(channel.ID(900)) == nil {
		b.Fatalf("the realm is not as intended: %v", err)
	}
	return s
}

// populate creates users.
func populate(b *testing.B, s *kittest.Server, crowd int) []user.ID {
	b.Helper()
	by := user.Actor{Realm: s.Realm, System: true}
	var people []user.ID
	for len(people) < crowd { // several per transaction
		made := len(people)
		s.Do(func(ctx context.Context) error {
			people = people[:made]
			for range min(100, crowd-len(people)) {
				i := len(people)
				id, err := s.Ports.Accounts.Create(ctx, by, ports.NewUser{
					Email: fmt.Sprintf("p%d@example.com", i), FullName: fmt.Sprintf("Person %d", i), Role: user.Member,
					NoDefaultChannels: true,
				})
				if err != nil {
					return err
				}
				people = append(people, id)
			}
			return nil
		})
	}
	return people
}

// talk gives alice 50,000 unread messages in 400 topics in 100 channels, sent concurrently.
func talk(b *testing.B, s *kittest.Server) {
	b.Helper()
	v, err := s.Ports.Directory.View(b.Context(), s.Realm)
	if err != nil {
		b.Fatal(err)
	}
	channels := v.Subscriptions(s.UserID("alice"))[:100]
	var clients sync.WaitGroup
	for k := range 50 {
		clients.Go(func() {
			for i := range 1000 {
				m := message.Outgoing{Channel: channels[(i*7+k)%len(channels)], Topic: fmt.Sprint("topic ", i%4), Content: "hello"}
				if _, err := s.Ports.Sender.Send(b.Context(), s.Actor("olga"), m); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	clients.Wait()
}

// BenchmarkRegister requests everything, like a client starting up, from a node that has loaded the realm and from one
// that has just started, without and with 50,000 unread messages. Budgets: 30 ms and 150 ms.
func BenchmarkRegister(b *testing.B) {
	s := crowded(b, 1000)
	b.Run("warm", func(b *testing.B) { registerWarm(b, s) })
	b.Run("cold", func(b *testing.B) { registerCold(b, s) })
	talk(b, s)
	b.Run("unread/warm", func(b *testing.B) { registerWarm(b, s) })
	s.RunJob("messages.facts")
	b.Run("unread/cold", func(b *testing.B) { registerCold(b, s) })
}

// BenchmarkRegisterOnTheWire requests everything from a realm with 1,000 users, as it is and compressed: bytes, and CPU
// time of server and client.
func BenchmarkRegisterOnTheWire(b *testing.B) {
	s := harness.StartAll(b)
	populate(b, s, 1000)
	for _, coding := range []string{"identity", "gzip"} {
		b.Run(coding, func(b *testing.B) {
			size := registerAs(b, s, coding)
			before := cpuTime(b)
			for b.Loop() {
				registerAs(b, s, coding)
			}
			b.ReportMetric((cpuTime(b)-before).Seconds()*1e3/float64(b.N), "cpu-ms")
			b.ReportMetric(float64(size)/1e3, "KB")
		})
	}
}

func registerWarm(b *testing.B, s *kittest.Server) {
	size := register(b, s)
	var worst time.Duration
	for b.Loop() {
		begun := time.Now()
		register(b, s)
		worst = max(worst, time.Since(begun))
	}
	b.ReportMetric(float64(size)/1e6, "MB")
	b.ReportMetric(float64(worst.Microseconds())/1e3, "worst-ms")
}

func registerCold(b *testing.B, s *kittest.Server) {
	for b.Loop() {
		b.StopTimer()
		s.Restart()
		b.StartTimer()
		register(b, s)
	}
}

// register returns the size of the response. It neither stores nor decodes it, which would be the client's work.
func register(b *testing.B, s *kittest.Server) int64 {
	b.Helper()
	return registerAs(b, s, "identity")
}

func registerAs(b *testing.B, s *kittest.Server, coding string) int64 {
	b.Helper()
	form := url.Values{"client_capabilities": {kittest.JSON(harness.ModernClient())}, "client_gravatar": {"true"},
		"slim_presence": {"true"}}
	req := s.As("alice").Request("POST /register", strings.NewReader(form.Encode()))
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Accept-Encoding", coding)
	res, err := s.Client.Do(req)
	if err != nil {
		b.Fatal(err)
	}
	size, err := io.Copy(io.Discard, res.Body)
	if err = errors.Join(err, res.Body.Close()); err != nil || res.StatusCode != http.StatusOK {
		b.Fatal(res.Status, err)
	}
	return size
}
