package messages_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/messages"
)

// stored is a server and its database, for storing more messages than a test could send.
type stored struct {
	*kittest.Server
	db *bunstore.DB
}

type dbNeeds struct {
	fx.In
	DB *bunstore.DB
}

func startStored(t testing.TB, more ...kit.Module) *stored {
	t.Helper()
	s := kittest.StartWith(t, unlimited(), append(more, messages.Module)...)
	return &stored{s, s.App.DB()}
}

func (s *stored) Restart() {
	s.T.Helper()
	s.Server.Restart()
	s.db = s.App.DB()
}

// count returns the number of rows of a table.
func (s *stored) count(table string) (n int) {
	s.T.Helper()
	if err := s.db.From(s.T.Context()).NewRaw("SELECT COUNT(*) FROM "+table).Scan(s.T.Context(), &n); err != nil {
		s.T.Fatal(err)
	}
	return n
}

// unlimited disables rate limits.
func unlimited() kittest.Options {
	return kittest.Options{Config: "http: {rate_limits: {enabled: false}}"}
}

// fill stores n copies of a sent message. recipient is an SQL expression of i, which counts from 1.
func (s *stored) fill(like int64, n int, recipient string) {
	s.T.Helper()
	s.Do(func(ctx context.Context) error {
		_, err := s.db.From(ctx).NewRaw(fmt.Sprintf(
			`INSERT INTO messages (realm_id, recipient_id, topic, topic_key, sender_id, client, sent_at, content,
				rendered, render_version, facts, notice)
			SELECT realm_id, %s, topic, topic_key, sender_id, client, sent_at, content, rendered,
				render_version, facts, notice
			FROM messages, (WITH RECURSIVE series(i) AS (SELECT 1 UNION ALL
				SELECT i + 1 FROM series WHERE i < ?) SELECT i FROM series) n
			WHERE id = ? ORDER BY i`, recipient), n, like).Exec(ctx)
		return err
	})
}

// exec executes a statement.
func (s *stored) exec(text string, args ...any) {
	s.T.Helper()
	s.Do(func(ctx context.Context) error {
		_, err := s.db.From(ctx).NewRaw(text, args...).Exec(ctx)
		return err
	})
}

// series returns an SQL table with i from 1 to n.
func series(n int) string {
	return fmt.Sprintf("(WITH RECURSIVE series(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM series WHERE i < %d) SELECT "+
		"i FROM series) n", n)
}

// spread is like fill, but stores messages whose IDs are step apart.
func (s *stored) spread(like int64, n, step int) {
	s.T.Helper()
	s.Do(func(ctx context.Context) error {
		_, err := s.db.From(ctx).NewRaw(
			`INSERT INTO messages (id, realm_id, recipient_id, topic, topic_key, sender_id, client, sent_at, content,
				rendered, render_version, facts, notice)
			SELECT id + i * ?, realm_id, recipient_id, topic, topic_key, sender_id, client, sent_at, content, rendered,
				render_version, facts, notice
			FROM messages, (WITH RECURSIVE series(i) AS (SELECT 1 UNION ALL
				SELECT i + 1 FROM series WHERE i < ?) SELECT i FROM series) n
			WHERE id = ? ORDER BY i`, step, n, like).Exec(ctx)
		if err == nil && os.Getenv("STOA_TEST_DATABASE") == "postgres" { // its sequence ignores inserted IDs
			_, err = s.db.From(ctx).NewRaw("SELECT setval(pg_get_serial_sequence('messages', 'id'), (SELECT MAX(id) FROM " +
				"messages))").Exec(ctx)
		}
		return err
	})
}

// TestNoRowPerReader checks that the number of rows stored for a message does not grow with the number of receivers,
// with or without wildcards.
func TestNoRowPerReader(t *testing.T) {
	s := startStored(t, crowd(1000))
	post(s.Server, "olga", "general", "x", "begun")
	s.Skip()
	tables := []string{"messages", "message_flags", "read_floor", "read_chunks", "subscription_periods", "realm_events"}
	before := map[string]int{}
	for _, table := range tables {
		before[table] = s.count(table)
	}
	post(s.Server, "olga", "general", "x", "@**all** hello")
	for table, more := range map[string]int{"messages": 1, "realm_events": 1} {
		before[table] += more
	}
	for _, table := range tables {
		if n := s.count(table); n != before[table] {
			t.Errorf("%s has %d rows, want %d", table, n, before[table])
		}
	}
	for _, e := range s.Log() {
		if len(e.Payload) > 300 {
			t.Errorf("the entry has %d bytes: %s", len(e.Payload), e.Payload)
		}
	}
}

// sendToMany sends one message to each of many of bob's conversations and returns the IDs.
func sendToMany(s *kittest.Server) []string {
	var out []string
	others := []string{"alice", "olga", "adam", "mona", "guest", "bot"}
	for bits := range 1 << len(others) {
		to := []string{"bob"}
		for i, who := range others {
			if bits>>i&1 == 1 {
				to = append(to, who)
			}
		}
		out = append(out, fmt.Sprint(sendDirect(s, "bob", "x", to...)))
	}
	return out
}

// TestSparseReader checks that the search switches from walking to merging if most messages are not bob's, and that it
// misses no message when it does.
func TestSparseReader(t *testing.T) {
	s := startStored(t)
	own := sendToMany(s.Server)
	s.spread(post(s.Server, "alice", "secret", "x", "x"), 1000, 100)
	own = append(own, sendToMany(s.Server)...)
	for anchor, count := range map[string]string{"newest": "num_before", "oldest": "num_after"} {
		if p := list(s.Server, "bob", "anchor", anchor, count, "5000"); p.ids() != strings.Join(own, " ") {
			t.Errorf("%s: %s, want %v", anchor, p.ids(), own)
		}
	}
	const size = 10
	var got []string
	for anchor := "newest"; ; anchor = got[0] {
		p := list(s.Server, "bob", "anchor", anchor, "num_before", fmt.Sprint(size), "include_anchor",
			fmt.Sprint(anchor == "newest"))
		got = append(strings.Fields(p.ids()), got...)
		if p.FoundOldest {
			break
		}
	}
	if strings.Join(got, " ") != strings.Join(own, " ") {
		t.Errorf("paged through %v, want %v", got, own)
	}
}

// TestWindows checks the walk alone, page by page, and with one of bob's messages on either side of a window's edge.
func TestWindows(t *testing.T) {
	s := startStored(t)
	sendToMany(s.Server)
	first := post(s.Server, "alice", "general", "x", "x")
	s.fill(first, 5500, fmt.Sprintf("CASE WHEN i %% 50 = 0 THEN %d ELSE %d END", s.ChannelID("general")<<1,
		s.ChannelID("secret")<<1))
	var got []int64
	anchor := "newest"
	for {
		p := list(s.Server, "bob", "anchor", anchor, "num_before", "40", "include_anchor", fmt.Sprint(anchor == "newest"))
		for i := len(p.Messages) - 1; i >= 0; i-- {
			got = append(got, p.Messages[i].ID)
		}
		if p.FoundOldest {
			break
		}
		anchor = fmt.Sprint(got[len(got)-1])
	}
	if want := 64 + 1 + 5500/50; len(got) != want {
		t.Errorf("%d messages, want %d", len(got), want)
	}
	slices.Reverse(got)
	for i := 1; i < len(got); i++ {
		if got[i] <= got[i-1] {
			t.Fatalf("%d follows %d", got[i], got[i-1])
		}
	}
	const window = 4096 // size of the first window
	low, high := got[len(got)/2], got[len(got)-5]
	for edge := range int64(3) {
		down, up := low+window-1+edge, high-window+1-edge
		n, from := 0, 0
		for _, id := range got {
			if id <= down {
				n++
			}
			if id < up {
				from++
			}
		}
		if p := list(s.Server, "bob", "anchor", fmt.Sprint(down), "num_before", "5000"); len(p.Messages) != n {
			t.Errorf("%d messages before %d, want %d", len(p.Messages), down, n)
		}
		if p := list(s.Server, "bob", "anchor", fmt.Sprint(up), "num_after", "5000"); len(p.Messages) != len(got)-from {
			t.Errorf("%d messages after %d, want %d", len(p.Messages), up, len(got)-from)
		}
	}
}
