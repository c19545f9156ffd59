package saml_test

import (
	"fmt"
	"html"
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
	"github.com/stoachat/stoa/modules/realm"
	"github.com/stoachat/stoa/modules/saml"
	"github.com/stoachat/stoa/modules/sessions"
	"github.com/stoachat/stoa/modules/twofactor"
)

var others = []kit.Module{
	realm.Module, accounts.Module, sessions.Module, identities.Module, groups.Module, audit.Module, mail.Module,
	log.Module,
}

func TestModule(t *testing.T) { kittest.Check(t, saml.Module, others...) }

// site is the address of the server. A proxy in front of it, which the test plays, terminates TLS.
const site = "https://chat.example.com"

// start returns a server that knows the provider, with more lines of its configuration.
func start(t *testing.T, database string, p *idp, lines ...string) *kittest.Server {
	t.Helper()
	return startWith(t, database, p, append([]string{"metadata_url: \"" + p.URL + "/metadata\"", "trust_email: true"},
		lines...)...)
}

// startWith does the same without the address of the provider's metadata.
func startWith(t *testing.T, database string, p *idp, lines ...string) *kittest.Server {
	t.Helper()
	config := "http: {url: \"" + site + "\", trusted_proxies: [127.0.0.1], rate_limits: {enabled: false}}\n" +
		"modules:\n  saml:\n    providers:\n      - {id: corp, display_name: Corp, " + strings.Join(lines, ", ") + "}\n"
	s := kittest.StartWith(t, kittest.Options{DatabaseURL: database, Config: config},
		append(others, saml.Module, twofactor.Module)...)
	p.clock = s.Clock
	return s
}

// browser is a browser with cookies, which follows no redirects.
type browser struct {
	s        *kittest.Server
	client   *http.Client
	jar      jar
	withhold bool // sends no cookies with forms of other sites
}

func newBrowser(s *kittest.Server) *browser {
	client := *s.Client
	b := &browser{s: s, client: &client, jar: jar{}}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return b
}

// jar keeps cookies whatever the time is, since the server's clock is not the test's.
type jar map[string]*http.Cookie

// page is a response: where it redirects to, or its text.
type page struct {
	status int
	to     string
	body   string
	header http.Header
}

func (p page) String() string {
	return fmt.Sprintf("%d %s %s", p.status, p.to, html.UnescapeString(p.body[:min(len(p.body), 1000)]))
}

// do sends a request from a page of the server.
func (b *browser) do(call string, form url.Values) page { return b.send(call, form, false) }

func (b *browser) send(call string, form url.Values, crossSite bool) page {
	b.s.T.Helper()
	method, path, _ := strings.Cut(call, " ")
	req, err := http.NewRequestWithContext(b.s.T.Context(), method, b.s.URL+path, strings.NewReader(form.Encode()))
	if err != nil {
		b.s.T.Fatal(err)
	}
	req.Host = "chat.example.com"
	req.Header.Set("X-Forwarded-Proto", "https")
	if form != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for _, c := range slices.Collect(maps.Values(b.jar)) {
		if !crossSite || c.SameSite == http.SameSiteNoneMode && c.Secure && !b.withhold {
			req.AddCookie(c)
		}
	}
	if c := b.jar["__Host-sessionid"]; c != nil {
		req.Header.Set("X-CSRFToken", session.CSRF(c.Value))
		req.Header.Set("Origin", site)
	}
	if crossSite {
		req.Header.Set("Origin", "https://id.example.com")
		req.Header.Set("Sec-Fetch-Site", "cross-site")
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
	for _, c := range res.Cookies() {
		b.jar[c.Name] = c
		if c.MaxAge < 0 {
			delete(b.jar, c.Name)
		}
	}
	return page{
		res.StatusCode, res.Header.Get("Location"), html.UnescapeString(tags.ReplaceAllString(string(body), "")), res.Header,
	}
}

var tags = regexp.MustCompile(`(?s)<style>.*?</style>|<title>.*?</title>`)

// begin starts a login, and returns the request that the browser brings to the provider.
func (b *browser) begin(p *idp, query string) request {
	b.s.T.Helper()
	a := b.do("GET /accounts/login/social/saml/corp"+query, nil)
	if a.status != http.StatusFound {
		b.s.T.Fatalf("%v", a)
	}
	return p.received(a.to)
}

// finish brings the provider's answer back, with a form of its site.
func (b *browser) finish(answer url.Values) page {
	b.s.T.Helper()
	return b.send("POST /complete/saml/corp/", answer, true)
}

// login logs in at the provider, from the button to the answer's page.
func (b *browser) login(p *idp, query string) page {
	b.s.T.Helper()
	a := b.do("GET /accounts/login/social/saml/corp"+query, nil)
	if a.status != http.StatusFound {
		return a
	}
	return b.finish(p.authorize(p.received(a.to)))
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
