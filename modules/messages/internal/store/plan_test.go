package store

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/adapters/bunstore/storetest"
	"github.com/stoachat/stoa/domain/message"
)

// many is the number of messages in plan tests: enough that databases do not simply read them all.
const many = 50_000

// openLarge creates a database with many messages in one channel: a third of them by sender 1, three by sender 99, and
// equally few with each property and with reactions. The returned function returns the statements sent since its last
// call.
func openLarge(t testing.TB) (*Store, *bunstore.DB, func() []string) {
	t.Helper()
	var sent []string
	db := storetest.OpenURL(t, bunstore.Config{URL: storetest.URL(t),
		Observe: func(sql string) { sent = append(sent, sql) }})
	if err := db.Migrate(t.Context(), []bunstore.Migrations{{Module: "messages", FS: os.DirFS("../..")}}); err != nil {
		t.Fatal(err)
	}
	tx, _, err := db.Begin(t.Context(), bunstore.Changing)
	if err != nil {
		t.Fatal(err)
	}
	ctx := db.With(context.Background(), tx)
	for _, text := range []string{
		fmt.Sprintf(`INSERT INTO messages (realm_id, recipient_id, topic, topic_key, sender_id, client, sent_at,
				content, rendered, render_version, facts, notice)
			SELECT 1, CASE i %% 4 WHEN 3 THEN 2 * (i %% 40) ELSE 2 END, 't', 't',
				CASE WHEN i %% 16000 = 1 THEN 99 ELSE 1 + i %% 3 END, 'c', '2026-01-01 00:00:00', 'x', 'x', 1,
				CASE WHEN i %% 16000 = 2 THEN 63 ELSE 0 END, 0
			FROM (WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < %d) SELECT i FROM s) n`, many),
		`INSERT INTO reactions (message_id, user_id, type, code, name, n, recipient_id) SELECT id, 1, 't', 'c', 'n', 1, ` +
			`recipient_id FROM messages WHERE recipient_id <> 2`,
		`INSERT INTO reactions (message_id, user_id, type, code, name, n, recipient_id) SELECT id, 1, 't', 'c', 'n', 1, ` +
			`recipient_id FROM messages WHERE recipient_id = 2 AND id % 16000 = 4`,
	} {
		if _, err := db.From(ctx).NewRaw(text).Exec(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if storetest.Postgres() {
		for _, table := range []string{"messages", "reactions"} {
			if _, err := db.From(t.Context()).NewRaw("ANALYZE " + table).Exec(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	return New(db, nil), db, func() []string { out := sent; sent = nil; return out }
}

// scans returns scans of narrows with few matches, each with the index that it must use.
func scans(s *Store) map[string]struct {
	index string
	run   func(ctx context.Context, sc Scan) (int, error)
} {
	type scan = struct {
		index string
		run   func(ctx context.Context, sc Scan) (int, error)
	}
	heads := func(index string, f Filter, run func(context.Context, Scan) ([]message.Message, error)) scan {
		return scan{index, func(ctx context.Context, sc Scan) (int, error) {
			sc.Filter = f
			ms, err := run(ctx, sc)
			return len(ms), err
		}}
	}
	place := "messages_place_sender"
	if storetest.Postgres() {
		place = "_sender" // either index is as selective; the planner may choose
	}
	each := func(ctx context.Context, sc Scan) ([]message.Message, error) {
		var in []Stretch
		for _, r := range sc.Recipients {
			in = append(in, Stretch{r, sc.Range})
		}
		return s.ScanEach(ctx, in, sc)
	}
	one, three := []message.Recipient{2}, []message.Recipient{2, 6, 14}
	all := map[string]scan{
		"sender":              heads("messages_sender", Filter{Sender: 99}, s.ScanSender),
		"sender in a channel": heads(place, Filter{Sender: 99, Recipients: one}, s.ScanOne),
		"sender in three":     heads(place, Filter{Sender: 99, Recipients: three}, each),
		"a link by a sender of many": heads("messages_link", Filter{Sender: 3, Facts: message.HasLink, Recipients: one},
			s.ScanOne),
		"reaction": {"reactions_recipient", func(ctx context.Context, sc Scan) (int, error) {
			sc.Recipients = one
			at, err := s.Reactions.ScanEach(ctx, sc)
			return len(at), err
		}},
	}
	for name, f := range map[string]message.Facts{
		"link": message.HasLink, "image": message.HasImage, "attachment": message.HasAttachment,
		"wildcard": message.ChannelWildcard, "crossed": message.MovedChannel,
	} {
		all[name+" in a channel"] = heads("messages_"+name, Filter{Facts: f, Recipients: one}, s.ScanOne)
		all[name+" in three"] = heads("messages_"+name, Filter{Facts: f, Recipients: three}, each)
	}
	return all
}

// Rare properties are found through their own index in either direction: no scan reads more than it returns.
func TestPlansOfRareHits(t *testing.T) {
	s, db, sent := openLarge(t)
	for name, c := range scans(s) {
		for _, down := range []bool{true, false} {
			sent()
			n, err := c.run(t.Context(), Scan{Range: Range{From: 1, To: 1 << 60}, Down: down, Limit: 64})
			if err != nil {
				t.Fatal(err)
			}
			if n < 2 || n > 4 {
				t.Errorf("%s: %d hits", name, n)
			}
			for _, sql := range sent() {
				plan := storetest.Plan(t, db, sql)
				if !strings.Contains(plan, c.index) || strings.Contains(plan, "messages_recipient ") ||
					strings.Contains(plan, "Seq Scan") {
					t.Errorf("%s (descending %v) does not use %s:\n%s\n%s", name, down, c.index, sql, plan)
				}
			}
		}
	}
}

// The end of each stretch is found by a seek in the index of its condition.
func TestPlansOfEnds(t *testing.T) {
	s, db, sent := openLarge(t)
	in := []Stretch{{2, Range{1, many / 2}}, {6, Range{1, 1 << 60}}, {2, Range{many / 2, 1 << 60}}}
	place := "messages_place_sender"
	if storetest.Postgres() {
		place = "_sender"
	}
	topic := "t"
	for name, c := range map[string]struct {
		Filter
		index string
	}{
		"any": {Filter{}, "messages_recipient"}, "topic": {Filter{Topic: &topic}, "messages_topic"},
		"sender": {Filter{Sender: 2}, place}, "link": {Filter{Facts: message.HasLink}, "messages_link"},
		"crossed": {Filter{Facts: message.MovedChannel}, "messages_crossed"},
	} {
		for _, down := range []bool{true, false} {
			sent()
			if _, err := s.Ends(t.Context(), in, c.Filter, down); err != nil {
				t.Fatal(err)
			}
			for _, sql := range sent() {
				plan := storetest.Plan(t, db, sql)
				if !c.CanSeekEnds() || !strings.Contains(plan, c.index) || strings.Contains(plan, "Sort") ||
					strings.Contains(plan, "B-TREE") {
					t.Errorf("%s (descending %v) does not seek in %s:\n%s\n%s", name, down, c.index, sql, plan)
				}
			}
		}
	}
	got, err := s.Ends(t.Context(), in, Filter{}, true)
	if err != nil || got[0] > many/2 || got[0] < many/2-4 || got[1] < many-40 || got[2] < many-4 {
		t.Errorf("ends %v, %v", got, err)
	}
}

// Conversations are searched for resolved topics, and for several conditions at once, without reading all messages.
func TestPlansOfTopics(t *testing.T) {
	s, db, sent := openLarge(t)
	topic := "none"
	for name, f := range map[string]Filter{
		"resolved": {Resolved: true}, "topic and link": {Topic: &topic, Facts: message.HasLink},
	} {
		for _, down := range []bool{true, false} {
			sent()
			in := []Stretch{{2, Range{1, 1 << 60}}, {6, Range{1, 1 << 60}}}
			if ms, err := s.ScanEach(t.Context(), in, Scan{Filter: f, Down: down, Limit: 16}); err != nil || len(ms) > 0 {
				t.Fatal(len(ms), err)
			}
			for _, sql := range sent() {
				plan := storetest.Plan(t, db, sql)
				if !strings.Contains(plan, "messages_topic") && !strings.Contains(plan, "messages_link") {
					t.Errorf("%s (descending %v):\n%s\n%s", name, down, sql, plan)
				}
			}
		}
	}
}

// BenchmarkRareHits finds three messages among many.
func BenchmarkRareHits(b *testing.B) {
	s, _, _ := openLarge(b)
	for name, c := range scans(s) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := c.run(b.Context(), Scan{Range: Range{From: 1, To: 1 << 60}, Down: true, Limit: 64}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
