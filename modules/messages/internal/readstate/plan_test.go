package readstate

import (
	"os"
	"strings"
	"testing"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/adapters/bunstore/storetest"
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
