package crash_test

import (
	"database/sql"
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/stoachat/stoa/adapters/bunstore/storetest"
	"github.com/stoachat/stoa/app/kittest/testrun"
	"github.com/stoachat/stoa/app/proof/internal/harness"
)

// TestDatabaseOutage checks that requests get status 503 with Retry-After while the database is unavailable, and that
// the server then recovers by itself. SQLite is part of the process and always available.
func TestDatabaseOutage(t *testing.T) {
	if !storetest.Postgres() {
		t.Skip("requires a database server: set STOA_TEST_DATABASE=postgres")
	}
	s := harness.NewServer(t)
	s.Start()
	s.Must("POST", "/users/me/subscriptions", url.Values{"subscriptions": {`[{"name":"proof"}]`}})
	first := s.Send("before")

	at, err := url.Parse(s.Variable("STOA_DATABASE_URL"))
	if err != nil {
		t.Fatal(err)
	}
	name := strings.TrimPrefix(at.Path, "/")
	db, err := sql.Open("pgx", os.Getenv("STOA_TEST_POSTGRES_URL"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	exec := func(query string, args ...any) {
		t.Helper()
		if _, err := db.Exec(query, args...); err != nil {
			t.Fatal(err)
		}
	}
	exec("ALTER DATABASE " + name + " WITH ALLOW_CONNECTIONS false")
	exec("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1", name)

	for _, res := range []harness.Response{
		s.Raw("POST", "/messages", url.Values{"type": {"stream"}, "to": {`"proof"`}, "topic": {"t"}, "content": {"away"}}),
		s.Raw("GET", "/messages", url.Values{"anchor": {"newest"}, "num_before": {"5"}}),
	} {
		if res.Status != http.StatusServiceUnavailable || res.Header.Get("Retry-After") == "" {
			t.Errorf("during the outage: %d, Retry-After %q, %s", res.Status, res.Header.Get("Retry-After"), res.Body)
		}
		var body struct{ Result, Msg, Code string }
		if err := json.Unmarshal(res.Body, &body); err != nil || body.Result != "error" || strings.Contains(body.Msg, "pgx") {
			t.Errorf("during the outage: %s", res.Body)
		}
	}

	for range 50 {
		_ = s.Raw("GET", "/messages", url.Values{"anchor": {"newest"}, "num_before": {"5"}})
	}
	log := s.Log.String()
	if n := strings.Count(log, "level=ERROR"); n != 1 || !strings.Contains(log, "the database does not respond") ||
		strings.Contains(log, "error=<nil>") {
		t.Errorf("the outage was logged with %d errors:\n%s", n, log)
	}

	exec("ALTER DATABASE " + name + " WITH ALLOW_CONNECTIONS true")
	var second int64
	testrun.Await(t, "recovery of the server", func() bool {
		out, err := s.Call("POST", "/messages", url.Values{"type": {"stream"}, "to": {`"proof"`}, "topic": {"t"},
			"content": {"back"}})
		if err == nil && out["result"] == "success" {
			second = harness.Int(out["id"])
		}
		return second > 0
	})
	if second <= first {
		t.Errorf("ids must rise: %d after %d", second, first)
	}
}
