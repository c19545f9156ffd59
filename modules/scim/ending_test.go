package scim_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
)

// TestEnding ends sessions, API keys and event queues of whoever is deactivated within a second, on three nodes.
func TestEnding(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, database string) {
		p := start(t, kittest.Real(t, database))
		nodes := []*kittest.Server{p.s, p.s.Another(), p.s.Another()}
		session := logIn(p.s, "alice")
		for _, n := range nodes { // every node has cached the account
			n.As("alice").Do("GET /users/me").OK()
			if !loggedIn(n, session) {
				t.Fatal("not logged in")
			}
		}
		queues := make([]*kittest.Queue, len(nodes))
		ended := make(chan *kittest.Response, len(nodes))
		for i, n := range nodes {
			queues[i] = n.As("alice").Register()
			go func() { ended <- queues[i].Wait() }()
		}
		p.do("PATCH "+p.user("alice"), `{"Operations":[{"op":"replace","value":{"active":false}}]}`).is(200)
		p.s.Clock.Advance(time.Second + time.Millisecond)
		for i, n := range nodes {
			if r := n.As("alice").Do("GET /users/me"); r.Status == http.StatusOK {
				t.Errorf("the key works on node %d: %s", i+1, r.Body)
			}
			if loggedIn(n, session) {
				t.Errorf("the session works on node %d", i+1)
			}
		}
		for range nodes {
			if r := <-ended; r.Status == http.StatusOK {
				t.Errorf("a queue has delivered: %s", r.Body)
			}
		}
		for i, q := range queues {
			if r := q.Poll(); r.Status == http.StatusOK {
				t.Errorf("the queue on node %d remains: %s", i+1, r.Body)
			}
		}
		// Whoever comes back has to log in again.
		p.do("PATCH "+p.user("alice"), `{"Operations":[{"op":"replace","value":{"active":true}}]}`).is(200)
		if p.s.As("alice").Do("GET /users/me").Status == http.StatusOK || loggedIn(p.s, session) {
			t.Error("the key or the session works again")
		}
		if session = logIn(p.s, "alice"); !loggedIn(p.s, session) {
			t.Error("a reactivated person cannot log in")
		}
	})
}

// logIn logs a browser in, and returns its cookie.
func logIn(s *kittest.Server, name string) string {
	s.T.Helper()
	status, header, body := s.Page("POST", "/login/", url.Values{"username": {name + "@example.com"},
		"password": {kittest.Password}})
	cookie, _, _ := strings.Cut(header.Get("Set-Cookie"), ";")
	if status != http.StatusFound || cookie == "" {
		s.T.Fatalf("%d %s", status, body)
	}
	return cookie
}

// loggedIn reports whether a node accepts a browser's cookie.
func loggedIn(s *kittest.Server, cookie string) bool {
	s.T.Helper()
	status, _, _ := s.Page("GET", "/json/users/me", nil, "Cookie", cookie)
	return status == http.StatusOK
}
