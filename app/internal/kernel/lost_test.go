package kernel_test

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/app/internal/kernel"
	"github.com/stoachat/stoa/app/kittest"
)

// While the file of a SQLite database is missing, reads that succeed do not end the outage, which is logged once.
func TestLostFileIsOneOutage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stoa.db")
	db, err := bunstore.Open(t.Context(), bunstore.Config{URL: "sqlite:" + path})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	var log bytes.Buffer
	k := kernel.New(kernel.Options{DB: db, Clock: kittest.NewClock(), Log: slog.New(slog.NewTextHandler(&log, nil))})
	move := func(from, to string) {
		t.Helper()
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
	}
	move(path, path+".moved")
	for range 3 {
		_, _, err := db.Begin(t.Context(), bunstore.Changing)
		k.ObserveDatabase(err)
		k.ObserveDatabase(db.Ping(t.Context()))
	}
	if !k.Down() || strings.Count(log.String(), "\n") != 1 {
		t.Errorf("down %v, logged\n%s", k.Down(), log.String())
	}
	move(path+".moved", path)
	k.ObserveDatabase(db.Ping(t.Context()))
	if k.Down() || strings.Count(log.String(), "\n") != 2 {
		t.Errorf("down %v, logged\n%s", k.Down(), log.String())
	}
}
