package oracle_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/app/kittest/testrun"
	"github.com/stoachat/stoa/app/proof/internal/harness"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/standard"
)

// No password, API key or message text appears in the server's log, in an error response, or (except as a hash) in the
// realm's log.
func TestSecretsAreNotLogged(t *testing.T) {
	harness.SQLiteSuffices(t, "requests are logged alike")
	testrun.Unraced(t, "its requests are sequential")
	var log kittest.Lines
	s := kittest.StartWith(t, kittest.Options{Log: slog.New(slog.NewTextHandler(&log,
		&slog.HandlerOptions{Level: slog.LevelDebug}))}, shipped()...)
	const password, other = "canary horse battery", "canary staple correct"
	olga := s.As("olga")
	var answers strings.Builder
	note := func(a *kittest.Response) *kittest.Response {
		if a.Status != 200 {
			answers.WriteString(a.Body)
		}
		return a
	}
	made := olga.Do("POST /users", "email", "new@example.com", "full_name", "New", "password", password).OK()
	note(olga.Do("POST /users", "email", "new@example.com", "full_name", "New", "password", password))
	note(olga.Do("POST /users", "email", "new2@example.com", "full_name", "New", "password", password, "nonsense", other))
	note(olga.Do("POST /users", "email", "wrong", "full_name", "New", "password", password))
	note(s.Anonymous().Do("POST /fetch_api_key", "username", "new@example.com", "password", other))
	note(s.Anonymous().Do("POST /fetch_api_key?password="+url.QueryEscape(password), "username", "nobody@example.com"))
	key := s.Anonymous().Do("POST /fetch_api_key?username=new%40example.com&password=" +
		url.QueryEscape(password)).OK().String("api_key")
	me := s.WithKey("new@example.com", key)
	note(me.Do("PATCH /settings", "old_password", other, "new_password", other))
	me.Do("PATCH /settings", "old_password", password, "new_password", other).OK()
	fresh := me.Do("POST /users/me/api_key/regenerate").OK().String("api_key")
	note(me.Do("GET /users/me"))
	me = s.WithKey("new@example.com", fresh)
	queue := me.Do("POST /register").OK().String("queue_id")
	note(me.Do("GET /events", "queue_id", queue+"x", "last_event_id", "-1"))
	me.Do("POST /messages", "type", "direct", "to", fmt.Sprintf("[%d]", s.UserID("bob")), "content", "canary content").OK()
	note(me.Do("POST /messages", "type", "direct", "to", "[999999]", "content", "canary content"))
	note(me.Do("PATCH /nothing", "password", password))
	olga.Do(fmt.Sprintf("DELETE /users/%d", made.Int("user_id"))).OK()
	for _, e := range s.Log() {
		text, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range []string{password, other, key, fresh, "canary"} {
			if strings.Contains(string(text), secret) {
				t.Errorf("the realm's log contains %q: %s", secret, text)
			}
		}
	}
	for name, text := range map[string]string{"log": log.String(), "answers": answers.String()} {
		if text == "" {
			t.Errorf("%s: no text to search", name)
		}
		for _, secret := range []string{"canary", key, fresh, s.As("olga").Key(), queue + "\""} {
			if at := strings.Index(text, secret); at >= 0 && (name == "log" || secret != queue+"\"") {
				t.Errorf("%s: %.300s", name, around(text, secret))
			}
		}
	}
}

// shipped returns all modules except the demo.
func shipped() []kit.Module {
	return slices.DeleteFunc(standard.Modules(), func(m kit.Module) bool { return m.Name == "demo" })
}

// Clients' input is not logged, not even in the cause of an error.
func TestCausesContainNoBodies(t *testing.T) {
	harness.SQLiteSuffices(t, "requests are logged alike")
	testrun.Unraced(t, "its requests are sequential")
	var log kittest.Lines
	s := kittest.StartWith(t, kittest.Options{Log: slog.New(slog.NewTextHandler(&log,
		&slog.HandlerOptions{Level: slog.LevelDebug}))}, shipped()...)
	s.As("alice").Send("POST /messages", "multipart/form-data; boundary=x",
		strings.NewReader("--x\r\n canary content")).Error(400, "BAD_REQUEST", "")
	if strings.Contains(log.String(), "canary") {
		t.Errorf("%.300s", around(log.String(), "canary"))
	}
}
