package crash_test

import (
	"bytes"
	"database/sql"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stoachat/stoa/adapters/bunstore/storetest"
	"github.com/stoachat/stoa/app/kittest/testrun"
	"github.com/stoachat/stoa/app/proof/internal/harness"
)

// TestStartWithoutDatabase starts a server while its database accepts no connections. It must answer with status 503,
// log each attempt, and serve as soon as the database responds.
func TestStartWithoutDatabase(t *testing.T) {
	if !storetest.Postgres() {
		t.Skip("requires a database server: set STOA_TEST_DATABASE=postgres")
	}
	s := harness.NewServer(t)
	at, err := url.Parse(s.Variable("STOA_DATABASE_URL"))
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("pgx", os.Getenv("STOA_TEST_POSTGRES_URL"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	allow := func(yes string) {
		t.Helper()
		if _, err := db.Exec("ALTER DATABASE " + at.Path[1:] + " ALLOW_CONNECTIONS " + yes); err != nil {
			t.Fatal(err)
		}
	}
	allow("false")
	s.Launch()
	eventually := func(what string, done func() bool) {
		t.Helper()
		testrun.Await(t, what, done, s.Log)
	}
	get := func(path string) (status int, body string) {
		res, err := http.Get(s.URL + path)
		if err != nil {
			return 0, ""
		}
		defer func() { _ = res.Body.Close() }()
		b, _ := io.ReadAll(res.Body)
		return res.StatusCode, string(b)
	}
	eventually("readiness 503", func() bool {
		status, body := get("/health")
		return status == http.StatusServiceUnavailable && strings.Contains(body, `"status":"starting"`)
	})
	if status, body := get("/api/v1/server_settings"); status != 503 || !strings.Contains(body, "SERVICE_UNAVAILABLE") {
		t.Errorf("a request got %d %s", status, body)
	}
	eventually("a second attempt", func() bool {
		return strings.Count(s.Log.String(), "waiting for the database") >= 2
	})
	allow("true")
	eventually("readiness", func() bool { status, _ := get("/health"); return status == 200 })
	s.Must("GET", "/users/me", nil)
}

// TestStartEndsForLastingProblems checks that a server does not wait for what does not pass.
func TestStartEndsForLastingProblems(t *testing.T) {
	if !storetest.Postgres() {
		t.Skip("requires a database server: set STOA_TEST_DATABASE=postgres")
	}
	s := harness.NewEmptyServer(t)
	at, err := url.Parse(s.Variable("STOA_DATABASE_URL"))
	if err != nil {
		t.Fatal(err)
	}
	at.Path = "/missing"
	cmd := exec.CommandContext(t.Context(), harness.Binary(t), "serve", "--database-url", at.String())
	var out bytes.Buffer
	cmd.Env, cmd.Stdout, cmd.Stderr = s.Env, &out, &out
	if err := cmd.Run(); err == nil || !strings.Contains(out.String(), `database.url: PostgreSQL at `) ||
		!strings.Contains(out.String(), `has no database "missing"`) {
		t.Errorf("%v: %s", err, &out)
	}
}
