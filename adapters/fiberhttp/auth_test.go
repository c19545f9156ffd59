package fiberhttp

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/session"
	"github.com/stoachat/stoa/modules/kit"
)

func TestAuthentication(t *testing.T) {
	s := serve(t, rows(), unlimited)
	b64 := func(text string) string { return "Basic " + base64.StdEncoding.EncodeToString([]byte(text)) }
	for _, c := range []struct{ header, msg string }{
		{"", "Not logged in: API authentication or user session required"},
		{"Bearer x", "This endpoint requires HTTP basic authentication."},
		{"Basic !!", "Invalid authorization header for basic auth"},
		{b64("nocolon"), "Invalid authorization header for basic auth"},
		{b64("\xff:alice"), "Invalid authorization header for basic auth"},
		{b64("alice@example.com:wrong"), "Invalid API key"},
		{b64("nobody@example.com:alice"), "Invalid API key"},
	} {
		got := s.do("GET /api/v1/things/5", callOptions{header: map[string]string{"Authorization": c.header}})
		s.is(got, 401, fmt.Sprintf(`{"result":"error","msg":%q,"code":"UNAUTHORIZED"}`, c.msg))
		if got.header.Get("WWW-Authenticate") != `Basic realm="zulip"` {
			t.Errorf("%q: no challenge", c.header)
		}
		if got := s.do("GET /api/v1/open",
			callOptions{header: map[string]string{"Authorization": c.header}}); got.status != 200 {
			t.Errorf("%q: open endpoint, status %d", c.header, got.status)
		}
	}
	for _, header := range []string{b64("alice@example.com:alice"), "basic  " + b64(" ALICE@Example.com : alice ")[6:]} {
		if got := s.do("GET /api/v1/things/mine",
			callOptions{header: map[string]string{"Authorization": header}}); got.status != 200 ||
			!strings.Contains(got.body, `"user":10`) || !strings.Contains(got.body, `"key":"hash of alice"`) {
			t.Errorf("%q: %d %s", header, got.status, got.body)
		}
	}
	s.unknown = true
	s.is(s.do("GET /api/v1/things/5", callOptions{as: "alice"}), 404,
		`{"result":"error","msg":"Invalid subdomain","code":"NONEXISTENT_SUBDOMAIN"}`)
	s.is(s.do("GET /api/v1/open", callOptions{}), 404,
		`{"result":"error","msg":"Invalid subdomain","code":"NONEXISTENT_SUBDOMAIN"}`)
}

func TestAccess(t *testing.T) {
	s := serve(t, rows(), unlimited)
	const webhook = `{"result":"error","msg":"This API is not available to incoming webhook bots.","code":"UNAUTHORIZED"}`
	for _, c := range []struct {
		as, call string
		status   int
		body     string
	}{
		{"gus", "GET /api/v1/members", 400, `{"result":"error","msg":"Not allowed for guest users","code":"BAD_REQUEST"}`},
		{"alice", "GET /api/v1/members", 200, ""},
		{"robot", "GET /api/v1/humans", 400, `{"result":"error","msg":"This endpoint does not accept bot requests.",` +
			`"code":"BAD_REQUEST"}`},
		{"gus", "GET /api/v1/humans", 200, ""},
		{"alice", "GET /api/v1/owners", 400, `{"result":"error","msg":"Must be an organization owner",` +
			`"code":"UNAUTHORIZED_PRINCIPAL"}`},
		{"olga", "GET /api/v1/owners", 200, ""},
		{"robot", "GET /api/v1/things/5", 200, ""},
		{"robot", "GET /api/v1/bots-only", 200, ""},
		{"alice", "GET /api/v1/bots-only", 400,
			`{"result":"error","msg":"Only bots may do this.","code":"PERMISSION_DENIED"}`},
		{"hooky", "GET /api/v1/bots-only", 401, webhook},
		{"alice", "GET /api/v1/persons", 200, ""},
		{"robot", "GET /api/v1/persons", 400, `{"result":"error","msg":"This endpoint does not accept bot requests.",` +
			`"code":"BAD_REQUEST"}`},
		{"gus", "GET /api/v1/persons", 400, `{"result":"error","msg":"Not allowed for guest users","code":"BAD_REQUEST"}`},
		{"hooky", "GET /api/v1/things/5", 401, webhook},
		{"hooky", "POST /api/v1/messages", 200, ""},
		{"hooky", "GET /api/v1/open", 200, ""},
	} {
		got := s.do(c.call, callOptions{as: c.as})
		if got.status != c.status || (c.body != "" && got.body != c.body) {
			t.Errorf("%s %s\ngot  %d %s\nwant %d %s", c.as, c.call, got.status, got.body, c.status, c.body)
		}
	}
}

func TestActorDescribesConnection(t *testing.T) {
	s := serve(t, rows(), unlimited, withConfig(func(c *Config) { c.TrustedProxies = []string{"127.0.0.0/8"} }))
	got := s.do("GET /api/v1/open", callOptions{header: map[string]string{
		"User-Agent": "ZulipFlutter/30.0 (Android 14)", "Host": "Chat.Example.com:8080", "X-Forwarded-Proto": "https",
	}})
	s.is(got, 200, `{"result":"success","msg":"","agent":"ZulipFlutter/30.0 (Android 14)","client":"ZulipFlutter",`+
		`"key":"","realm":1,"role":0,`+
		`"url":"https://chat.example.com:8080","user":0}`)
	got = s.do("GET /api/v1/open", callOptions{query: "client=my+bot"})
	if !strings.Contains(got.body, `"client":"my bot"`) || strings.Contains(got.body, "ignored") {
		t.Errorf("the parameter client: %s", got.body)
	}
	s.is(s.do("GET /api/v1/open", callOptions{header: map[string]string{"Host": "a$b.example.com"}}), 400,
		`{"result":"error","msg":"Invalid Host header.","code":"BAD_REQUEST"}`)

	plain := serve(t, rows(), unlimited)
	forwarded := callOptions{header: map[string]string{"X-Forwarded-Proto": "https"}}
	if got := plain.do("GET /api/v1/open", forwarded); !strings.Contains(got.body, `"url":"http://127.0.0.1:`) {
		t.Errorf("an untrusted header was used: %s", got.body)
	}
	fixed := serve(t, rows(), unlimited, withConfig(func(c *Config) { c.URL = "https://chat.example.com/" }))
	if got := fixed.do("GET /api/v1/open", callOptions{}); !strings.Contains(got.body,
		`"url":"https://chat.example.com"`) {
		t.Errorf("the configured address: %s", got.body)
	}
}

func TestClientName(t *testing.T) {
	for agent, want := range map[string]string{
		"": unnamed, "   ": unnamed, "/1.0": unnamed,
		"ZulipFlutter/30.0.270+270 (Android 14)": "ZulipFlutter",
		"ZulipTerminal/0.7.0":                    "ZulipTerminal",
		"ZulipPython/0.9.1 (Linux; x)":           "ZulipPython",
		"ZulipElectron/5.10.3 Chrome/120":        "ZulipElectron",
		"Mozilla/5.0 (X11; Linux x86_64)":        "Mozilla",
		"My Bot/2":                               "My Bot",
		"Foo 12":                                 "Foo",
		"Foo bar12 x":                            "Foo",
		"Foo (12)":                               "Foo",
		"curl":                                   "curl",
		"abc(def":                                "abc(def",
		"bad\x00\xffname/1":                      "badname",
		strings.Repeat("ü", 40) + "/1":           strings.Repeat("ü", 30),
		"zulip-js/2.1.0":                         "zulip-js",
		"Zulip Desktop App/1 (" + "x":            "Zulip Desktop App",
	} {
		if got := clientName(agent); got != want {
			t.Errorf("%q: %q, want %q", agent, got, want)
		}
	}
}

// spectatorsEverywhere admits spectators to every realm.
type spectatorsEverywhere struct{}

func (spectatorsEverywhere) Admits(context.Context, realm.ID) (bool, error) { return true, nil }

// Without a login, browsers may send POST requests only to routes open to spectators.
func TestSpectatorsPost(t *testing.T) {
	s := serve(t, append(rows(), kit.POST("/look", kit.Spectators, whoami, "")), unlimited, withSessions,
		func(_ *Config, d *Deps) { d.Spectators = spectatorsEverywhere{} })
	for call, want := range map[string]int{"POST /json/look": 200, "POST /api/v1/look": 200, "POST /json/things/5": 401,
		"POST /api/v1/things/5": 401} {
		if got := s.do(call, callOptions{form: "name=x"}); got.status != want {
			t.Errorf("%s: %d %s, want %d", call, got.status, got.body, want)
		}
	}
	cookie := map[string]string{"Cookie": "sessionid=alice"}
	if got := s.do("POST /json/look", callOptions{form: "name=x", header: cookie}); got.status != 403 {
		t.Errorf("a logged-in user must act under their own name: %d %s", got.status, got.body)
	}
}

func TestSessions(t *testing.T) {
	s := serve(t, rows(), unlimited, withSessions)
	cookie := map[string]string{"Cookie": "sessionid=alice", "User-Agent": "Mozilla/5.0 (X11)"}
	with := func(k, v string) map[string]string {
		m := map[string]string{k: v}
		for k, v := range cookie {
			m[k] = v
		}
		return m
	}
	got := s.do("GET /json/things/mine", callOptions{header: cookie})
	if got.status != 200 || !strings.Contains(got.body, `"client":"website"`) ||
		!strings.Contains(got.body, `"user":10`) || !strings.Contains(got.body, `"key":""`) {
		t.Errorf("%d %s", got.status, got.body)
	}
	if got.header.Get("Access-Control-Allow-Origin") != "" ||
		!strings.Contains(got.header.Get("Cache-Control"), "no-store") {
		t.Errorf("headers: %v", got.header)
	}
	const csrf = `{"result":"error","msg":"CSRF error: The header X-CSRFToken must repeat the token of the page.",` +
		`"code":"CSRF_FAILED",` +
		`"reason":"The header X-CSRFToken must repeat the token of the page."}`
	s.is(s.do("PATCH /json/things/5", callOptions{form: "name=x", header: cookie}), 403, csrf)
	s.is(s.do("PATCH /json/things/5", callOptions{form: "name=x", header: with(csrfHeader, session.CSRF("olga"))}), 403,
		csrf)
	want := `{"result":"success","msg":"","got":{"thing_id":5,"name":"x","share":null}}`
	s.is(s.do("PATCH /json/things/5", callOptions{form: "name=x", header: with(csrfHeader, session.CSRF("alice"))}), 200,
		want)
	s.is(
		s.do("PATCH /json/things/5", callOptions{form: "name=x&csrfmiddlewaretoken=" + session.CSRF("alice"),
			header: cookie}),
		200,
		want,
	)

	const out = `{"result":"error","msg":"Not logged in: API authentication or user session required",` +
		`"code":"UNAUTHORIZED"}`
	s.is(s.do("GET /json/things/mine", callOptions{as: "alice"}), 401, out)
	s.is(s.do("GET /api/v1/things/mine", callOptions{header: cookie}), 401, out)
	s.is(s.do("GET /json/things/mine", callOptions{header: map[string]string{"Cookie": "sessionid=nobody"}}), 401, out)
	if got := s.do("GET /json/things/mine", callOptions{}); got.header.Get("WWW-Authenticate") != `Session realm="zulip"` {
		t.Error("the answer makes browsers ask for a password")
	}
	s.is(s.do("DELETE /json/things/5", callOptions{}), 405, `{"result":"error","msg":"Method Not Allowed",`+
		`"code":"METHOD_NOT_ALLOWED","allowed_methods":["GET","HEAD","PATCH","POST"]}`)
	s.is(s.do("GET /json/owners", callOptions{header: cookie}), 400,
		`{"result":"error","msg":"Must be an organization owner","code":"UNAUTHORIZED_PRINCIPAL"}`)
}

// A session's requests must come from a page on this host. Over HTTPS, the cookie has a name that other hosts cannot
// set.
func TestSessionOrigin(t *testing.T) {
	s := serve(
		t,
		rows(),
		unlimited,
		withSessions,
		withConfig(func(c *Config) { c.TrustedProxies = []string{"127.0.0.1"} }),
	)
	ask := func(cookie string, header ...string) int {
		t.Helper()
		h := map[string]string{"Cookie": cookie, csrfHeader: session.CSRF("alice"), "Host": "chat.example.com"}
		for i := 0; i < len(header); i += 2 {
			h[header[i]] = header[i+1]
		}
		return s.do("PATCH /json/things/5", callOptions{form: "name=x", header: h}).status
	}
	const plain, secure, proto = "sessionid=alice", "__Host-sessionid=alice", "X-Forwarded-Proto"
	for _, c := range []struct {
		name   string
		want   int
		cookie string
		header []string
	}{
		{"HTTP, no origin", 200, plain, nil},
		{"HTTP, this origin", 200, plain, []string{"Origin", "http://chat.example.com"}},
		{"HTTP, behind a proxy that is not trusted", 200, plain, []string{"Origin", "https://chat.example.com"}},
		{"HTTP, another origin", 403, plain, []string{"Origin", "http://evil.example.com"}},
		{"HTTP, another port", 403, plain, []string{"Origin", "http://chat.example.com:8080"}},
		{"HTTP, null origin", 403, plain, []string{"Origin", "null"}},
		{"HTTP, the other cookie", 401, secure, nil},
		{"HTTPS, this origin", 200, secure, []string{proto, "https", "Origin", "https://chat.example.com"}},
		{"HTTPS, this page", 200, secure, []string{proto, "https", "Referer", "https://chat.example.com/x"}},
		{"HTTPS, another page", 403, secure, []string{proto, "https", "Referer",
			"https://evil.example.com/chat.example.com"}},
		{"HTTPS, no origin", 403, secure, []string{proto, "https"}},
		{"HTTPS, the other cookie", 401, plain, []string{proto, "https", "Origin", "https://chat.example.com"}},
	} {
		if got := ask(c.cookie, c.header...); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

// If the server's URL is https, cookies and headers are those of HTTPS, also behind a proxy that does not say so.
func TestSecureURL(t *testing.T) {
	page := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = fmt.Fprint(w, r.TLS != nil) })
	all := append(rows(), kit.Mount("/page", kit.Anyone, page, "A page."))
	for url, secure := range map[string]bool{
		"https://chat.example.com": true, "HTTPS://chat.example.com/": true, "http://chat.example.com": false, "": false,
	} {
		s := serve(t, all, unlimited, withSessions, withConfig(func(c *Config) { c.URL = url }))
		got := s.do("GET /page", callOptions{})
		if got.body != strconv.FormatBool(secure) {
			t.Errorf("%s: pages see a secure connection: %s", url, got.body)
		}
		if hsts := got.header.Get("Strict-Transport-Security"); (hsts == "max-age=31536000") != secure {
			t.Errorf("%s: Strict-Transport-Security: %s", url, hsts)
		}
		if p := got.header.Get("Permissions-Policy"); !strings.Contains(p, "camera=()") {
			t.Errorf("%s: Permissions-Policy: %s", url, p)
		}
		for cookie, accepted := range map[string]bool{"__Host-sessionid=alice": secure, "sessionid=alice": !secure} {
			got := s.do("GET /json/things/5", callOptions{header: map[string]string{"Cookie": cookie}})
			if (got.status != 401) != accepted {
				t.Errorf("%s, %s: %d %s", url, cookie, got.status, got.body)
			}
		}
	}
}

// Browser sessions cannot use logins and endpoints for programs.
func TestKeysOnly(t *testing.T) {
	all := append(
		rows(),
		kit.POST("/keys", kit.Anyone, whoami, "").KeysOnly(),
		kit.POST("/json/keys", kit.Users, whoami, "").AtRoot(),
	)
	s := serve(t, all, unlimited, withSessions)
	cookie := map[string]string{"Cookie": "sessionid=alice", csrfHeader: session.CSRF("alice")}
	if got := s.do("POST /api/v1/keys", callOptions{form: "name=x"}); got.status != 200 ||
		!strings.Contains(got.body, `"user":0`) {
		t.Errorf("%d %s", got.status, got.body)
	}
	if got := s.do("POST /json/keys", callOptions{form: "name=x", header: cookie}); got.status != 200 ||
		!strings.Contains(got.body, `"user":10`) {
		t.Errorf("%d %s", got.status, got.body)
	}
	if got := s.do("POST /json/keys", callOptions{form: "name=x"}); got.status != 401 ||
		strings.HasPrefix(got.header.Get("WWW-Authenticate"), "Basic") {
		t.Errorf("%d %s", got.status, got.body)
	}
	if got := s.do("GET /json/keys", callOptions{}); got.status != 405 {
		t.Errorf("%d %s", got.status, got.body)
	}
}

func TestHostOf(t *testing.T) {
	for header, want := range map[string]string{
		"Chat.Example.com": "chat.example.com", "chat.example.com.": "chat.example.com",
		"chat.example.com.:8080": "chat.example.com:8080",
		"[::1]:8080":             "[::1]:8080", "": "",
	} {
		if got := hostOf(header); got != want {
			t.Errorf("%q is %q, want %q", header, got, want)
		}
	}
}

func TestRealmURL(t *testing.T) {
	for _, c := range []struct{ known, host, want string }{
		{"", "chat.example.com:8080", "http://chat.example.com:8080"},
		{"https://chat.example.com", "chat.example.com", "https://chat.example.com"},
		{"https://chat.example.com", "10.0.0.7:9991", "https://chat.example.com"},
		{"https://chat.example.com", "skeptics.chat.example.com", "https://skeptics.chat.example.com"},
		{"https://Chat.example.com:8443", "skeptics.chat.example.com:9991", "https://skeptics.Chat.example.com:8443"},
		{"https://chat.example.com", "a.b.chat.example.com", "https://chat.example.com"},
		{"https://chat.example.com", "evilchat.example.com", "https://chat.example.com"},
	} {
		if got := realmURL(c.known, "http", c.host); got != c.want {
			t.Errorf("%s reached as %s is %s, want %s", c.known, c.host, got, c.want)
		}
	}
}
