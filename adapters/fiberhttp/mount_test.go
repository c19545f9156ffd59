package fiberhttp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/modules/kit"
)

func TestMount(t *testing.T) {
	show := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(r.Body)
		if e := (*errs.Error)(nil); errors.As(err, &e) {
			http.Error(w, e.Msg, http.StatusRequestEntityTooLarge)
			return
		}
		http.SetCookie(w, &http.Cookie{Name: "a", Value: "1"})
		http.SetCookie(w, &http.Cookie{Name: "b", Value: "2"})
		w.WriteHeader(http.StatusAccepted)
		_, _ = fmt.Fprintf(w, "%s %s host=%s x=%s len=%d body=%s", r.Method, r.URL, r.Host, r.Header.Get("X-Test"),
			r.ContentLength, b)
	})
	s := serve(t, []kit.Endpoint{
		kit.Mount("/files", kit.Anyone, show, "").MaxBody(20),
		kit.Mount("/private", kit.Owners, show, ""),
		kit.Mount("/boom", kit.Anyone, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("x") }), ""),
	}, unlimited)

	got := s.do("PATCH /files/a%2Fb/c", callOptions{query: "q=1", body: "some content",
		header: map[string]string{"X-Test": "y", "Host": "h"}})
	if got.status != 202 || got.body != "PATCH /files/a%2Fb/c?q=1 host=h x=y len=12 body=some content" {
		t.Errorf("%d %s", got.status, got.body)
	}
	if c := got.header.Values("Set-Cookie"); len(c) != 2 || got.header.Get("Content-Type") != "text/plain; charset=utf-8" {
		t.Errorf("headers: %v", got.header)
	}
	if got := s.do("GET /files", callOptions{}); got.status != 202 || !strings.Contains(got.body, "GET /files ") ||
		!strings.Contains(got.body, "len=0") {
		t.Errorf("%d %s", got.status, got.body)
	}
	s.is(s.do("POST /files", callOptions{body: strings.Repeat("x", 21)}), 413,
		`{"result":"error","msg":"The request body is too large; at most 20 bytes are accepted here.",`+
			`"code":"REQUEST_TOO_LARGE"}`)
	s.is(s.do("GET /private", callOptions{}), 401,
		`{"result":"error","msg":"Not logged in: API authentication or user session required","code":"UNAUTHORIZED"}`)
	s.is(s.do("GET /private", callOptions{as: "alice"}), 400,
		`{"result":"error","msg":"Must be an organization owner","code":"UNAUTHORIZED_PRINCIPAL"}`)
	if got := s.do("GET /private", callOptions{as: "olga"}); got.status != 202 {
		t.Errorf("%d %s", got.status, got.body)
	}
	s.unknown, s.down = true, true
	if got := s.do("GET /files", callOptions{}); got.status != 202 {
		t.Errorf("without realm and database: %d %s", got.status, got.body)
	}
	s.is(s.do("GET /boom", callOptions{}), 500,
		`{"result":"error","msg":"Internal server error","code":"INTERNAL_SERVER_ERROR"}`)
}

// With a session, a mounted handler that also accepts API keys can be made to change something only by this server's
// pages.
func TestMountOrigin(t *testing.T) {
	e := kit.Mount("/api/v1/up", kit.Users, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}), "Uploads.")
	e.EitherLogin = true
	s := serve(t, []kit.Endpoint{e}, unlimited, withSessions, withConfig(func(c *Config) { c.URL = "https://h" }))
	for _, c := range []struct {
		method string
		want   int
		header []string
	}{
		{"POST", 200, []string{"Origin", "https://h"}},
		{"PATCH", 200, []string{"Referer", "https://h/x"}},
		{"POST", 403, []string{"Origin", "https://evil.h"}},
		{"PATCH", 403, []string{"Origin", "null"}},
		{"DELETE", 403, []string{"Referer", "https://evil.example.com/https://h/"}},
		{"POST", 403, nil},
		{"HEAD", 200, nil},
	} {
		h := map[string]string{"Cookie": "__Host-sessionid=alice", "Host": "h"}
		for i := 0; i < len(c.header); i += 2 {
			h[c.header[i]] = c.header[i+1]
		}
		if got := s.do(c.method+" /api/v1/up", callOptions{header: h}); got.status != c.want {
			t.Errorf("%s %v: %d, want %d", c.method, c.header, got.status, c.want)
		}
	}
	if got := s.do("POST /api/v1/up", callOptions{as: "alice"}); got.status != 200 {
		t.Errorf("with an API key: %d %s", got.status, got.body)
	}
}

// Mounted handlers and use cases receive the client's address, not that of a trusted proxy.
func TestClientAddress(t *testing.T) {
	show := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = fmt.Fprint(w, r.RemoteAddr) })
	type from struct {
		From string `json:"from"`
	}
	use := func(_ context.Context, a kit.Actor, _ kit.None) (from, error) { return from{a.From}, nil }
	all := []kit.Endpoint{kit.Mount("/at", kit.Anyone, show, "Where."), kit.GET("/from", kit.Anyone, use, "Where.")}
	behind := serve(t, all, unlimited, withConfig(func(c *Config) { c.TrustedProxies = []string{"127.0.0.0/8"} }))
	for chain, want := range map[string][2]string{
		"203.0.113.9":                    {"203.0.113.9:0", "203.0.113.9"},
		"192.0.2.1, 203.0.113.9":         {"203.0.113.9:0", "203.0.113.9"},
		"2001:db8:1:2:3:4:5:6":           {"[2001:db8:1:2:3:4:5:6]:0", "2001:db8:1:2::"},
		"somebody":                       {"127.0.0.1:0", "127.0.0.1"},
		"::ffff:203.0.113.9, 127.0.0.77": {"203.0.113.9:0", "203.0.113.9"},
	} {
		header := map[string]string{"X-Forwarded-For": chain}
		if got := behind.do("GET /at", callOptions{header: header}); got.body != want[0] {
			t.Errorf("%s: mounted: %s", chain, got.body)
		}
		behind.is(behind.do("GET /api/v1/from", callOptions{header: header}), 200,
			`{"result":"success","msg":"","from":"`+want[1]+`"}`)
	}
	plain := serve(t, all, unlimited)
	if got := plain.do("GET /at", callOptions{header: map[string]string{"X-Forwarded-For": "203.0.113.9"}}); got.body !=
		"127.0.0.1:0" {
		t.Errorf("an untrusted header was used: %s", got.body)
	}
	plain.do("GET /at", callOptions{header: map[string]string{"X-Forwarded-For": "203.0.113.10"}})
	if log := plain.log.String(); strings.Count(log, `msg="forwarded headers are ignored`) != 1 ||
		!strings.Contains(log, "http.trusted_proxies\" remote=127.0.0.1\n") {
		t.Errorf("want one warning about an untrusted proxy in the log:\n%s", log)
	}
	if log := behind.log.String(); strings.Contains(log, "are ignored") ||
		!strings.Contains(log, "path=/api/v1/from remote=203.0.113.9 status=200") {
		t.Errorf("behind a trusted proxy:\n%s", log)
	}
}

// Log lines contain the path, but nothing in it that may be a key or an email address.
func TestLoggedPath(t *testing.T) {
	key := strings.Repeat("k", 30)
	nothing := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	s := serve(t, []kit.Endpoint{
		kit.Mount("/join", kit.Anyone, nothing, ""),
		kit.GET("/users/:who/topics/:id", kit.Anyone, func(context.Context, kit.Actor, struct {
			Who string `json:"who"`
			ID  string `json:"id"`
		}) (kit.None, error) {
			return kit.None{}, nil
		}, ""),
	}, unlimited)
	for _, path := range []string{"/join/" + key + "/", "/join", "/api/v1/users/ann@example.com/topics/17",
		"/wp-login.php", "/old/join/" + key} {
		s.do("GET "+path, callOptions{})
	}
	log := s.log.String()
	for _, want := range []string{"path=/join/... remote", "path=/join remote", "path=/api/v1/users/:who/topics/17 remote",
		"path=/wp-login.php remote", "path=/old/join/... remote"} {
		if !strings.Contains(log, want) {
			t.Errorf("%q is missing from\n%s", want, log)
		}
	}
	for _, secret := range []string{key, "ann@example.com"} {
		if strings.Contains(log, secret) {
			t.Errorf("%s is in the log", secret)
		}
	}
}
