package store

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/adapters/bunstore/storetest"
	"github.com/stoachat/stoa/domain/message"
)

// The stamp of a row changes with every statement that changes the row, including those that do not mention it, and
// differs between messages.
func TestStamp(t *testing.T) {
	db := storetest.OpenURL(t, bunstore.Config{URL: storetest.URL(t)})
	if err := db.Migrate(t.Context(), []bunstore.Migrations{{Module: "messages", FS: os.DirFS("../..")}}); err != nil {
		t.Fatal(err)
	}
	s := New(db, nil)
	m := message.Message{Realm: 1, Recipient: 2, Sender: 1, SentAt: time.Unix(1e9, 0)}
	other := m
	seen := map[int64]bool{}
	for _, change := range []func(context.Context) error{
		func(ctx context.Context) error { return s.Insert(ctx, []*message.Message{&m, &other}) },
		func(ctx context.Context) error { return s.Rewrite(ctx, &m) },
		func(ctx context.Context) error { return s.Rewrite(ctx, &m) }, // to the same
		func(ctx context.Context) error { return s.Rerender(ctx, []message.Message{m}) },
		func(ctx context.Context) error { return s.Move(ctx, []message.ID{m.ID}, Place{Recipient: 4}) },
		func(ctx context.Context) error { return s.MarkExtended(ctx, &m) },
		func(ctx context.Context) error {
			_, err := db.From(ctx).NewRaw("UPDATE messages SET client = 'by hand' WHERE id = ?", m.ID).Exec(ctx)
			return err
		},
	} {
		tx, _, err := db.Begin(t.Context(), bunstore.Changing)
		if err != nil {
			t.Fatal(err)
		}
		if err := change(db.With(t.Context(), tx)); err != nil {
			t.Fatal(err)
		}
		if err := tx.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
		heads, err := s.Heads(t.Context(), 1, []message.ID{m.ID, other.ID})
		if err != nil || len(heads) != 2 {
			t.Fatalf("%v %v", heads, err)
		}
		if stamp := heads[0].Stamp; seen[stamp] || stamp == heads[1].Stamp {
			t.Errorf("the stamp %d is not new", stamp)
		} else {
			seen[stamp] = true
		}
	}
}
