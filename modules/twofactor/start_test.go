package twofactor_test

import (
	"encoding/json"
	"html"
	"io"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stoachat/stoa/adapters/mail/mailtest"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/secondfactor"
	"github.com/stoachat/stoa/domain/session"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/audit"
	"github.com/stoachat/stoa/modules/groups"
	"github.com/stoachat/stoa/modules/mail"
	"github.com/stoachat/stoa/modules/realm"
	"github.com/stoachat/stoa/modules/sessions"
	"github.com/stoachat/stoa/modules/twofactor"
)

func TestModule(t *testing.T) {
	kittest.Check(t, twofactor.Module, realm.Module, accounts.Module, sessions.Module)
}

// server is a server and the emails that it has sent.
type server struct {
	*kittest.Server
	mails *mailtest.Fake
}

func start(t *testing.T, database string) server {
	t.Helper()
	return startWith(t, kittest.Options{DatabaseURL: database})
}

func startWith(t *testing.T, o kittest.Options) server {
	t.Helper()
	f := &mailtest.Fake{}
	o.Config = "http: {rate_limits: {enabled: false}}"
	s := kittest.StartWith(t, o,
		realm.Module, accounts.Module, sessions.Module, groups.Module, audit.Module, mail.Module, f.Module(),
		twofactor.Module)
	return server{s, f}
}

// require changes whom the organization requires to have a second factor, and the days to set it up.
func (s server) require(who string, days int) {
	s.T.Helper()
	s.As("olga").Do("PATCH /stoa/settings/realm", "settings",
		kittest.JSON(map[string]any{"require_second_factor": who, "second_factor_grace_days": days})).OK()
}

// sent returns the texts of the emails sent since the last call.
func (s server) sent() string {
	s.T.Helper()
	s.RunJob("mail.send_mails")
	var all []string
	for _, m := range s.mails.Received() {
		all = append(all, m.To+": "+m.Text)
	}
	return strings.Join(all, "\n")
}

// browser is a browser with cookies, which follows no redirects.
type browser struct {
	s      *kittest.Server
	client *http.Client
	host   string // "": the server's address
}

func newBrowser(s server) *browser {
	client := *s.Client
	client.Jar = jar{}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &browser{s: s.Server, client: &client}
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

// answer is a response: where it redirects to, or its text.
type answer struct {
	status int
	to     string
	body   string
}

func (b *browser) do(call string, form url.Values, header ...string) answer {
	b.s.T.Helper()
	method, path, _ := strings.Cut(call, " ")
	req, err := http.NewRequestWithContext(b.s.T.Context(), method, b.s.URL+path, strings.NewReader(form.Encode()))
	if err != nil {
		b.s.T.Fatal(err)
	}
	if b.host != "" {
		req.Host = b.host
	}
	if form != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if c := b.client.Jar.(jar)["sessionid"]; c != nil {
		req.Header.Set("X-CSRFToken", session.CSRF(c.Value))
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
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
	return answer{res.StatusCode, res.Header.Get("Location"), html.UnescapeString(string(body))}
}

// password enters an address and the password, on a page with the parameters of query.
func (b *browser) password(name string, more ...string) answer {
	b.s.T.Helper()
	form := url.Values{"username": {name + "@example.com"}, "password": {kittest.Password}}
	for i := 0; i+1 < len(more); i += 2 {
		form.Set(more[i], more[i+1])
	}
	return b.do("POST /login/", form)
}

// code enters a code on the page that asks for the second factor.
func (b *browser) code(page, code string) answer {
	b.s.T.Helper()
	u, err := url.Parse(page)
	if err != nil || u.Query().Get("step") == "" {
		b.s.T.Fatalf("%s is not the page for the second factor", page)
	}
	return b.do("POST /accounts/second-factor/", url.Values{"step": {u.Query().Get("step")}, "code": {code}})
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

// call calls the API in the browser's session, and decodes the response into out.
func (b *browser) call(call string, form url.Values, out any) answer {
	b.s.T.Helper()
	a := b.do(strings.Replace(call, " /", " /json/", 1), form)
	if out != nil {
		if err := json.Unmarshal([]byte(a.body), out); err != nil || a.status != http.StatusOK {
			b.s.T.Fatalf("%s: %+v", call, a)
		}
	}
	return a
}

// person is somebody with an authenticator app.
type person struct {
	s        server
	name     string
	secret   string
	recovery []string
	at       *browser // in which they are logged in
}

// enroll logs somebody in, and sets up an authenticator app.
func enroll(s server, name string) *person {
	s.T.Helper()
	b := newBrowser(s)
	if a := b.password(name); a.to != "/" {
		s.T.Fatalf("%s: %+v", name, a)
	}
	var app struct{ Secret, URI string }
	b.call("POST /stoa/second_factor/app", url.Values{}, &app)
	var codes struct {
		Recovery []string `json:"recovery_codes"`
	}
	p := &person{s: s, name: name, secret: app.Secret, at: b}
	b.call("POST /stoa/second_factor/app/confirm", url.Values{"code": {p.code(0)}}, &codes)
	p.recovery = codes.Recovery
	s.Clock.Advance(3 * secondfactor.StepSeconds * 1e9) // so that the code can be used again
	return p
}

// code returns the code that the app shows some steps from now.
func (p *person) code(steps int64) string {
	p.s.T.Helper()
	code, err := secondfactor.Code(p.secret, secondfactor.Step(p.s.Clock.Now())+steps)
	if err != nil {
		p.s.T.Fatal(err)
	}
	return code
}

// started enters the password in a new browser, and returns it and the page for the second factor.
func (p *person) started() (*browser, string) {
	p.s.T.Helper()
	b := newBrowser(p.s)
	a := b.password(p.name)
	if a.status != http.StatusFound || !strings.HasPrefix(a.to, "/accounts/second-factor/?step=") {
		p.s.T.Fatalf("%+v", a)
	}
	return b, a.to
}
