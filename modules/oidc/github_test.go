package oidc_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
)

// gitHub is a server that answers as GitHub does.
type gitHub struct {
	*httptest.Server

	mu     sync.Mutex
	user   map[string]any
	emails []map[string]any
	teams  []map[string]any
}

func newGitHub(t *testing.T) *gitHub {
	t.Helper()
	g := &gitHub{}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /login/oauth/access_token", func(w http.ResponseWriter, r *http.Request) {
		id, secret, basic := r.BasicAuth()
		if !basic {
			id, secret = r.PostFormValue("client_id"), r.PostFormValue("client_secret")
		}
		if id != "stoa" || secret != "hidden" || r.PostFormValue("code") != "code" || r.PostFormValue("code_verifier") == "" {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/x-www-form-urlencoded")
		_, _ = w.Write([]byte("access_token=gho_1&scope=user%3Aemail&token_type=bearer"))
	})
	for path, answer := range map[string]func() any{
		"/user": func() any { return g.user }, "/user/emails": func() any { return g.emails },
		"/user/teams": func() any { return g.teams },
	} {
		mux.HandleFunc("GET /api/v3"+path, func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != "Bearer gho_1" {
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			g.mu.Lock()
			defer g.mu.Unlock()
			writeJSON(w, answer())
		})
	}
	g.Server = httptest.NewServer(mux)
	t.Cleanup(g.Close)
	return g
}

// login logs in at GitHub, and returns the browser and the last page.
func (g *gitHub) login(t *testing.T, b *browser) page {
	t.Helper()
	to, err := url.Parse(b.do("GET /accounts/login/social/github", nil).to)
	if err != nil || !strings.HasPrefix(to.String(), g.URL+"/login/oauth/authorize?") ||
		to.Query().Get("code_challenge_method") != "S256" {
		t.Fatalf("%v %v", to, err)
	}
	return b.do("GET /complete/github/?"+url.Values{"state": {to.Query().Get("state")}, "code": {"code"}}.Encode(), nil)
}

func address(email string, primary, verified bool) map[string]any {
	return map[string]any{"email": email, "primary": primary, "verified": verified, "visibility": nil}
}

// TestGitHub logs in with the addresses that GitHub has verified.
func TestGitHub(t *testing.T) {
	g := newGitHub(t)
	s := configured(t, "", &idp{Server: g.Server}, "preset: github", "client_secret: hidden", "auto_signup: true",
		"allowed_groups: [corp/staff]")
	g.user = map[string]any{"id": 7, "login": "alice", "name": "Alice"}
	g.teams = []map[string]any{{"slug": "staff", "organization": map[string]any{"login": "corp"}}}
	for _, c := range []struct {
		name   string
		emails []map[string]any
		who    string
	}{
		{"not verified", []map[string]any{address("alice@example.com", true, false)}, ""},
		{"noreply", []map[string]any{address("7+alice@users.noreply.github.com", true, true)}, ""},
		{"none", nil, ""},
		{"the primary one", []map[string]any{
			address("olga@example.com", false, false), address("other@example.com", false, true),
			address("alice@example.com", true, true),
		}, "alice@example.com"},
		{"known by the ID", []map[string]any{address("olga@example.com", true, true)}, "alice@example.com"},
	} {
		g.emails = c.emails
		b := newBrowser(s)
		if a := g.login(t, b); b.who() != c.who || c.who == "" && a.status != 400 {
			t.Errorf("%s: %+v %s", c.name, a, b.who())
		}
	}
	g.teams[0]["slug"] = "guests"
	b := newBrowser(s)
	if a := g.login(t, b); a.status != 400 || b.who() != "" {
		t.Errorf("a person outside of the team: %+v", a)
	}
	if a := b.do("POST /oidc/github/backchannel-logout", url.Values{"logout_token": {"x"}}); a.status != 404 {
		t.Errorf("logout tokens: %+v", a)
	}
}
