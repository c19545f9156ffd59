package flags

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/adapters/bunstore/storetest"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/user"
)

// Even for a user with very many flag rows, rare flags are found through the index of that flag alone.
func TestPlansOfRareFlags(t *testing.T) {
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
	if _, err := db.From(db.With(t.Context(), tx)).NewRaw(`INSERT INTO message_flags (user_id, message_id, flags)
		SELECT 1 + i % 2, i, CASE WHEN i % 8000 = 1 THEN 255 ELSE 2 END -- 2: collapsed, which nobody looks for
		FROM (WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < 50000) SELECT i FROM s) n`).Exec(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if storetest.Postgres() {
		if _, err := db.From(t.Context()).NewRaw("ANALYZE message_flags").Exec(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	s := NewStore(db)
	for f, index := range map[message.Flag]string{
		message.Starred: "starred", message.Mentioned: "mentioned", message.Personally: "personally",
		message.TopicWildcard: "topic_wildcard",
		message.AlertWord:     "alerted", message.Touched: "touched", message.OldUnread: "old_unread",
		message.Mentioned | message.TopicWildcard: "topic_wildcard",
	} {
		for _, down := range []bool{true, false} {
			sent = nil
			ids, err := s.Flagged(t.Context(), 2, f, 1, 1<<60, 64, down)
			if err != nil || len(ids) != 7 || (ids[0] > ids[1]) != down {
				t.Errorf("%s: %v, %v", index, ids, err)
			}
			for _, sql := range sent {
				plan := storetest.Plan(t, db, sql)
				if !strings.Contains(plan, "message_flags_"+index) || strings.Contains(plan, "message_flags_pkey") ||
					strings.Contains(plan, "PRIMARY KEY") || strings.Contains(plan, "Seq Scan") {
					t.Errorf("%s (descending %v) does not use its index:\n%s\n%s", index, down, sql, plan)
				}
			}
		}
	}
	sent = nil
	if got, err := s.Of(t.Context(), []user.ID{2}, nil); err != nil || len(got) != 7 {
		t.Errorf("flags: %v, %v", got, err)
	}
	if plan := storetest.Plan(t, db, sent[0]); !strings.Contains(plan, "old_unread") {
		t.Errorf("unread messages below the floor do not use their index:\n%s", plan)
	}
	for n := range 3 {
		ids := []message.ID{1, 2, 8001, message.ID(16001 + n)}
		if got, err := s.Any(t.Context(), 2, ^message.Flag(0), ids); err != nil || len(got) != 3-n%2 || !got[8001] || got[2] {
			t.Errorf("among %v: %v, %v", ids, fmt.Sprint(got), err)
		}
	}
}
