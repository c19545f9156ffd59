package crash_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stoachat/stoa/app/kittest/testrun"
	"github.com/stoachat/stoa/app/proof/internal/harness"
)

// TestReload sends SIGHUP to a server after changes of its configuration file. Keys that can take effect do so, others
// are named in the log, and an invalid file changes nothing. The server never stops.
func TestReload(t *testing.T) {
	harness.SQLiteSuffices(t, "the configuration is read alike")
	s := harness.NewServer(t)
	file := filepath.Join(t.TempDir(), "stoa.yaml")
	s.Env = append(s.Env, "STOA_CONFIG="+file, "STOA_HTTP_RATE_LIMITS_ENABLED=true")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	reload := func(text, logged string) {
		t.Helper()
		write(text)
		if err := s.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		testrun.Await(t, "line "+logged, func() bool { return strings.Contains(s.Log.String(), logged) }, s.Log)
	}
	limit := func(want string) {
		t.Helper()
		if got := s.Raw("GET", "/users/me", nil).Header.Get("X-RateLimit-Limit"); got != want {
			t.Errorf("the limit is %s, want %s", got, want)
		}
	}
	write("log: {level: warn}\nhttp: {rate_limits: {per_user: 150}}\n")
	s.Start()
	limit("150")
	reload("log: {level: info}\nhttp: {rate_limits: {per_user: 170, classes: {birthdays.cards: {per_user: 1}}}, "+
		"read_timeout: 31s}\n", `http.rate_limits.per_user log.level"`)
	limit("170")
	for what, line := range map[string]string{
		"needs a restart":           "keys=http.read_timeout",
		"limits what no module has": "key=http.rate_limits.classes.birthdays.cards",
	} {
		if !strings.Contains(s.Log.String(), line) {
			t.Errorf("the key that %s is not logged:\n%s", what, s.Log)
		}
	}
	reload("log: {level: loud}\nhttp: {rate_limits: {per_user: 190}}\n", "the configuration is invalid")
	if !strings.Contains(s.Log.String(), `unknown level`) {
		t.Errorf("the problem is not logged:\n%s", s.Log)
	}
	limit("170")
}
