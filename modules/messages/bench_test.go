package messages_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/messages"
)

// crowd subscribes n more users to general.
func crowd(n int) kit.Module {
	load := func(_ context.Context, _ realm.ID, b *directory.Builder) error {
		for i := range n {
			id := user.ID(1000 + i)
			b.User(&user.User{ID: id, DeliveryEmail: fmt.Sprintf("u%d@example.com", i), FullName: "Zeno", Role: user.Member,
				Active: true})
			b.Subscriptions(id, 1)
		}
		return nil
	}
	return kit.Define("crowd", "Many people.", kit.None{}, func(kit.None, dbNeeds) (kit.Parts, error) {
		return kit.Parts{Directory: []directory.Part{{Name: "crowd", Load: load}}}, nil
	})
}

// BenchmarkSendGrowth checks that the cost of sending a message does not increase with the number of subscribers.
func BenchmarkSendGrowth(b *testing.B) {
	var base float64
	for _, n := range []int{10, 1000, 100_000} {
		b.Run(fmt.Sprintf("subscribers=%d", n), func(b *testing.B) {
			s := kittest.StartWith(b, unlimited(), messages.Module, crowd(n))
			post(s, "alice", "general", "x", "hello")
			for b.Loop() {
				post(s, "alice", "general", "x", "hello")
			}
			per := b.Elapsed().Seconds() / float64(b.N)
			if base == 0 {
				base = per
			}
			b.ReportMetric(per/base, "x-of-10")
		})
	}
}

// The history has this many messages in 20 places, of which bob sees 15.
const (
	history = 200_000
	perPage = 100
)

// BenchmarkHistory reads pages of 100 messages in the middle of a long history, which others have read before (hot) or
// not (cold), and compares the time with reading the same rows directly, and encoding them. It measures the server: the
// client does not decode the pages. cpu-ms includes the client, but not PostgreSQL.
func BenchmarkHistory(b *testing.B) {
	for _, cache := range []struct {
		name string
		kib  int
	}{{"hot", 32 << 10}, {"cold", 0}} {
		b.Run(cache.name, func(b *testing.B) { benchmarkHistory(b, cache.kib) })
	}
}

func benchmarkHistory(b *testing.B, cacheKiB int) {
	o := unlimited()
	o.Config += fmt.Sprintf("\nmodules: {messages: {cache_kib: %d}}", cacheKiB)
	started := kittest.StartWith(b, o, messages.Module)
	s := &stored{started, started.App.DB()}
	sendToMany(s.Server)
	like := post(s.Server, "alice", "general", "lunch", "hello *you*, see https://example.com/")
	mention := post(s.Server, "alice", "general", "lunch", "hello @**Bob**")
	s.fill(like, history, fmt.Sprintf("CASE WHEN i %% 4 = 0 THEN %d WHEN i %% 4 = 1 THEN %d ELSE (i %% 20) * 2 + 1 END",
		s.ChannelID("general")<<1, s.ChannelID("secret")<<1))
	s.Do(func(ctx context.Context) error {
		_, err := s.db.From(ctx).NewRaw("INSERT INTO message_flags (user_id, message_id, flags) SELECT ?, id, 4 FROM "+
			"messages WHERE id > ? AND id % 100 = 0",
			s.UserID("bob"), mention).Exec(ctx)
		return err
	})
	if os.Getenv("STOA_TEST_DATABASE") == "postgres" {
		s.exec("ANALYZE") // as autovacuum does within two minutes; BenchmarkBurst measures the time before
	}
	var hand float64
	b.Run("by hand", func(b *testing.B) {
		before := cpuTime(b)
		for b.Loop() {
			if err := readDirectly(b.Context(), s); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric((cpuTime(b)-before).Seconds()*1000/float64(b.N), "cpu-ms")
		hand = b.Elapsed().Seconds() / float64(b.N)
	})
	for _, kind := range []struct{ name, narrow string }{
		{"combined", `[]`}, {"channel", `[["channel","general"]]`}, {"topic", `[["channel","general"],["topic","lunch"]]`},
		{"dm", `[["dm","alice@example.com"]]`}, {"sender", `[["sender","alice@example.com"]]`},
		{"mentions", `[["is","mentioned"]]`},
	} {
		b.Run(kind.name, func(b *testing.B) {
			get := pageOf(b, s, kind.narrow)
			get()
			before := cpuTime(b)
			for b.Loop() {
				get()
			}
			b.ReportMetric((cpuTime(b)-before).Seconds()*1000/float64(b.N), "cpu-ms")
			b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/hand, "x-by-hand")
		})
	}
}

// pageOf returns a function that requests a page in the middle of bob's history.
func pageOf(b *testing.B, s *stored, narrow string) func() {
	bob := s.As("bob")
	query := url.Values{
		"anchor": {fmt.Sprint(history / 2)}, "num_before": {fmt.Sprint(perPage)}, "num_after": {"0"}, "narrow": {narrow},
	}
	var req fasthttp.Request
	var res fasthttp.Response
	req.SetRequestURI(s.URL + "/api/v1/messages?" + query.Encode())
	basic := base64.StdEncoding.EncodeToString([]byte(bob.Email() + ":" + bob.Key()))
	req.Header.Set("Authorization", "Basic "+basic)
	var c fasthttp.Client
	return func() {
		if err := c.Do(&req, &res); err != nil {
			b.Fatal(err)
		}
		if n := bytes.Count(res.Body(), []byte(`"sender_id":`)); n < perPage {
			b.Fatalf("%d messages", n)
		}
	}
}

// cpuTime returns the time for which the process has used a processor.
func cpuTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// readDirectly is the lower bound for the cost of a page: reading the rows through one index and encoding them as JSON.
func readDirectly(ctx context.Context, s *stored) error {
	var rows []map[string]any
	err := s.db.From(ctx).NewRaw("SELECT * FROM messages WHERE recipient_id = ? AND id <= ? ORDER BY id DESC LIMIT ?",
		s.ChannelID("general")<<1, history/2, perPage).Scan(ctx, &rows)
	if err != nil {
		return err
	}
	_, err = json.Marshal(rows)
	return err
}
