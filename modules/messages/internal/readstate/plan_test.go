package readstate

import (
	"os"
	"strings"
	"testing"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/adapters/bunstore/storetest"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/modules/messages/internal/inbox"
)

// Resolve notices are found through their own index.
func TestPlanOfNotices(t *testing.T) {
	if storetest.Postgres() {
		t.Skip("it scans an empty table")
	}
	var sent []string
	db := storetest.OpenURL(t, bunstore.Config{URL: storetest.URL(t),
		Observe: func(sql string) { sent = append(sent, sql) }})
	if err := db.Migrate(t.Context(), []bunstore.Migrations{{Module: "messages", FS: os.DirFS("../..")}}); err != nil {
		t.Fatal(err)
	}
	sent = nil
	if _, err := (factStore{db, inbox.New(db)}).notices(t.Context(), 1, 7, 10); err != nil {
		t.Fatal(err)
	}
	if plan := storetest.Plan(t, db, sent[0]); !strings.Contains(plan, "messages_notices") ||
		strings.Contains(plan, "TEMP B-TREE") {
		t.Errorf("%s\n%s", sent[0], plan)
	}
}

// Messages of a user's conversations in a range of IDs are found through the index of each conversation, whether there
// are few conversations or many: messages of others in the range are not read.
func TestPlanOfBetween(t *testing.T) {
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
	ctx := db.With(t.Context(), tx)
	_, err = db.From(ctx).NewRaw(`INSERT INTO messages (realm_id, recipient_id, topic, topic_key, sender_id, client,
			sent_at, content, rendered, render_version, facts, notice)
		SELECT 1, 2 * (i % 600), 't', 't', 1, 'c', '2026-01-01 00:00:00', 'x', 'x', 1, 0, 0
		FROM (WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < 50000) SELECT i FROM s) n`).Exec(ctx)
	if err == nil && storetest.Postgres() {
		_, err = db.From(ctx).NewRaw("ANALYZE messages").Exec(ctx)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, many := range []int{1, 5, 300} {
		var in []message.Recipient
		for i := range many {
			in = append(in, message.Recipient(2*i))
		}
		sent = nil
		fs, err := (factStore{db, inbox.New(db)}).between(t.Context(), in, 20_000, 40_000)
		if err != nil || len(fs) < 33*many || len(fs) > 34*many || fs[0].ID <= 20_000 {
			t.Fatal(len(fs), err)
		}
		if plan := storetest.Plan(t, db, sent[0]); !strings.Contains(plan, "messages_recipient") ||
			strings.Contains(plan, "Seq Scan") {
			t.Errorf("%d conversations:\n%.300s\n%s", many, sent[0], plan)
		}
	}
}
