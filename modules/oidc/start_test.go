package oidc_test

import (
	"io"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stoachat/stoa/adapters/mail/log"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/session"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/audit"
	"github.com/stoachat/stoa/modules/groups"
	"github.com/stoachat/stoa/modules/identities"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/mail"
	"github.com/stoachat/stoa/modules/oidc"
	"github.com/stoachat/stoa/modules/realm"
	"github.com/stoachat/stoa/modules/sessions"
	"github.com/stoachat/stoa/modules/twofactor"
)

var others = []kit.Module{
	realm.Module, accounts.Module, sessions.Module, identities.Module, groups.Module, audit.Module, mail.Module,
	log.Module,
}

// extra are the modules that servers have beside others.
var extra = []kit.Module{oidc.Module, twofactor.Module}

func TestModule(t *testing.T) { kittest.Check(t, oidc.Module, others...) }

// start returns a server that knows the provider, with more lines of its configuration.
func start(t *testing.T, database string, p *idp, lines ...string) *kittest.Server {
	t.Helper()
	lines = append([]string{"id: corp", "client_secret: hidden", "display_name: Corp"}, lines...)
	return configured(t, database, p, lines...)
}

// configured returns a server that knows the provider by these keys, beside issuer and client_id.
func configured(t *testing.T, database string, p *idp, keys ...string) *kittest.Server {
	t.Helper()
	config := "http: {rate_limits: {enabled: false}}\nmodules:\n  oidc:\n    providers:\n" +
		"      - {issuer: \"" + p.URL + "\", client_id: stoa, " + strings.Join(keys, ", ") + "}\n"
	s := kittest.StartWith(t, kittest.Options{DatabaseURL: database, Config: config},
		append(others, extra...)...)
	p.clock = s.Clock
	return s
}

// browser is a browser with cookies, which follows no redirects.
type browser struct {
	s      *kittest.Server
	client *http.Client
	host   string // "": the server's address
}

func newBrowser(s *kittest.Server) *browser {
	client := *s.Client
	client.Jar = jar{}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &browser{s: s, client: &client}
}

// jar keeps cookies whatever the time is, since the server's clock is not the test's.
type jar map[string]*http.Cookie

func (j jar) SetCookies(_ *url.URL, cookies []*http.Cookie) {
	for _, c := range cookies {
		j[c.Name] = c
		if c.MaxAge < 0 {
			delete(j, c.Name)
		}
	}
}

func (j jar) Cookies(*url.URL) []*http.Cookie { return slices.Collect(maps.Values(j)) }

// page is a response: where it redirects to, or its text.
type page struct {
	status int
	to     string
	body   string
}

func (b *browser) do(call string, form url.Values) page {
	b.s.T.Helper()
	method, path, _ := strings.Cut(call, " ")
	req, err := http.NewRequestWithContext(b.s.T.Context(), method, b.s.URL+path, strings.NewReader(form.Encode()))
	if err != nil {
		b.s.T.Fatal(err)
	}
	req.Host = b.host
	if form != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if c := b.client.Jar.(jar)["sessionid"]; c != nil {
		req.Header.Set("X-CSRFToken", session.CSRF(c.Value))
	}
	res, err := b.client.Do(req)
	if err != nil {
		b.s.T.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		b.s.T.Fatal(err)
	}
	return page{res.StatusCode, res.Header.Get("Location"), text(string(body))}
}

var tags = regexp.MustCompile(`(?s)<style>.*?</style>|<title>.*?</title>`)

func text(html string) string { return tags.ReplaceAllString(html, "") }

// login logs in at the provider, from the button to the answer's page.
func (b *browser) login(p *idp, query string) page {
	b.s.T.Helper()
	a := b.do("GET /accounts/login/social/oidc/corp"+query, nil)
	if a.status != http.StatusFound {
		return a
	}
	return b.do("GET /complete/oidc/corp/?"+p.authorize(a.to).Encode(), nil)
}

// who returns the address of the user who is logged in, or "".
func (b *browser) who() string {
	b.s.T.Helper()
	a := b.do("GET /json/users/me", nil)
	if m := regexp.MustCompile(`"delivery_email":"([^"]*)"`).FindStringSubmatch(a.body); a.status == http.StatusOK {
		return m[1]
	}
	return ""
}
