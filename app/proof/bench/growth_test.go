package bench_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/adapters/bunstore/storetest"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/app/proof/internal/harness"
	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/ports"
)

// In BenchmarkGrowth, this many messages are in the channels of the readers, whatever the size of the realm. As many
// channels belong to the readers as to others.
const (
	grownOwn      = 4500
	grownChannels = 500
	grownRounds   = 15 // a result is the fastest of this many requests, since others share the machine
)

// grownReaders are the readers and the number of channels in which each has unread messages, nine per channel.
var grownReaders = []struct {
	name     string
	channels int
}{{"mona", 5}, {"bob", 50}, {"alice", 500}}

// grownSizes returns the numbers of messages. STOA_BENCH_LARGE adds a million.
func grownSizes() []int {
	sizes := []int{10_000, 100_000}
	if os.Getenv("STOA_BENCH_LARGE") != "" {
		sizes = append(sizes, 1_000_000)
	}
	return sizes
}

// BenchmarkGrowth measures what users pay for messages that others have written: requests in realms of 10,000, 100,000
// and 1,000,000 messages, of which the reader can see the same number each time. It reports the duration of each
// request and its growth, the ratio to the duration with a tenth of the messages.
func BenchmarkGrowth(b *testing.B) {
	before := map[string]float64{}
	for _, size := range grownSizes() {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			g := newGrown(b, size)
			g.before = before
			for _, r := range grownReaders {
				g.reading(b, r.name, r.channels)
			}
			g.searching(b)
			if !storetest.Postgres() {
				g.backup(b)
			}
		})
	}
}

// grown is a realm with many messages.
type grown struct {
	*kittest.Server
	size   int
	own    []channel.ID // in the order in which readers subscribe to them
	before map[string]float64
	start  message.ID // the newest message before the readers' unread ones
}

func newGrown(b *testing.B, size int) *grown {
	b.Helper()
	o := harness.AllOptions("")
	if !storetest.Postgres() {
		o.DatabaseURL = "sqlite:" + filepath.Join(b.TempDir(), "stoa.db")
	}
	g := &grown{Server: kittest.StartWith(b, o, harness.AllModules()...), size: size}
	owner := g.Actor("olga")
	var others []channel.ID
	for i := range 2 * grownChannels {
		in := idset.Of(g.UserID("olga"), g.UserID("adam"))
		for _, r := range grownReaders {
			if i < r.channels {
				in = in.Union(user.Set{g.UserID(r.name)})
			}
		}
		made, err := g.Ports.Channels.Create(b.Context(), owner, ports.NewChannel{Name: fmt.Sprint("channel ", i)}, in)
		if err != nil {
			b.Fatal(err)
		}
		if i < grownChannels {
			g.own = append(g.own, made)
		} else {
			others = append(others, made)
		}
	}
	g.fill(b, others)
	for range 20 { // the newest messages are not the reader's either
		if _, err := g.Ports.Sender.Send(b.Context(), g.Actor("adam"),
			message.Outgoing{Channel: others[0], Topic: "latest", Content: "hello"}); err != nil {
			b.Fatal(err)
		}
	}
	return g
}

// fill stores copies of a sent message, as if they had been sent in turn to all channels: grownOwn of them, evenly
// distributed over the first nine tenths, to the readers' channels. Every message contains "fox", one in a thousand
// "unicorn", and one in ten of the own ones "badger".
func (g *grown) fill(b *testing.B, others []channel.ID) {
	b.Helper()
	const text = "the quick brown fox jumps over the lazy dog, and then it sleeps near https://example.com/fox"
	like, err := g.Ports.Sender.Send(b.Context(), g.Actor("adam"),
		message.Outgoing{Channel: others[0], Topic: "talk", Content: text})
	if err != nil {
		b.Fatal(err)
	}
	g.start = like
	step := g.size * 9 / 10 / grownOwn
	place := fmt.Sprintf("CASE WHEN i %% %[1]d = 0 AND i <= %[5]d THEN (%[2]d + (i / %[1]d) %% %[3]d) * 2 "+
		"ELSE (%[4]d + i %% %[3]d) * 2 END", step, g.own[0], grownChannels, others[0], step*grownOwn)
	words := fmt.Sprintf("content || CASE WHEN i %% 997 = 7 THEN ' unicorn' ELSE '' END || "+
		"CASE WHEN i %% %d = 0 THEN ' badger' ELSE '' END", 10*step)
	for prime := range 10 { // other words, of a vocabulary of 50,000
		words += fmt.Sprintf(" || ' word' || (i %% 50000 * %d %% 50000)", 7919+2*prime)
	}
	g.Do(func(ctx context.Context) error {
		_, err := g.App.DB().From(ctx).NewRaw(fmt.Sprintf(
			`INSERT INTO messages (realm_id, recipient_id, topic, topic_key, sender_id, client, sent_at, content, rendered,
				render_version, facts, read_for, notice)
			SELECT realm_id, %s, 'talk ' || (i %% 7), 'talk ' || (i %% 7), sender_id, client, sent_at, %s, rendered,
				render_version, facts, read_for, notice
			FROM messages, (WITH RECURSIVE series(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM series WHERE i < ?)
				SELECT i FROM series) n
			WHERE id = ? ORDER BY i`, place, words), g.size, like).Exec(ctx)
		return err
	})
	if storetest.Postgres() {
		g.Do(func(ctx context.Context) error {
			_, err := g.App.DB().From(ctx).NewRaw("ANALYZE").Exec(ctx)
			return err
		})
	}
}

// measure reports the duration of a request and its growth. prepare runs before each request and may be nil.
func (g *grown) measure(b *testing.B, name string, prepare, request func()) {
	b.Run(name, func(b *testing.B) {
		for b.Loop() {
			var took []time.Duration
			for i := range grownRounds + 1 {
				if prepare != nil {
					prepare()
				}
				begun := time.Now()
				request()
				if i > 0 { // the first request fills caches
					took = append(took, time.Since(begun))
				}
			}
			ms := slices.Min(took).Seconds() * 1e3
			b.ReportMetric(ms, "ms")
			if before := g.before[name]; before > 0 {
				b.ReportMetric(ms/before, "×tenth")
			}
			g.before[name] = ms
		}
	})
}

// reading measures what one reader does.
func (g *grown) reading(b *testing.B, name string, channels int) {
	kind := func(what string) string { return fmt.Sprintf("%s/unread=%d", what, channels) }
	request := func(call string, params ...string) func() { return func() { g.send(b, name, call, params...) } }
	g.measure(b, kind("register"), nil,
		request("POST /register", "client_capabilities", kittest.JSON(harness.ModernClient())))
	g.measure(b, kind("newest"), nil, request("GET /users/me"))
	list := func(what, narrow, anchor string) {
		g.measure(b, kind(what), nil, request("GET /messages", "narrow", narrow, "anchor", anchor, "num_before", "50",
			"num_after", "50"))
	}
	list("first_unread", "[]", "first_unread")
	list("first_unread_channel", fmt.Sprintf(`[["channel","channel %d"]]`, channels-1), "first_unread")
	list("history", "[]", "newest")
	list("is_unread", `[["is","unread"]]`, "newest")
	one := kittest.JSON([]message.ID{g.newestIn(b, g.own[0])})
	mark := func(op string) func() {
		return request("POST /messages/flags", "messages", one, "op", op, "flag", "read")
	}
	g.measure(b, kind("mark_after_absence"), func() { g.forget(name) }, mark("add"))
	g.measure(b, kind("mark"), mark("remove"), mark("add"))
	g.forget(name)
}

// forget makes everything unread again for a reader, as after a long absence.
func (g *grown) forget(name string) {
	g.Do(func(ctx context.Context) error {
		db := g.App.DB().From(ctx)
		_, err := db.NewRaw("DELETE FROM read_chunks WHERE user_id = ?", g.UserID(name)).Exec(ctx)
		_, cleared := db.NewRaw("UPDATE read_floor SET floor = ? WHERE user_id = ?", g.start, g.UserID(name)).Exec(ctx)
		return errors.Join(err, cleared)
	})
}

func (g *grown) newestIn(b *testing.B, c channel.ID) (id message.ID) {
	b.Helper()
	err := g.App.DB().From(b.Context()).NewRaw("SELECT MAX(id) FROM messages WHERE recipient_id = ?",
		message.OfChannel(c)).Scan(b.Context(), &id)
	if err != nil {
		b.Fatal(err)
	}
	return id
}

// searching measures searches, and how fast the index of words is built.
func (g *grown) searching(b *testing.B) {
	b.Run("index", func(b *testing.B) {
		for b.Loop() {
			begun := time.Now()
			g.RunJob("messages.search")
			b.ReportMetric(float64(g.size)/time.Since(begun).Seconds(), "messages/s")
		}
	})
	for _, s := range []struct{ name, narrow string }{
		{"search_common", `[["search","fox"]]`},
		{"search_rare", `[["search","unicorn"]]`},
		{"search_own", `[["search","badger"]]`},
		{"search_nothing", `[["search","aardvark"]]`},
		{"search_common_channel", `[["channel","channel 0"],["search","fox"]]`},
		{"search_rare_channel", `[["channel","channel 0"],["search","unicorn"]]`},
		{"search_common_large_channel", fmt.Sprintf(`[["channel","channel %d"],["search","fox"]]`, grownChannels)},
		{"search_rare_large_channel", fmt.Sprintf(`[["channel","channel %d"],["search","unicorn"]]`, grownChannels)},
	} {
		g.measure(b, s.name, nil, func() {
			got := g.send(b, "alice", "GET /messages", "narrow", s.narrow, "anchor", "newest", "num_before", "100")
			if !bytes.Contains(got, []byte(`"sender_id"`)) && strings.Contains(s.narrow, "fox") {
				b.Fatal("nothing found")
			}
		})
	}
}

// backup measures copying and verifying the database.
func (g *grown) backup(b *testing.B) {
	b.Run("backup", func(b *testing.B) {
		for b.Loop() {
			path := filepath.Join(b.TempDir(), "copy.db")
			begun := time.Now()
			if err := g.App.DB().Backup(b.Context(), path, func(int, int) {}); err != nil {
				b.Fatal(err)
			}
			db, err := bunstore.Open(b.Context(), bunstore.Config{URL: "sqlite:" + path})
			if err != nil {
				b.Fatal(err)
			}
			if err := errors.Join(db.Verify(b.Context()), db.Close()); err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(time.Since(begun).Seconds(), "s")
			if copied, err := os.Stat(path); err == nil {
				b.ReportMetric(float64(copied.Size())/1e9, "GB")
			}
		}
	})
}

// send sends a request and reads the response without decoding it, which would be the client's work.
func (g *grown) send(b *testing.B, name, call string, params ...string) []byte {
	b.Helper()
	form := url.Values{}
	for pair := range slices.Chunk(params, 2) {
		form.Add(pair[0], pair[1])
	}
	var body io.Reader
	if strings.HasPrefix(call, http.MethodGet) {
		call += "?" + form.Encode()
	} else {
		body = strings.NewReader(form.Encode())
	}
	req := g.As(name).Request(call, body)
	if body != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	res, err := g.Client.Do(req)
	if err != nil {
		b.Fatal(err)
	}
	text, err := io.ReadAll(res.Body)
	if err = errors.Join(err, res.Body.Close()); err != nil || res.StatusCode != http.StatusOK {
		b.Fatalf("%s: %s %.300s %v", call, res.Status, text, err)
	}
	return text
}
