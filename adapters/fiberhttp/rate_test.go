package fiberhttp

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

func TestBuckets(t *testing.T) {
	now := time.Unix(1000, 0)
	b := newBuckets[int](3, 30*time.Second, 4)
	for i, want := range []bool{true, true, true, false, false} {
		if _, ok := b.take(1, now); ok != want {
			t.Errorf("take %d: %v", i, ok)
		}
	}
	q, _ := b.take(1, now.Add(5*time.Second))
	if q.wait != 5*time.Second || q.remaining != 0 || q.limit != 3 || !q.reset.Equal(time.Unix(1030, 0)) {
		t.Errorf("%+v", q)
	}
	if _, ok := b.take(1, now.Add(10*time.Second)); !ok {
		t.Error("one token should be back after a third of the window")
	}
	if _, ok := b.take(1, now.Add(9*time.Second)); ok {
		t.Error("a clock that goes back added tokens")
	}
	b.refund(1, now.Add(10*time.Second))
	if _, ok := b.take(1, now.Add(10*time.Second)); !ok {
		t.Error("returned tokens are missing")
	}
	for k := range 100 {
		b.take(k, now)
		if len(b.m) > 4 {
			t.Fatalf("%d buckets are kept", len(b.m))
		}
	}
}

func TestNetwork(t *testing.T) {
	for a, want := range map[string]string{
		"192.0.2.7": "192.0.2.7", "::ffff:192.0.2.7": "192.0.2.7", "2001:db8:1:2:3:4:5:6": "2001:db8:1:2::",
	} {
		if got := network(netip.MustParseAddr(a)).String(); got != want {
			t.Errorf("%s: %s", a, got)
		}
	}
}

func limited(c *Config, _ *Deps) {
	c.RateLimits.PerUser, c.RateLimits.PerAddress = 3, 2
}

func TestRateLimits(t *testing.T) {
	s := serve(t, rows(), limited)
	for left := 2; left >= 0; left-- {
		got := s.do("GET /api/v1/things/5", callOptions{as: "alice"})
		h := got.header
		if got.status != 200 || h.Get("X-RateLimit-Limit") != "3" || h.Get("X-RateLimit-Remaining") != fmt.Sprint(left) {
			t.Errorf("%d, %s of %s left", got.status, h.Get("X-RateLimit-Remaining"), h.Get("X-RateLimit-Limit"))
		}
		if want := fmt.Sprint(s.Now().Unix() + int64(20*(3-left))); h.Get("X-RateLimit-Reset") != want {
			t.Errorf("reset %s, want %s", h.Get("X-RateLimit-Reset"), want)
		}
	}
	got := s.do("GET /api/v1/things/5", callOptions{as: "alice"})
	s.is(got, 429, `{"result":"error","msg":"API usage exceeded rate limit","code":"RATE_LIMIT_HIT","retry-after":20}`)
	if got.header.Get("Retry-After") != "20" || got.header.Get("X-RateLimit-Remaining") != "0" {
		t.Errorf("headers: %v", got.header)
	}
	if got := s.do("GET /api/v1/things/5", callOptions{as: "olga"}); got.status != 200 {
		t.Errorf("another user is limited too: %d", got.status)
	}
	s.pass(20 * time.Second)
	if got := s.do("GET /api/v1/things/5", callOptions{as: "alice"}); got.status != 200 {
		t.Errorf("after the wait: %d", got.status)
	}

	// Requests with invalid credentials count for the address, so that nobody can guess keys.
	wrong := callOptions{header: map[string]string{"Authorization": basicAuth("alice@example.com", "x")}}
	for _, want := range []int{401, 200, 429, 429} {
		call := "GET /api/v1/things/5"
		if want == 200 {
			call = "GET /api/v1/open"
		}
		if got := s.do(call, wrong); got.status != want {
			t.Errorf("%d, want %d", got.status, want)
		}
	}
}

// File requests have separate limits per user and per address, which headers report only when exceeded.
func TestFileLimits(t *testing.T) {
	to := func(context.Context, kit.Actor, kit.None) (kit.Redirect, error) { return kit.Redirect{To: "/x"}, nil }
	give := func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("x")) }
	rows := append(rows(),
		kit.GET("/picture", kit.Users, to, "").AtRoot().Rate(kit.RateFiles),
		kit.Mount("/pictures/", kit.Anyone, http.HandlerFunc(give), "").Rate(kit.RateFiles),
	)
	s := serve(t, rows, limited, withConfig(func(c *Config) {
		c.RateLimits.Files, c.TrustedProxies = 3, []string{"127.0.0.1"}
	}))
	s.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	from := func(address string) callOptions {
		return callOptions{header: map[string]string{"X-Forwarded-For": address}}
	}
	for i, c := range []struct {
		call string
		callOptions
		status int
	}{
		{"GET /pictures/1.png", from("192.0.2.1"), 200}, {"HEAD /pictures/2.png", from("192.0.2.1"), 200},
		{"GET /pictures/3.png", from("192.0.2.1"), 200},
		{"GET /pictures/4.png", from("192.0.2.1"), 429},
		{"GET /pictures/4.png", from("192.0.2.2"), 200},
		{"GET /pictures/1.png", from("2001:db8::1"), 200}, {"GET /pictures/1.png", from("2001:db8::2"), 200},
		{"GET /pictures/1.png", from("2001:db8::3"), 200},
		{"GET /pictures/1.png", from("2001:db8::4"), 429},
		{"GET /picture", callOptions{as: "alice"}, 302}, {"GET /picture", callOptions{as: "alice"}, 302},
		{"GET /picture", callOptions{as: "alice"}, 302},
		{"GET /picture", callOptions{as: "alice"}, 429}, {"GET /picture", callOptions{as: "olga"}, 302},
		{"GET /picture", from("192.0.2.1"), 429}, // counted per address without a login
		// Other requests have the general limits.
		{"GET /api/v1/things/5", callOptions{as: "alice"}, 200}, {"GET /api/v1/things/5", callOptions{as: "alice"}, 200},
		{"GET /api/v1/things/5", callOptions{as: "alice"}, 200},
		{"GET /api/v1/things/5", callOptions{as: "alice"}, 429},
		{"GET /api/v1/open", from("192.0.2.1"), 200},
	} {
		got := s.do(c.call, c.callOptions)
		file, summary := strings.Contains(c.call, "picture"), got.header.Get("X-RateLimit-Limit") != ""
		if got.status != c.status || summary != (!file || c.status == 429) {
			t.Errorf("%d %s: %d %v, want %d", i, c.call, got.status, got.header, c.status)
		}
		if c.status == 429 {
			s.is(got, 429, `{"result":"error","msg":"API usage exceeded rate limit","code":"RATE_LIMIT_HIT","retry-after":20}`)
			if got.header.Get("Retry-After") != "20" {
				t.Errorf("%d: %v", i, got.header)
			}
		}
	}
	s.pass(20 * time.Second)
	if got := s.do("GET /pictures/4.png", from("192.0.2.1")); got.status != 200 || got.body != "x" {
		t.Errorf("after the wait: %d %s", got.status, got.body)
	}
	// By default, pages with many users' avatars stay within the limit.
	s = serve(t, rows)
	s.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	for i := range 500 {
		one, other := s.do("GET /pictures/1.png", callOptions{}), s.do("GET /picture", callOptions{as: "alice"})
		if one.status != 200 || other.status != 302 {
			t.Fatalf("%d: %d and %d", i, one.status, other.status)
		}
	}
}

// Polls do not count as requests of their user, and requests do not count as polls. Headers report the limit that the
// response counts for. Polls of all bots of an owner count together, and those without a login for their address.
func TestPollLimits(t *testing.T) {
	poll := func(context.Context, kit.Actor, kit.None) (*kit.Wait, error) {
		return &kit.Wait{
			Notify: func(ready func()) { ready() },
			Result: func(context.Context) (any, error) { return kit.None{}, nil },
		}, nil
	}
	s := serve(t, append(rows(), kit.GET("/poll", kit.Users, poll, "").Rate(kit.RatePolls)), limited,
		withConfig(func(c *Config) { c.RateLimits.Polls = 5 }))
	s.withBots(map[string]user.ID{"one": olga, "two": olga})
	wrong := callOptions{header: map[string]string{"Authorization": basicAuth("alice@example.com", "x")}}
	for i, c := range []struct {
		call string
		callOptions
		status           int
		limit, remaining string
	}{
		{"GET /api/v1/poll", callOptions{as: "alice"}, 200, "5", "4"},
		{"GET /api/v1/poll", callOptions{as: "alice"}, 200, "5", "3"},
		{"GET /api/v1/things/5", callOptions{as: "alice"}, 200, "3", "2"},
		{"GET /api/v1/poll", callOptions{as: "alice"}, 200, "5", "2"},
		{"GET /api/v1/poll", callOptions{as: "alice"}, 200, "5", "1"},
		{"GET /api/v1/poll", callOptions{as: "alice"}, 200, "5", "0"},
		{"GET /api/v1/poll", callOptions{as: "alice"}, 429, "5", "0"},
		{"GET /api/v1/things/5", callOptions{as: "alice"}, 200, "3", "1"},
		{"GET /api/v1/poll", callOptions{as: "one"}, 200, "5", "4"},
		{"GET /api/v1/poll", callOptions{as: "two"}, 200, "5", "3"},
		{"GET /api/v1/poll", callOptions{as: "olga"}, 200, "5", "4"},
		{"GET /api/v1/poll", wrong, 401, "2", "1"},
		{"GET /api/v1/poll", callOptions{}, 401, "2", "0"},
		{"GET /api/v1/poll", callOptions{}, 429, "2", "0"},
	} {
		got := s.do(c.call, c.callOptions)
		limit, left := got.header.Get("X-RateLimit-Limit"), got.header.Get("X-RateLimit-Remaining")
		if got.status != c.status || limit != c.limit || left != c.remaining || got.header.Get("X-RateLimit-Reset") == "" {
			t.Errorf("%d %s: %d, %s of %s left, want %d, %s of %s", i, c.call, got.status, left, limit, c.status,
				c.remaining, c.limit)
		}
	}
	s.pass(12 * time.Second)
	if got := s.do("GET /api/v1/poll", callOptions{as: "alice"}); got.status != 200 {
		t.Errorf("after the wait: %d", got.status)
	}
}

func TestRateLimitPerForwardedAddress(t *testing.T) {
	s := serve(t, rows(), limited, withConfig(func(c *Config) { c.TrustedProxies = []string{"127.0.0.1", "10.0.0.0/8"} }))
	from := func(chain string) int {
		return s.do("GET /api/v1/open", callOptions{header: map[string]string{"X-Forwarded-For": chain}}).status
	}
	for i, c := range []struct {
		chain string
		want  int
	}{
		{"192.0.2.1", 200}, {"192.0.2.1, 10.1.1.1", 200}, {"198.51.100.9, 192.0.2.1", 429}, {"192.0.2.2", 200},
		{"192.0.2.1", 429},
	} {
		if got := from(c.chain); got != c.want {
			t.Errorf("%d: %s: %d, want %d", i, c.chain, got, c.want)
		}
	}
	// A proxy may add its own header line after one forged by the client.
	c, r := s.dial()
	send(t, c, "GET /api/v1/open HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Forwarded-For: "+
		"203.0.113.1\r\nX-Forwarded-For: 192.0.2.1\r\n\r\n")
	if got := rest(t, r); !strings.HasPrefix(got, "HTTP/1.1 429") {
		t.Errorf("a forged header line was used: %.20s", got)
	}
	direct := serve(t, rows(), limited)
	for i, want := range []int{200, 200, 429} {
		got := direct.do("GET /api/v1/open",
			callOptions{header: map[string]string{"X-Forwarded-For": fmt.Sprintf("192.0.2.%d", i)}})
		if got.status != want {
			t.Errorf("an untrusted header was used: %d", got.status)
		}
	}
}

func TestFailedLogins(t *testing.T) {
	type credentials struct {
		Username string `json:"username"`
		Password string `json:"password"`
	}
	check := func(_ context.Context, _ kit.Actor, in credentials) (kit.None, error) {
		switch in.Password {
		case "right":
			return kit.None{}, nil
		case "off":
			return kit.None{}, errs.New(errs.PasswordAuthDisabled, "off")
		}
		return kit.None{}, errs.New(errs.AuthenticationFailed, "Your username or password is incorrect")
	}
	s := serve(t, []kit.Endpoint{kit.POST("/login", kit.Anyone, check, "").Rate(loginClass)},
		withConfig(func(c *Config) { c.RateLimits.PerAddress = 1000 }))
	try := func(name, password string) answer {
		return s.do("POST /api/v1/login", callOptions{form: "username=" + name + "&password=" + password})
	}
	for range 20 {
		if got := try("ann@example.com", "right"); got.status != 200 {
			t.Fatalf("a successful login was limited: %d %s", got.status, got.body)
		}
		if got := try("ann@example.com", "off"); got.status != 401 {
			t.Fatalf("%d %s", got.status, got.body)
		}
	}
	for range 5 {
		got := try("ANN@example.com", "wrong")
		s.is(got, 401, `{"result":"error","msg":"Your username or password is incorrect","code":"AUTHENTICATION_FAILED"}`)
		if got.header.Get("WWW-Authenticate") != "" {
			t.Error("a challenge on a failed login")
		}
	}
	if got := try("ann@example.com", "right"); got.status != 429 || !strings.Contains(got.body, `"retry-after":360`) {
		t.Errorf("the sixth: %d %s", got.status, got.body)
	}
	if got := try("bob@example.com", "wrong"); got.status != 401 {
		t.Errorf("another name is limited too: %d", got.status)
	}
	s.pass(30 * time.Minute)
	if got := try("ann@example.com", "right"); got.status != 200 {
		t.Errorf("after half an hour: %d", got.status)
	}
}

// serveLogin serves a login with the password "right", behind a proxy that tells where requests come from.
func serveLogin(t *testing.T) *site {
	t.Helper()
	check := func(_ context.Context, _ kit.Actor, in struct {
		Username string `json:"username"`
		Password string `json:"password"`
	}) (kit.None, error) {
		if in.Password == "right" {
			return kit.None{}, nil
		}
		return kit.None{}, errs.New(errs.AuthenticationFailed, "Your username or password is incorrect")
	}
	return serve(t, []kit.Endpoint{kit.POST("/login", kit.Anyone, check, "").Rate(loginClass)},
		withConfig(func(c *Config) { c.TrustedProxies = []string{"127.0.0.1"} }))
}

// One address cannot try passwords with many names. Users who have logged in from there before are not locked out.
func TestManyNamesFromOneAddress(t *testing.T) {
	s := serveLogin(t)
	try := func(from, name, password string) int {
		return s.do("POST /api/v1/login", callOptions{
			form: "username=" + name + "&password=" + password, header: map[string]string{"X-Forwarded-For": from},
		}).status
	}
	const office, elsewhere = "192.0.2.1", "192.0.2.2"
	if got := try(office, "ann", "right"); got != 200 {
		t.Fatalf("ann: %d", got)
	}
	for i := range 20 {
		if got := try(office, fmt.Sprint("user", i), "wrong"); got != 401 {
			t.Fatalf("name %d: %d", i, got)
		}
	}
	for name, want := range map[string]int{"user21": 429, "ann": 200} {
		if got := try(office, name, "right"); got != want {
			t.Errorf("%s: %d, want %d", name, got, want)
		}
	}
	if got := try(elsewhere, "user21", "right"); got != 200 {
		t.Errorf("elsewhere: %d", got)
	}
	s.pass(30 * time.Minute)
	if got := try(office, "user21", "right"); got != 200 {
		t.Errorf("after half an hour: %d", got)
	}
}

// Failed logins from elsewhere do not lock out a user, and distributed guessing does not lock out addresses from which
// the user has logged in before.
func TestOtherAddressesDoNotLockOut(t *testing.T) {
	s := serveLogin(t)
	try := func(from, password string) int {
		return s.do("POST /api/v1/login", callOptions{
			form: "username=ann@example.com&password=" + password, header: map[string]string{"X-Forwarded-For": from},
		}).status
	}
	const home, elsewhere = "192.0.2.1", "192.0.2.2"
	if got := try(home, "right"); got != 200 {
		t.Fatalf("at home: %d", got)
	}
	for range 6 {
		try("203.0.113.1", "wrong")
	}
	if got := try("203.0.113.1", "right"); got != 429 {
		t.Errorf("not locked out after failed logins: %d", got)
	}
	if got := try(elsewhere, "right"); got != 200 {
		t.Errorf("one address locks out the user: %d", got)
	}
	for i := range 40 {
		for range 5 {
			try(fmt.Sprintf("203.0.113.%d", i+1), "wrong")
		}
	}
	if got := try("198.51.100.1", "right"); got != 429 {
		t.Errorf("from a new address after so many failures: %d", got)
	}
	for _, from := range []string{home, elsewhere} {
		if got := try(from, "right"); got != 200 {
			t.Errorf("other addresses lock out %s: %d", from, got)
		}
	}
}
