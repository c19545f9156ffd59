package operate_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/app/proof/internal/harness"
)

// record is a log that several goroutines write.
type record struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer.
func (r *record) Write(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.Write(b)
}

func (r *record) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.String()
}

// TestLogTellsNoSecrets sends everything that must not be logged in all places of requests, and searches the log at
// level debug, the access log and the traces for it: passwords, keys, tokens, queries, addresses of people, and what
// they write.
func TestLogTellsNoSecrets(t *testing.T) {
	log, access := &record{}, filepath.Join(t.TempDir(), "access")
	traces := collect(t)
	o := options("metrics: {addr: '127.0.0.1:0', token: a-token-of-operators}\n" +
		"log: {access: {file: '" + access + "'}}\n" +
		"traces: {endpoint: '" + traces.URL + "', sample: 1}\n")
	o.Log = slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	s := kittest.StartWith(t, o, harness.AllModules()...)
	olga, anonymous := s.As("olga"), s.Anonymous()
	secrets := []string{
		"a-token-of-operators", olga.Key(), s.As("bot").Key(), kittest.Password, "@example.com", "s3cret", "private-matter",
	}
	olga.Do("POST /messages", "type", "channel", "to", `"general"`, "topic", "private-matter", "content", "s3cret").OK()
	olga.Do("GET /messages", "anchor", "newest", "num_before", "5", "num_after", "0",
		"narrow", `[["search","s3cret"],["topic","private-matter"]]`).OK()
	olga.Do("POST /users", "email", "s3cret@example.com", "password", "s3cret s3cret s3cret", "full_name", "s3cret").OK()
	olga.Do("GET /users/bob@example.com")
	olga.Do("GET /nowhere/s3cret-s3cret-s3cret-s3cret?key=s3cret")
	olga.Upload("POST /user_uploads", "s3cret.txt", []byte("s3cret")).OK()
	anonymous.Do("POST /fetch_api_key", "username", "olga@example.com", "password", kittest.Password).OK()
	anonymous.Do("POST /fetch_api_key", "username", "olga@example.com", "password", "s3cret")
	anonymous.Do("POST /external/json?stream=general&topic=private-matter&api_key="+s.As("bot").Key(), "payload", "{}")
	s.WithKey("olga@example.com", "s3cret").Do("GET /users/me")
	anonymous.Agent("s3cret@example.com").Do("GET /server_settings").OK()
	anonymous.Under("").Do("GET /accounts/password/reset/s3cret-s3cret-s3cret-s3cret/")
	anonymous.Under("").Do("GET /user_uploads/1/s3cret-s3cret-s3cret-s3cret/s3cret.txt?token=s3cret")
	for name, value := range map[string]string{
		"Authorization": "Basic s3cret", "Cookie": "sessionid=s3cret", "Referer": "https://s3cret", "X-Request-Id": "s3cret",
		"X-Forwarded-Proto": "s3cret", "X-Forwarded-Host": "s3cret", "Origin": "https://s3cret",
	} {
		req := anonymous.Request("POST /messages?s3cret=s3cret", strings.NewReader("s3cret=s3cret"))
		req.Header.Set(name, value)
		anonymous.RoundTrip(req)
	}
	get(t, s, "/metrics", http.Header{"Authorization": {"Bearer a-token-of-operators"}})
	for _, job := range []string{"mail.send_mails", "events.sweep"} {
		s.RunJob(job)
	}
	requests, err := os.ReadFile(access)
	if err != nil {
		t.Fatal(err)
	}
	kittest.Await(t, func() bool { return strings.Contains(traces.received(), "job events.sweep") })
	got := log.String() + string(requests) + traces.received()
	for _, part := range []string{
		"route=/api/v1/fetch_api_key", "level=DEBUG", `"route":"/api/v1/fetch_api_key"`,
	} {
		if !strings.Contains(got, part) {
			t.Fatalf("%s is missing in this log:\n%s", part, got)
		}
	}
	for line := range strings.Lines(got) {
		for _, secret := range secrets {
			if strings.Contains(line, secret) {
				t.Errorf("%q is in the log: %s", secret, line)
			}
		}
	}
}

// A line of a request has the fields that operators search for.
func TestLogFields(t *testing.T) {
	log := &record{}
	o := options("")
	o.Log = slog.New(slog.NewJSONHandler(log, nil))
	s := kittest.StartWith(t, o, harness.AllModules()...)
	answer := s.As("olga").Agent("ZulipMobile/27.0").Do("GET /users/me").OK()
	for line := range strings.Lines(log.String()) {
		if !strings.Contains(line, `"request":"`+answer.Header.Get("X-Request-Id")+`"`) {
			continue
		}
		for _, want := range []string{`"time":"`, `"level":"INFO"`, `"msg":"request"`, `"module":"http"`, `"method":"GET"`,
			`"route":"/api/v1/users/me"`, `"status":200`, `"took_ms":`, `"bytes":`, `"realm":`, `"user":`,
			`"remote":"127.0.0.1"`, `"client":"ZulipMobile"`} {
			if !strings.Contains(line, want) {
				t.Errorf("%s is missing in %s", want, line)
			}
		}
		return
	}
	t.Errorf("the request is not in the log\n%s", log.String())
}
