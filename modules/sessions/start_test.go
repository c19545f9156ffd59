package sessions_test

import (
	"html"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/stoachat/stoa/adapters/mail/log"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/session"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/confirmations"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/groups"
	"github.com/stoachat/stoa/modules/homepage"
	"github.com/stoachat/stoa/modules/invites"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/mail"
	"github.com/stoachat/stoa/modules/messages"
	"github.com/stoachat/stoa/modules/realm"
	"github.com/stoachat/stoa/modules/sessions"
)

func TestModule(t *testing.T) { kittest.Check(t, sessions.Module, realm.Module, accounts.Module) }

var modules = []kit.Module{
	realm.Module, accounts.Module, groups.Module, channels.Module, messages.Module, events.Module, mail.Module,
	log.Module, confirmations.Module, invites.Module, homepage.Module, sessions.Module,
}

// start starts a server; config configures the module.
func start(t *testing.T, database, config string) *kittest.Server {
	t.Helper()
	s := kittest.StartWith(
		t,
		kittest.Options{DatabaseURL: database, Config: "modules: {sessions: {" + config + "}}"},
		modules...)
	s.Client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return s
}

// browser stores the session cookie.
type browser struct {
	s      *kittest.Server
	cookie string
}

// answer is a response that a browser received.
type answer struct {
	status int
	header http.Header
	body   string
	set    *http.Cookie // the session cookie, if set
}

func (b *browser) do(call string, form url.Values, header ...string) answer {
	t := b.s.T
	t.Helper()
	method, path, _ := strings.Cut(call, " ")
	req, err := http.NewRequestWithContext(t.Context(), method, b.s.URL+path, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("User-Agent", "Mozilla/5.0 (X11) Browser/1.0")
	if method != http.MethodGet {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if b.cookie != "" {
		req.AddCookie(&http.Cookie{Name: "sessionid", Value: b.cookie})
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
		if header[i] == "Host" {
			req.Host = header[i+1]
		}
	}
	res, err := b.s.Client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	a := answer{status: res.StatusCode, header: res.Header, body: string(text)}
	for _, c := range res.Cookies() {
		if c.Name == "sessionid" {
			a.set, b.cookie = c, c.Value
		}
	}
	return a
}

// act sends a request with the session's CSRF token.
func (b *browser) act(call string, form url.Values) answer {
	b.s.T.Helper()
	return b.do(call, form, "X-CSRFToken", session.CSRF(b.cookie))
}

func credentials(name string) url.Values {
	return url.Values{"username": {name + "@example.com"}, "password": {kittest.Password}}
}

// login logs in a user and returns the browser.
func login(s *kittest.Server, name string) *browser {
	s.T.Helper()
	b := &browser{s: s}
	if a := b.do("POST /login/", credentials(name)); a.status != http.StatusFound || b.cookie == "" {
		s.T.Fatalf("%s: %d %s", name, a.status, a.body)
	}
	return b
}

// loggedIn reports whether the browser is logged in.
func (b *browser) loggedIn() bool {
	b.s.T.Helper()
	a := b.do("GET /json/users/me", nil)
	if a.status != http.StatusOK && a.status != http.StatusUnauthorized {
		b.s.T.Fatalf("%d %s", a.status, a.body)
	}
	return a.status == http.StatusOK
}

var tag = regexp.MustCompile(`<[^>]*>`)

// text returns the visible text of a page.
func (a answer) text() string { return html.UnescapeString(tag.ReplaceAllString(a.body, "")) }
