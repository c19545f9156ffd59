package web

import (
	"context"
	"encoding/json"
	"fmt"
	"html"
	"image/png"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/session"
	"github.com/stoachat/stoa/domain/webpart"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/homepage"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/realm"
	"github.com/stoachat/stoa/modules/sessions"
)

func TestModule(t *testing.T) {
	kittest.Check(t, Module, realm.Module, accounts.Module, sessions.Module, homepage.Module)
}

const index = `<html><head><meta name="csrf-token" content="" /><meta name="stoa-modules" content="" /><script ` +
	`src="/static/web/assets/a-1.js"></script></head></html>`

// built returns the files of a built client.
func built() fstest.MapFS {
	all := fstest.MapFS{}
	for name, text := range map[string]string{
		".gitkeep": "", "index.html": index, "assets/a-1.js": "script", "assets/a-1.js.br": "brotli",
		"assets/a-1.js.gz": "gzip",
		"assets/b-2.svg":   "<svg/>", "assets/b-2.svg.gz": "gzip of it", "assets/c-3.unknown": "<b>", "robots.txt": "none",
		"worker.js": "worker",
	} {
		all["dist/"+name] = &fstest.MapFile{Data: []byte(text)}
	}
	return all
}

func start(t *testing.T, m kit.Module) *kittest.Server {
	t.Helper()
	return kittest.Start(t, realm.Module, accounts.Module, sessions.Module, homepage.Module, m)
}

// login logs in a user and returns the cookie header.
func login(s *kittest.Server) string {
	s.T.Helper()
	form := url.Values{"username": {"alice@example.com"}, "password": {kittest.Password}}
	status, h, body := s.Page("POST", "/login/", form)
	cookie, _, ok := strings.Cut(h.Get("Set-Cookie"), ";")
	if status != http.StatusFound || !ok {
		s.T.Fatalf("%d %v %s", status, h, body)
	}
	return cookie
}

// TestPage checks that logged-in users get the client with a CSRF token, and all others the login page.
func TestPage(t *testing.T) {
	s := start(t, module(built()))
	cookie := login(s)
	status, h, body := s.Page("GET", "/", nil, "Cookie", cookie)
	_, value, _ := strings.Cut(cookie, "=")
	want := strings.Replace(index, `content=""`, `content="`+session.CSRF(value)+`"`, 1)
	if status != 200 || body != want || h.Get("Content-Type") != "text/html; charset=utf-8" {
		t.Fatalf("%d %v %s", status, h, body)
	}
	for name, want := range map[string]string{
		"Cache-Control": "no-store", "X-Frame-Options": "DENY", "Referrer-Policy": "same-origin",
		"X-Content-Type-Options": "nosniff", "Permissions-Policy": devices,
	} {
		if h.Get(name) != want {
			t.Errorf("%s: %s, want %s", name, h.Get(name), want)
		}
	}
	rules := "; " + h.Get("Content-Security-Policy") + ";"
	for _, want := range []string{
		"default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "frame-ancestors 'none'",
		"base-uri 'none'",
		"form-action 'self'", "require-trusted-types-for 'script'",
	} {
		if !strings.Contains(rules, "; "+want+";") {
			t.Errorf("no %s in %s", want, rules)
		}
	}
	for _, header := range [][]string{{}, {"Cookie", cookie + "x"}, {"Cookie", "sessionid="}} {
		status, _, body := s.Page("GET", "/", nil, header...)
		if status != 200 || strings.Contains(body, "csrf-token") ||
			!strings.Contains(body, `action="/login/"`) {
			t.Errorf("%v: %d %s", header, status, body)
		}
	}
	s.Page("POST", "/accounts/logout/", url.Values{"csrfmiddlewaretoken": {session.CSRF(value)}}, "Cookie", cookie)
	if _, _, body := s.Page("GET", "/", nil, "Cookie", cookie); strings.Contains(body, "csrf-token") {
		t.Errorf("logged out: %s", body)
	}
}

// TestOwner checks that browsers know, by a cookie that scripts can read, whose session they hold: from the login on,
// on pages of older sessions, and not after the end of the session: at the login that is the last end it can have, on a
// page the end if it is not used again. The client shows stored data to its owner only.
func TestOwner(t *testing.T) {
	s := start(t, module(built()))
	v, err := s.Ports.Directory.View(t.Context(), s.Realm)
	if err != nil {
		t.Fatal(err)
	}
	want := session.Owner(v.Realm().UUID, s.UserID("alice"))
	owner := func(h http.Header) *http.Cookie {
		for _, line := range h.Values("Set-Cookie") {
			if c, err := http.ParseSetCookie(line); err == nil && c.Name == "stoa_owner" {
				return c
			}
		}
		return &http.Cookie{}
	}
	cookie := login(s)
	_, value, _ := strings.Cut(cookie, "=")
	form := url.Values{"username": {"alice@example.com"}, "password": {kittest.Password}}
	_, atLogin, _ := s.Page("POST", "/login/", form)
	unused, last := s.Clock.Now().AddDate(0, 0, 14), s.Clock.Now().AddDate(0, 0, 90)
	for name, cookies := range map[string]string{"none": cookie, "another": cookie + "; stoa_owner=x.1"} {
		_, h, _ := s.Page("GET", "/", nil, "Cookie", cookies)
		c, first := owner(h), owner(atLogin)
		if c.Value != want || first.Value != want || c.HttpOnly || !c.Expires.Equal(unused) ||
			!first.Expires.Equal(last) {
			t.Errorf("%s: %v, at login %v, want %s", name, c, first, want)
		}
	}
	cookies := cookie + "; stoa_owner=" + want
	if _, h, _ := s.Page("GET", "/", nil, "Cookie", cookies); owner(h).Value != "" {
		t.Errorf("set again: %v", h)
	}
	form = url.Values{"csrfmiddlewaretoken": {session.CSRF(value)}}
	_, h, _ := s.Page("POST", "/accounts/logout/", form, "Cookie", cookies)
	if owner(h).MaxAge >= 0 {
		t.Errorf("after logout: %v", h)
	}
	if _, h, _ := s.Page("GET", "/", nil, "Cookie", cookies); owner(h).MaxAge >= 0 {
		t.Errorf("with an ended session: %v", h)
	}
	if _, h, _ := s.Page("GET", "/", nil); len(h.Values("Set-Cookie")) > 0 {
		t.Errorf("without a session: %v", h)
	}
}

// TestSpectators checks that visitors who are not logged in get the client only if there is a channel that they can
// read.
func TestSpectators(t *testing.T) {
	s := kittest.StartWith(t, kittest.Options{Config: "modules: {channels: {web_public_streams: true}}"},
		realm.Module, accounts.Module, channels.Module, sessions.Module, homepage.Module, module(built()))
	client := func() bool {
		status, _, body := s.Page("GET", "/", nil)
		return status == 200 && body == index
	}
	olga := s.As("olga")
	olga.Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"closed"}]`).OK()
	olga.Do("PATCH /realm", "enable_spectator_access", "true").OK()
	if client() {
		t.Error("nothing is readable without a login")
	}
	olga.Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"open"}]`, "is_web_public", "true").OK()
	if !client() {
		t.Error("nobody may read without a login")
	}
	olga.Do("PATCH /realm", "enable_spectator_access", "false").OK()
	if client() {
		t.Error("reading without a login is still possible")
	}
}

// TestRememberedOrganization checks that a cookie records the organization in which a user is logged in.
func TestRememberedOrganization(t *testing.T) {
	s := start(t, module(built()))
	cookie := login(s)
	_, h, _ := s.Page("GET", "/", nil, "Cookie", cookie)
	noted, _, _ := strings.Cut(h.Get("Set-Cookie"), ";")
	if noted != "stoa_organizations=_" {
		t.Fatalf("%v", h)
	}
	owner, _, _ := strings.Cut(h.Values("Set-Cookie")[1], ";")
	if _, h, _ := s.Page("GET", "/", nil, "Cookie", cookie+"; "+noted+"; "+owner); h.Get("Set-Cookie") != "" {
		t.Errorf("again: %v", h)
	}
}

// The home page of a server without the client mentions that.
func TestNotBuilt(t *testing.T) {
	s := start(t, module(fstest.MapFS{"dist/.gitkeep": {}}))
	status, _, body := s.Page("GET", "/", nil, "Cookie", login(s))
	if status != 200 || !strings.Contains(body, "built without the web client") ||
		!strings.Contains(body, "You are logged in") {
		t.Errorf("%d %s", status, body)
	}
	if status, _, _ := s.Page("GET", "/static/web/.gitkeep", nil); status != 404 {
		t.Errorf("%d", status)
	}
}

// TestParts checks that the parts of other modules are listed for logged-in users, and their files served.
func TestParts(t *testing.T) {
	files := fstest.MapFS{
		"party.js": &fstest.MapFile{Data: []byte("export default 1")}, "party.css": &fstest.MapFile{Data: []byte("p{}")},
	}
	web, err := kit.Web(files, "party.js", "party.css")
	if err != nil {
		t.Fatal(err)
	}
	party := kit.Define("party", "P.", kit.None{}, func(kit.None, struct{ fx.In }) (kit.Parts, error) {
		added := func(_ context.Context, q webpart.Installed) ([]webpart.Part, error) {
			return []webpart.Part{{Name: fmt.Sprint("of ", q.Realm), Script: webpart.Folder + "/x.js"}}, nil
		}
		return kit.Parts{Web: web, Answers: []kit.Answer{kit.Answers(added)}}, nil
	})
	s := kittest.Start(t, realm.Module, accounts.Module, sessions.Module, homepage.Module, party, module(built()))
	_, _, body := s.Page("GET", "/", nil, "Cookie", login(s))
	found := regexp.MustCompile(`<meta name="stoa-modules" content="([^"]*)"`).FindStringSubmatch(body)
	if found == nil {
		t.Fatalf("%s", body)
	}
	var list []webpart.Part
	if err := json.Unmarshal([]byte(html.UnescapeString(found[1])), &list); err != nil || len(list) != 2 ||
		list[0].Name != fmt.Sprint("of ", s.Realm) || list[1].Name != "party" {
		t.Fatalf("%v %s", err, body)
	}
	list = list[1:]
	for path, kind := range map[string]string{list[0].Script: mediaTypes[".js"], list[0].Style: mediaTypes[".css"]} {
		status, h, body := s.Page("GET", path, nil)
		if status != 200 || h.Get("Content-Type") != kind || h.Get("Cache-Control") != immutable ||
			h.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %d %v %s", path, status, h, body)
		}
	}
	if status, _, _ := s.Page("GET", prefix+"/modules/party/other/party.js", nil); status != 404 {
		t.Errorf("another hash: %d", status)
	}
	for _, names := range [][2]string{{"", "party.css"}, {"party.css", ""}, {"party.js", "none.css"},
		{"../party.js", ""}} {
		if _, err := kit.Web(files, names[0], names[1]); err == nil {
			t.Errorf("%q is taken", names)
		}
	}
}

// TestManifest checks that the manifest names the organization and icons that exist, one of which may be cropped, that
// iOS finds its icon, and that shared content is sent to the URL that the service worker intercepts.
func TestManifest(t *testing.T) {
	s := start(t, module(built()))
	status, h, body := s.Page("GET", "/static/web/manifest.webmanifest", nil)
	var m manifest
	if err := json.Unmarshal([]byte(body), &m); err != nil || status != 200 ||
		h.Get("Content-Type") != "application/manifest+json" {
		t.Fatalf("%v %d %v %s", err, status, h, body)
	}
	if m.Name != "Stoics" || m.StartURL != "/" || m.Scope != "/" || m.ShareTarget.Action != "/share" ||
		m.ShareTarget.Method != "POST" {
		t.Errorf("%s", body)
	}
	found := map[string]bool{}
	for _, icon := range append(m.Icons, manifestIcon{Source: prefix + "/" + touchIconName, Sizes: "180x180"}) {
		status, h, body := s.Page("GET", icon.Source, nil)
		c, err := png.DecodeConfig(strings.NewReader(body))
		if status != 200 || icon.Sizes != "any" &&
			(err != nil || h.Get("Content-Type") != "image/png" || icon.Sizes != fmt.Sprintf("%dx%[1]d", c.Width)) {
			t.Errorf("%+v: %d %v %v", icon, status, h, err)
		}
		found[strings.TrimSpace(icon.Sizes+" "+icon.Purpose)] = true
	}
	for _, want := range []string{"any", "192x192", "512x512", "512x512 maskable"} {
		if !found[want] {
			t.Errorf("no icon for %s", want)
		}
	}
	if status, h, _ := s.Page("GET", "/apple-touch-icon.png", nil); status != 302 ||
		h.Get("Location") != prefix+"/"+touchIconName {
		t.Errorf("at the root: %d %v", status, h)
	}
	if status, _, _ := s.Page("POST", "/static/web/manifest.webmanifest", nil); status != 405 {
		t.Errorf("POST: %d", status)
	}
}

// TestWorker checks that the service worker controls all pages and cannot load anything from elsewhere.
func TestWorker(t *testing.T) {
	s := start(t, module(built()))
	status, h, body := s.Page("GET", "/static/web/worker.js", nil)
	if status != 200 || body != "worker" || h.Get("Service-Worker-Allowed") != "/" ||
		h.Get("Cache-Control") != "no-cache" ||
		h.Get("Content-Security-Policy") != "default-src 'none'; connect-src 'self'" {
		t.Errorf("%d %v %s", status, h, body)
	}
}

func TestBrokenBuild(t *testing.T) {
	all := built()
	all["dist/index.html"] = &fstest.MapFile{Data: []byte("<html></html>")}
	if _, err := newClient(all); err == nil {
		t.Error("a page without a placeholder for the token was accepted")
	}
}

func TestFiles(t *testing.T) {
	s := start(t, module(built()))
	const js, svg = "/static/web/assets/a-1.js", "/static/web/assets/b-2.svg"
	const script, image = "text/javascript; charset=utf-8", "image/svg+xml"
	tags := map[string]bool{}
	for _, c := range []struct{ path, accepts, coding, body, kind string }{
		{js, "gzip, deflate, br, zstd", "br", "brotli", script},
		{js, "gzip;q=1.0, br;q=0", "gzip", "gzip", script},
		{js, "br;q=0.0, *;q=0.1", "gzip", "gzip", script},
		{js, "BR", "br", "brotli", script},
		{js, "identity", "", "script", script},
		{js, "brx, xgzip, *;q=0", "", "script", script},
		{svg, "br, gzip", "gzip", "gzip of it", image},
		{"/static/web/assets/c-3.unknown", "br", "", "<b>", "application/octet-stream"},
	} {
		status, h, body := s.Page("GET", c.path, nil, "Accept-Encoding", c.accepts)
		if status != 200 || body != c.body || h.Get("Content-Encoding") != c.coding || h.Get("Content-Type") != c.kind ||
			h.Get("Vary") != "Accept-Encoding" || h.Get("X-Content-Type-Options") != "nosniff" ||
			h.Get("Cache-Control") != "public, max-age=31536000, immutable" {
			t.Errorf("%s for %s: %d %v %s", c.path, c.accepts, status, h, body)
		}
		tags[h.Get("ETag")] = true
		status, h, body = s.Page("GET", c.path, nil, "Accept-Encoding", c.accepts, "If-None-Match", h.Get("ETag"))
		if status != 304 || body != "" {
			t.Errorf("%s again: %d %v %s", c.path, status, h, body)
		}
	}
	if len(tags) != 5 {
		t.Errorf("the tags are %v", tags)
	}
	if _, h, _ := s.Page("GET", "/static/web/robots.txt", nil); h.Get("Cache-Control") != "public, max-age=3600" {
		t.Errorf("%v", h)
	}
	for call, want := range map[string]int{
		"GET /static/web": 404, "GET /static/web/": 404, "GET /static/web/index.html": 404, "GET /static/web/assets": 404,
		"GET /static/web/assets/a-1.js.br": 404, "GET /static/web/assets/../index.html": 404,
		"GET /static/web/%2e%2e/dist/index.html": 404,
		"POST " + js:                             405,
	} {
		method, path, _ := strings.Cut(call, " ")
		if status, _, body := s.Page(method, path, nil); status != want {
			t.Errorf("%s: %d %s", call, status, body)
		}
	}
}
