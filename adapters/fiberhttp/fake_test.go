package fiberhttp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/session"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// fakes implements the dependencies of the HTTP server for these tests: one realm with a few users, whose API keys are
// their names.
type fakes struct {
	mu       sync.Mutex
	now      time.Time
	view     *directory.View // returned by View
	newest   *directory.View // returned by Verified
	verified int
	refused  func() // called when credentials have been refused
	down     bool
	unknown  bool // whether no realm matches the host name
	log      lockedBuffer
}

const (
	alice user.ID = 10 + iota
	olga          // owner
	gus           // guest
	robot         // generic bot
	hooky         // incoming webhook bot
)

var names = map[string]user.ID{"alice": alice, "olga": olga, "gus": gus, "robot": robot, "hooky": hooky}

func keyHash(name string) user.KeyHash { return user.KeyHash("hash of " + name) }

func newFakes() *fakes {
	w := &fakes{now: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)}
	var b directory.Builder
	b.Realm(&realm.Realm{ID: 1})
	role := map[string]user.Role{"olga": user.Owner, "gus": user.Guest}
	bot := map[string]user.BotType{"robot": user.GenericBot, "hooky": user.IncomingWebhook}
	for name, id := range names {
		r := role[name]
		if r == 0 {
			r = user.Member
		}
		b.User(&user.User{ID: id, DeliveryEmail: name + "@example.com", FullName: name, Role: r, BotType: bot[name],
			Active: true, Keys: []user.KeyHash{keyHash(name)}})
		b.Session(&session.Session{ID: session.ID(id), User: id})
	}
	w.view = b.View(7)
	w.newest = w.view
	return w
}

func (w *fakes) Now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

func (w *fakes) pass(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(d)
}

func (w *fakes) View(context.Context, realm.ID) (*directory.View, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.down {
		return nil, errs.New(errs.Unavailable, "The database can't be reached.").Because(io.ErrUnexpectedEOF)
	}
	return w.view, nil
}

func (w *fakes) Verified(context.Context, realm.ID) (*directory.View, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.verified++
	return w.newest, nil
}

func (w *fakes) As(context.Context, realm.ID, []event.Entry) ([]*directory.View, error) {
	return nil, nil
}

func (w *fakes) Resolve(_ context.Context, host string) (realm.ID, error) {
	if w.unknown {
		return 0, errs.New(errs.NonexistentSubdomain, "Invalid subdomain")
	}
	return 1, nil
}

func (w *fakes) Create(context.Context, string, string) (realm.ID, error) { return 0, nil }
func (w *fakes) All(context.Context) ([]realm.ID, error)                  { return []realm.ID{1}, nil }
func (w *fakes) Active(context.Context) ([]realm.ID, error)               { return []realm.ID{1}, nil }

func (w *fakes) Authenticate(_ context.Context, _ realm.ID, email, key string) (user.Actor, error) {
	u := w.view.UserByEmail(email)
	if u == nil || u.FullName != key {
		if w.refused != nil {
			w.refused()
		}
		return user.Actor{}, errs.New(errs.Unauthorized, "Invalid API key")
	}
	return user.Actor{Realm: 1, User: u.ID, Role: u.Role, Bot: u.BotType, Key: keyHash(key)}, nil
}

func (w *fakes) ByKey(ctx context.Context, r realm.ID, key string) (user.Actor, error) {
	if _, known := names[key]; !known {
		return user.Actor{}, errs.New(errs.InvalidAPIKey, "Invalid API key")
	}
	return w.Authenticate(ctx, r, key+"@example.com", key)
}

func (w *fakes) Used(user.Actor) {}

func (w *fakes) Session(ctx context.Context, r realm.ID, cookie string) (user.Actor, error) {
	a, err := w.Authenticate(ctx, r, cookie+"@example.com", cookie)
	if errs.Is(err, errs.Unauthorized) {
		return user.Actor{}, errs.NotLoggedIn()
	}
	a.Key, a.Session = "", session.ID(a.User)
	return a, err
}

func (w *fakes) Begin(context.Context, user.Actor, user.ID) (session.Begun, error) {
	return session.Begun{}, errs.Bad("Nobody logs in here.")
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// site is a running HTTP server.
type site struct {
	*fakes
	t      testing.TB
	server *Server
	addr   string
	client *http.Client
}

type option func(*Config, *Deps)

func withConfig(f func(*Config)) option { return func(c *Config, _ *Deps) { f(c) } }

func withSessions(_ *Config, d *Deps) { d.Sessions = d.Clock.(*fakes) }

func unlimited(c *Config, _ *Deps) { c.RateLimits.Enabled = false }

func serve(t testing.TB, rows []kit.Endpoint, opts ...option) *site {
	t.Helper()
	w := newFakes()
	cfg := Defaults()
	cfg.Addr = "127.0.0.1:0"
	cfg.ReadTimeout, cfg.WriteTimeout, cfg.IdleTimeout = time.Hour, time.Hour, time.Hour // however busy the machine is
	d := Deps{
		Collected: collected(rows...), Directory: w, Realms: w, Authenticator: w, Clock: w,
		Log: slog.New(slog.NewTextHandler(&w.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	for _, o := range opts {
		o(&cfg, &d)
	}
	s, err := New(cfg, d)
	if err != nil {
		t.Fatal(err)
	}
	addr, err := s.Listen(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	x := &site{fakes: w, t: t, server: s, addr: addr,
		client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}}
	t.Cleanup(func() {
		x.client.CloseIdleConnections()
		if err := s.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return x
}

func collected(rows ...kit.Endpoint) *kit.Collected {
	return &kit.Collected{Modules: []kit.Contribution{{Module: "test", Parts: kit.Parts{Endpoints: rows}}},
		Endpoints: rows}
}

// callOptions describes a request. Zero fields are omitted.
type callOptions struct {
	as     string // user name; "": no credentials
	query  string
	form   string // URL-encoded
	body   string
	header map[string]string
}

type answer struct {
	status int
	header http.Header
	body   string
}

func (s *site) do(methodAndPath string, r callOptions) answer {
	s.t.Helper()
	method, path, _ := strings.Cut(methodAndPath, " ")
	if r.query != "" {
		path += "?" + r.query
	}
	body := r.body
	if r.form != "" {
		body = r.form
	}
	req, err := http.NewRequestWithContext(s.t.Context(), method, "http://"+s.addr+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	if r.form != "" {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if r.as != "" {
		req.Header.Set("Authorization", basicAuth(r.as+"@example.com", r.as))
	}
	for k, v := range r.header {
		if req.Header.Set(k, v); k == "Host" {
			req.Host = v
		}
	}
	res, err := s.client.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return answer{res.StatusCode, res.Header, string(b)}
}

func (s *site) is(got answer, status int, body string) {
	s.t.Helper()
	if got.status != status || got.body != body {
		s.t.Errorf("got  %d %s\nwant %d %s", got.status, got.body, status, body)
	}
	if got.body != "" && got.header.Get("Content-Type") != contentJSON {
		s.t.Errorf("Content-Type %q", got.header.Get("Content-Type"))
	}
}

func basicAuth(email, key string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(email+":"+key))
}

// dial opens a connection, for requests that http.Client would never send.
func (s *site) dial() (net.Conn, *bufio.Reader) {
	s.t.Helper()
	var d net.Dialer
	c, err := d.DialContext(s.t.Context(), "tcp", s.addr)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = c.Close() })
	return c, bufio.NewReader(c)
}

func send(t testing.TB, c net.Conn, text string) {
	t.Helper()
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
}

// rest reads until the connection is closed.
func rest(t testing.TB, r io.Reader) string {
	t.Helper()
	b, err := io.ReadAll(r)
	if err != nil && !strings.Contains(err.Error(), "reset") {
		t.Fatal(err)
	}
	return string(b)
}

// echo responds with the parameters.
func echo[T any](_ context.Context, _ kit.Actor, in T) (map[string]any, error) {
	b, err := json.Marshal(in)
	if err != nil {
		return nil, err
	}
	return map[string]any{"got": json.RawMessage(b)}, nil
}
