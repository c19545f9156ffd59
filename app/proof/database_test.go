package proof_test

import (
	"database/sql"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest/testrun"
)

// TestDatabaseOutage checks that requests get status 503 with Retry-After while the database is unavailable, and that
// the server then recovers by itself. SQLite is part of the process and always available.
func TestDatabaseOutage(t *testing.T) {
	if !postgres() {
		t.Skip("requires a database server: set STOA_TEST_DATABASE=postgres")
	}
	s := newServer(t)
	s.start()
	s.must("POST", "/users/me/subscriptions", url.Values{"subscriptions": {`[{"name":"proof"}]`}})
	first := s.send("before")

	at, err := url.Parse(s.variable("STOA_DATABASE_URL"))
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

	for _, res := range []answer{
		s.raw("POST", "/messages", url.Values{"type": {"stream"}, "to": {`"proof"`}, "topic": {"t"}, "content": {"away"}}),
		s.raw("GET", "/messages", url.Values{"anchor": {"newest"}, "num_before": {"5"}}),
	} {
		if res.status != http.StatusServiceUnavailable || res.header.Get("Retry-After") == "" {
			t.Errorf("during the outage: %d, Retry-After %q, %s", res.status, res.header.Get("Retry-After"), res.body)
		}
		var body struct{ Result, Msg, Code string }
		if err := json.Unmarshal(res.body, &body); err != nil || body.Result != "error" || strings.Contains(body.Msg, "pgx") {
			t.Errorf("during the outage: %s", res.body)
		}
	}

	for range 50 {
		_ = s.raw("GET", "/messages", url.Values{"anchor": {"newest"}, "num_before": {"5"}})
	}
	log := s.log.String()
	if n := strings.Count(log, "level=ERROR"); n != 1 || !strings.Contains(log, "the database does not respond") ||
		strings.Contains(log, "error=<nil>") {
		t.Errorf("the outage was logged with %d errors:\n%s", n, log)
	}

	exec("ALTER DATABASE " + name + " WITH ALLOW_CONNECTIONS true")
	var second int64
	testrun.Await(t, "recovery of the server", func() bool {
		out, err := s.call("POST", "/messages", url.Values{"type": {"stream"}, "to": {`"proof"`}, "topic": {"t"},
			"content": {"back"}})
		if err == nil && out["result"] == "success" {
			second = integer(out["id"])
		}
		return second > 0
	})
	if second <= first {
		t.Errorf("ids must rise: %d after %d", second, first)
	}
}

type answer struct {
	status int
	header http.Header
	body   []byte
}

// raw sends a request as the owner and returns the raw response.
func (s *server) raw(method, path string, params url.Values) answer {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.url+"/api/v1"+path, strings.NewReader(params.Encode()))
	if err != nil {
		s.t.Fatal(err)
	}
	req.SetBasicAuth(s.mail, s.key)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	res, err := client.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return answer{res.StatusCode, res.Header, b}
}
