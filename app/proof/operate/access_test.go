package operate_test

import (
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/app/kittest/testrun"
	"github.com/stoachat/stoa/app/proof/internal/harness"
)

// accessed starts a server with an access log whose main log contains errors alone, and returns the file and the log.
func accessed(t *testing.T, format string) (s *kittest.Server, file string, log *record) {
	t.Helper()
	file, log = filepath.Join(t.TempDir(), "access.log"), &record{}
	o := options("log: {access: {file: '" + file + "', format: " + format + "}}\n")
	o.Log = slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelError}))
	return kittest.StartWith(t, o, harness.AllModules()...), file, log
}

func lines(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}

// Each request has a line in the access log, with the ID that the response carries, whatever the level of the log.
func TestAccessLog(t *testing.T) {
	s, file, log := accessed(t, "json")
	olga := s.As("olga").Agent("ZulipMobile/27.0")
	id := olga.Do("GET /users/me?secret=s3cret").OK().Header.Get("X-Request-Id")
	var last map[string]any
	all := lines(t, file)
	if err := json.Unmarshal([]byte(all[len(all)-1]), &last); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]any{
		"level": "INFO", "msg": "request", "request": id, "method": "GET", "route": "/api/v1/users/me",
		"path": "/api/v1/users/me", "remote": "127.0.0.1", "status": 200.0, "client": "ZulipMobile",
	} {
		if last[key] != want {
			t.Errorf("%s is %v, want %v", key, last[key], want)
		}
	}
	for _, key := range []string{"time", "took_ms", "bytes", "realm", "user"} {
		if last[key] == nil {
			t.Errorf("%s is missing", key)
		}
	}
	if strings.Contains(all[len(all)-1], "s3cret") {
		t.Errorf("the query is in %s", all[len(all)-1])
	}
	if got := log.String(); got != "" {
		t.Errorf("the log contains %s", got)
	}
}

// The line of a held poll is written when the poll is answered.
func TestAccessLogOfPolls(t *testing.T) {
	s, file, _ := accessed(t, "json")
	q := s.As("bob").Register()
	answer := make(chan *kittest.Response, 1)
	go func() { answer <- q.Wait() }()
	s.As("olga").Do("POST /messages", "type", "channel", "to", `"general"`, "topic", "t", "content", "hello").OK()
	id := testrun.Receive(t, answer, "response to a poll").OK().Header.Get("X-Request-Id")
	kittest.Await(t, func() bool { return strings.Contains(strings.Join(lines(t, file), "\n"), `"request":"`+id+`"`) })
}

// A file that was renamed is written anew after a reload.
func TestAccessLogIsReopened(t *testing.T) {
	s, file, _ := accessed(t, "json")
	s.As("olga").Do("GET /users/me").OK()
	if err := os.Rename(file, file+".1"); err != nil {
		t.Fatal(err)
	}
	before := len(lines(t, file+".1"))
	s.App.Reload()
	s.As("olga").Do("GET /users/me").OK()
	if after := len(lines(t, file+".1")); after != before || len(lines(t, file)) != 1 {
		t.Errorf("%d lines of %d are in the old file, %d in the new one", after, before, len(lines(t, file)))
	}
}

func TestCombinedAccessLog(t *testing.T) {
	s, file, _ := accessed(t, "combined")
	s.As("olga").Agent("ZulipMobile/27.0").Do("GET /users/me?secret=s3cret").OK()
	all := lines(t, file)
	want := regexp.MustCompile(`^127\.0\.0\.1 - \d+ \[\d\d/\w{3}/\d{4}:\d\d:\d\d:\d\d \+0000\] ` +
		`"GET /api/v1/users/me HTTP/1\.1" 200 \d+ "-" "ZulipMobile"$`)
	if got := all[len(all)-1]; !want.MatchString(got) {
		t.Errorf("got %s", got)
	}
}
