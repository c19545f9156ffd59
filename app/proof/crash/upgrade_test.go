package crash_test

import (
	"bytes"
	"compress/gzip"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/adapters/bunstore/storetest"
	"github.com/stoachat/stoa/app/kittest/testrun"
	"github.com/stoachat/stoa/app/proof/internal/harness"
)

// TestUpgrade checks that a server can open a database of November 2026, written before several tables were renamed,
// without losing anything. The two files in testdata/upgrade have the same content, written by the same requests.
// want.json holds the responses of the server of that time, without times and addresses.
func TestUpgrade(t *testing.T) {
	s, due := formerServer(t)
	s.Start()
	checkUpgraded(t, s, due)
}

// TestKilledUpgrade kills the server at random moments while it migrates a database. The next start completes it.
func TestKilledUpgrade(t *testing.T) {
	undisturbed, _ := formerServer(t)
	harness.Binary(t) // compiles the program the first time
	begun := time.Now()
	undisturbed.Run("migrate", "up")
	took := time.Since(begun)
	kills := 3
	if testrun.Long() {
		kills = 50
	}
	within := 0
	for i := range kills {
		s, due := formerServer(t)
		s.Launch()
		at := took * time.Duration(2*i+1) / time.Duration(2*kills)
		time.Sleep(at)
		s.Kill()
		if missing := missingSteps(t, s); missing > 0 {
			within++
		}
		s.Start()
		checkUpgraded(t, s, due)
		if missing := missingSteps(t, s); missing > 0 {
			t.Errorf("killed after %v: %d migrations are missing", at, missing)
		}
		s.Kill()
		if t.Failed() {
			t.Fatalf("killed after %v of %v\n%s", at, took, s.Log)
		}
	}
	t.Logf("%d of %d kills came before the migration was complete, which took %v", within, kills, took)
}

// missingSteps returns the number of migrations that are missing.
func missingSteps(t *testing.T, s *harness.Server) int {
	t.Helper()
	var status struct{ Missing int }
	if err := json.Unmarshal(s.Run("migrate", "status", "--json"), &status); err != nil {
		t.Fatal(err)
	}
	return status.Missing
}

// formerServer returns a server, not yet started, with the database of the earlier version. due returns the end of a
// waiting period, whose table has moved to another module since.
func formerServer(t *testing.T) (s *harness.Server, due func() (string, error)) {
	t.Helper()
	s = harness.NewEmptyServer(t)
	s.Env = append(s.Env, "STOA_SECRET=0123456789abcdef0123456789abcdef")
	s.Mail, s.Key = "o@example.com", "s8pbDLUEs1DFnOMz4mLpJvX6Y12OVXnr"
	driver, source, schema := "sqlite", filepath.Join(s.Variable("STOA_DATA_DIR"), "stoa.db"), "main"
	if storetest.Postgres() {
		s.Key = "SZcbuJsnGYbJ8yjN6EwDx647THh0hmih"
		driver, source, schema = "pgx", s.Variable("STOA_DATABASE_URL"), "public"
	} else if err := os.WriteFile(source, unzip(t, "sqlite.db.gz"), 0o600); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open(driver, source)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	exec := func(text string) {
		t.Helper()
		if _, err := db.Exec(text); err != nil {
			t.Fatal(err)
		}
	}
	if storetest.Postgres() {
		exec(string(unzip(t, "postgres.sql.gz")))
	}
	exec("INSERT INTO " + schema + ".channel_ripening (realm_id, upto, due) " +
		"VALUES (1, '2026-11-23 00:00:00+00:00', '2126-11-23 00:00:00+00:00')")
	return s, func() (due string, err error) {
		err = db.QueryRow("SELECT due FROM " + schema + ".waiting_periods WHERE realm_id = 1").Scan(&due)
		return due, err
	}
}

// checkUpgraded checks that a server has lost nothing of the earlier version's database.
func checkUpgraded(t *testing.T, s *harness.Server, due func() (string, error)) {
	t.Helper()
	if due, err := due(); err != nil || !strings.HasPrefix(due, "2126-11-23") {
		t.Errorf("the waiting period ends at %s: %v", due, err)
	}
	text, err := os.ReadFile("testdata/upgrade/want.json")
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var want map[string]any
	if err := d.Decode(&want); err != nil {
		t.Fatal(err)
	}
	for path, value := range want {
		var got map[string]any
		switch path {
		case "/register":
			got = s.Must("POST", path, nil)
		case "/messages":
			got = s.Must("GET", path, url.Values{"anchor": {"newest"}, "num_before": {"200"}})
		default:
			got = s.Must("GET", path, nil)
		}
		missing(t, path, got, value)
	}
}

// missing reports what got lacks. Objects in got may have more members than in want.
func missing(t *testing.T, where string, got, want any) {
	t.Helper()
	switch want := want.(type) {
	case map[string]any:
		object, _ := got.(map[string]any)
		for name, value := range want {
			missing(t, where+"."+name, object[name], value)
		}
	case []any:
		list, _ := got.([]any)
		if len(list) != len(want) {
			t.Errorf("%s has %d elements, want %d", where, len(list), len(want))
			return
		}
		for i, value := range want {
			missing(t, fmt.Sprintf("%s[%d]", where, i), list[i], value)
		}
	default:
		if got != want {
			t.Errorf("%s is %v, want %v", where, got, want)
		}
	}
}

func unzip(t *testing.T, name string) []byte {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata/upgrade", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
