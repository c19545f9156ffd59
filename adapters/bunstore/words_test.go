package bunstore_test

import (
	"context"
	"crypto/rand"
	"strings"
	"testing"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/adapters/bunstore/storetest"
)

// Words of deleted rows disappear from a full-text index in several transactions.
func TestMergeWords(t *testing.T) {
	db := storetest.OpenURL(t, bunstore.Config{URL: "sqlite::memory:"}) // PostgreSQL has nothing to merge
	do := func(fn func(ctx context.Context) error) {
		t.Helper()
		tx, _, err := db.Begin(t.Context(), bunstore.Changing)
		must(t, err)
		must(t, fn(db.With(t.Context(), tx)))
		must(t, tx.Commit(t.Context()))
	}
	exec := func(query string, args ...any) {
		t.Helper()
		do(func(ctx context.Context) error {
			_, err := db.From(ctx).NewRaw(query, args...).Exec(ctx)
			return err
		})
	}
	exec("CREATE VIRTUAL TABLE texts USING fts5(content, tokenize = 'ascii', detail = none)")
	for i := range 400 {
		words := make([]string, 800)
		for j := range words {
			words[j] = rand.Text()[:12]
		}
		exec("INSERT INTO texts(rowid, content) VALUES (?, ?)", i, strings.Join(words, " "))
	}
	exec("DELETE FROM texts WHERE rowid % 2 = 0")
	size := func() (bytes int) {
		t.Helper()
		must(t, db.From(t.Context()).NewRaw("SELECT sum(length(block)) FROM texts_data").Scan(t.Context(), &bytes))
		return bytes
	}
	before, calls := size(), 0
	for first, more := true, true; more; first = false {
		do(func(ctx context.Context) (err error) {
			more, err = db.MergeWords(ctx, "texts", first)
			return err
		})
		calls++
	}
	if after := size(); after > before*6/10 || calls < 3 {
		t.Errorf("%d bytes, before %d, after %d calls", after, before, calls)
	}
}
