package invites_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// checkPageSecurity checks the headers of a page with a secret in its URL, and that the policy allows its style sheet.
func checkPageSecurity(t *testing.T, h http.Header, body string) {
	t.Helper()
	for name, want := range map[string]string{
		"Referrer-Policy": "same-origin", "Cache-Control": "no-store", "X-Frame-Options": "DENY",
		"X-Content-Type-Options": "nosniff",
		"Content-Type":           "text/html; charset=utf-8",
	} {
		if got := h.Get(name); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
	policy := h.Get("Content-Security-Policy")
	style := regexp.MustCompile(`(?s)<style>(.*)</style>`).FindStringSubmatch(body)
	if style == nil {
		t.Fatalf("no style: %s", body)
	}
	sum := sha256.Sum256([]byte(style[1]))
	for _, want := range []string{"default-src 'none'", "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'",
		"form-action 'self'", "frame-ancestors 'none'"} {
		if !strings.Contains(policy, want) {
			t.Errorf("no %s in the policy: %s", want, policy)
		}
	}
	if script := regexp.MustCompile(`(?s)<script>(.*?)</script>`).FindStringSubmatch(body); script != nil {
		sum := sha256.Sum256([]byte(script[1]))
		if !strings.Contains(policy, "script-src 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'") {
			t.Errorf("the policy does not allow the script: %s", policy)
		}
		body = strings.Replace(body, script[0], "", 1)
	}
	if strings.Contains(body, "<script") || strings.Contains(body, " src=") {
		t.Errorf("the page loads something not allowed: %s", body)
	}
}

func TestPageOfMail(t *testing.T) {
	s := start(t)
	key := s.invite("alice", "eve@example.com")
	s.Skip()
	for _, path := range []string{"/accounts/do_confirm/" + key, "/accounts/do_confirm/" + key + "/",
		"/join/" + key + "/?next=https://evil.example"} {
		status, h, body := s.Page("GET", path, nil)
		checkPageSecurity(t, h, body)
		for _, want := range []string{"Join Stoics", "Alice has invited you.", `value="eve@example.com"`, "readonly",
			`name="full_name"`, `type="password"`, site} {
			if !strings.Contains(body, want) {
				t.Errorf("no %q in\n%s", want, body)
			}
		}
		if status != 200 || strings.Contains(body, key) || strings.Contains(body, "evil") {
			t.Errorf("%d %s", status, body)
		}
	}
	s.Page("HEAD", "/accounts/do_confirm/"+key, nil)
	s.NoEvents() // viewing the page does not join
	form := url.Values{"email": {"eve@example.com"}, "full_name": {"<b>Eve</b>"}, "password": {password}}
	form.Set("password", "x")
	status, h, body := s.Page("POST", "/accounts/do_confirm/"+key, form)
	checkPageSecurity(t, h, body)
	if status != 400 || !strings.Contains(body, "Invalid characters in name!") ||
		!strings.Contains(body, `value="&lt;b&gt;Eve&lt;/b&gt;"`) || strings.Contains(body, "<b>") {
		t.Errorf("%d %s", status, body)
	}
	form.Set("full_name", "Eve")
	if status, _, body := s.Page("POST", "/accounts/do_confirm/"+key, form); status != 400 ||
		!strings.Contains(body, "The password must have at least 8 characters.") || strings.Contains(body, `value="x"`) {
		t.Errorf("%d %s", status, body)
	}
	s.NoEvents()
	form.Set("password", password)
	status, h, body = s.Page("POST", "/accounts/do_confirm/"+key, form, "Accept-Language", "fr-CA")
	checkPageSecurity(t, h, body)
	if status != 200 || !strings.Contains(body, "Bienvenue dans Stoics") || !strings.Contains(body, site) ||
		!strings.Contains(body, "eve@example.com") || strings.Contains(body, password) {
		t.Errorf("%d %s", status, body)
	}
	s.login("eve@example.com")
	s.Do(func(ctx context.Context) error {
		v, err := s.Ports.Directory.View(ctx, s.Realm)
		if err == nil && v.UserByEmail("eve@example.com").Settings.DefaultLanguage != "fr" {
			t.Error("the new account does not have the browser's language")
		}
		return err
	})
	if status, _, body := s.Page("POST", "/accounts/do_confirm/"+key, form); status != 404 ||
		!strings.Contains(body, "This invitation is not valid") {
		t.Errorf("again: %d %s", status, body)
	}
}

func TestPageOfLink(t *testing.T) {
	s := start(t)
	link := s.link("adam")
	_, h, body := s.Page("GET", "/join/"+link+"/", nil)
	checkPageSecurity(t, h, body)
	if strings.Contains(body, "password") || strings.Contains(body, "readonly") ||
		!strings.Contains(body, "Send email") {
		t.Errorf("%s", body)
	}
	status, _, body := s.Page("POST", "/join/"+link+"/", url.Values{"email": {`"><script>alert(1)</script>`}})
	if status != 400 || strings.Contains(body, "<script") || !strings.Contains(body, "Enter a valid email address.") {
		t.Errorf("%d %s", status, body)
	}
	status, _, body = s.Page("POST", "/join/"+link+"/", url.Values{"email": {"eve@example.com"}})
	if status != 200 || !strings.Contains(body, "An email is on its way to <strong>eve@example.com</strong>") {
		t.Errorf("%d %s", status, body)
	}
	key := s.key("eve@example.com")
	if status, _, body := s.Page("POST", "/accounts/do_confirm/"+key,
		url.Values{"full_name": {"Eve"}, "password": {password}}); status != 200 {
		t.Errorf("%d %s", status, body)
	}
	s.login("eve@example.com")
}

func TestPageToSignUp(t *testing.T) {
	s := startWithoutEmail(t)
	if status, _, body := s.Page("GET", "/register/", nil); status != 400 ||
		!strings.Contains(body, "You need an invitation") || strings.Contains(body, "<form") {
		t.Errorf("%d %s", status, body)
	}
	s.As("olga").Do("PATCH /realm", "invite_required", "false").OK()
	for _, path := range []string{"/register", "/register/"} {
		status, h, body := s.Page("GET", path, nil, "Host", "chat.test:8080")
		checkPageSecurity(t, h, body)
		if status != 200 || !strings.Contains(body, "chat.test:8080") || !strings.Contains(body, `name="full_name"`) {
			t.Errorf("%d %s", status, body)
		}
	}
	form := url.Values{"email": {"eve@example.com"}, "full_name": {"Eve"}, "password": {password}}
	if status, _, body := s.Page("POST", "/register/", form); status != 200 ||
		!strings.Contains(body, "Welcome to Stoics") {
		t.Errorf("%d %s", status, body)
	}
	s.login("eve@example.com")
	if status, _, body := s.Page("POST", "/register/", form); status != 400 ||
		!strings.Contains(body, "This address cannot be used to join.") {
		t.Errorf("%d %s", status, body)
	}
}

// Invalid and expired invitations all get the same page.
func TestPageLeaksNothing(t *testing.T) {
	s := start(t)
	used, revoked := s.invite("alice", "used@example.com"), s.invite("alice", "revoked@example.com")
	link := s.link("adam")
	s.join(used, "Eve").OK()
	s.As("alice").Do("DELETE /invites/2").OK()
	s.As("adam").Do("DELETE /invites/multiuse/3").OK()
	_, _, want := s.Page("GET", "/join/nonsense/", nil)
	if !strings.Contains(want, html.EscapeString(notValid)) || strings.Contains(want, "Stoics") ||
		strings.Contains(want, "<form") {
		t.Fatalf("%s", want)
	}
	for _, key := range []string{used, revoked, link, "1-" + strings.Repeat("A", 43), "zzz-" + strings.Repeat("A", 43),
		used[:len(used)-1] + "A", "..", "a/b", "%00", "%ff", "%20"} {
		for _, path := range []string{"/join/", "/accounts/do_confirm/"} {
			for _, method := range []string{"GET", "POST"} {
				status, h, body := s.Page(method, path+key, url.Values{"email": {"eve@example.com"}, "full_name": {"Eve"},
					"password": {password}})
				if status != 404 || body != want {
					t.Errorf("%s %s%s: %d %s", method, path, key, status, body)
				}
				checkPageSecurity(t, h, body)
			}
		}
	}
	for _, path := range []string{"/join", "/join/", "/accounts/do_confirm", "/register/x"} {
		if status, _, body := s.Page("GET", path, nil); status != 404 || body != want {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
}

func TestPageRefusals(t *testing.T) {
	s := startWithoutEmail(t)
	link := s.link("adam")
	path := "/join/" + link + "/"
	form := url.Values{"email": {"eve@example.com"}, "full_name": {"Eve"}, "password": {password}}
	s.Skip()
	for name, header := range map[string][]string{
		"another site":   {"Sec-Fetch-Site", "cross-site"},
		"another origin": {"Origin", "https://evil.example"},
		"no origin":      {"Origin", "null"},
	} {
		if status, h, body := s.Page("POST", path, form, header...); status != 403 ||
			!strings.Contains(body, "another site") {
			t.Errorf("%s: %d %s", name, status, body)
		} else {
			checkPageSecurity(t, h, body)
		}
	}
	for _, method := range []string{"PUT", "DELETE", "PATCH"} {
		if status, h, _ := s.Page(method, path, form); status != 405 || h.Get("Allow") != "GET, HEAD, POST" {
			t.Errorf("%s: %d %v", method, status, h)
		}
	}
	big := url.Values{"email": {strings.Repeat("x", 20_000)}}
	if status, _, _ := s.Page("POST", path, big); status != 413 {
		t.Errorf("a large form: %d", status)
	}
	if status, _, _ := s.Page("POST", path+"?email=eve@example.com&full_name=Eve&password="+url.QueryEscape(password),
		nil); status != 400 {
		t.Errorf("a password in the URL: %d", status)
	}
	s.NoEvents()
	if status, _, body := s.Page("POST", path, form, "Sec-Fetch-Site", "same-origin", "Origin", s.URL); status != 200 {
		t.Errorf("%d %s", status, body)
	}
}

// Names chosen by users are plain text on the page and in mails.
func TestHostileNames(t *testing.T) {
	s := start(t)
	s.As("olga").Do("PATCH /realm", "name", `<img src=x> www.evil.example`).OK()
	s.As("alice").Do("PATCH /settings", "full_name", `http://evil.example/<i> & =?utf-8?q?x?=`).Error(400, "BAD_REQUEST",
		"")
	s.As("alice").Do("PATCH /settings", "full_name", `http://evil.example/ & =?utf-8?q?x?=`).OK()
	s.As("alice").Do("POST /invites", "invitee_emails", "eve@example.com", "stream_ids", "[]").OK()
	m := s.sent()[0]
	for _, bad := range []string{"evil.example", "http://evil", "=?utf-8"} {
		if strings.Contains(m.Subject, bad) || strings.Contains(m.Text, bad) {
			t.Errorf("%s: %s\n%s", bad, m.Subject, m.Text)
		}
	}
	_, _, body := s.Page("GET", "/join/"+mailed.FindStringSubmatch(m.Text)[1]+"/", nil)
	if strings.Contains(body, "<img") || !strings.Contains(body, "&lt;img src=x&gt;") {
		t.Errorf("%s", body)
	}
}

// A forged Host header does not affect links.
func TestForgedHost(t *testing.T) {
	s := start(t)
	s.As("olga").Do("PATCH /realm", "invite_required", "false").OK()
	if status, _, body := s.Page("POST", "/register/", url.Values{"email": {"eve@example.com"}}, "Host",
		"evil.example"); status != 200 || strings.Contains(body, "evil") {
		t.Errorf("%d %s", status, body)
	}
	if m := s.sent(); len(m) != 1 || strings.Contains(m[0].Text, "evil") || !mailed.MatchString(m[0].Text) {
		t.Errorf("%v", m)
	}
	req := s.As("alice").Request("POST /invites", strings.NewReader("invitee_emails=fay@example.com&stream_ids=[]"))
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Host = "evil.example"
	res, err := s.Client.Do(req)
	if err != nil || res.StatusCode != 200 {
		t.Fatal(res, err)
	}
	_ = res.Body.Close()
	if m := s.sent(); len(m) != 1 || strings.Contains(m[0].Text, "evil") || !mailed.MatchString(m[0].Text) {
		t.Errorf("%v", m)
	}
}

// TestLinkOfLocalServer checks that the page of a link that leads only to the server's own machine says so, and how to
// change that.
func TestLinkOfLocalServer(t *testing.T) {
	const note = "Others cannot open this page yet"
	local, public := startWithoutEmail(t), start(t)
	_, _, body := local.Page("GET", "/join/"+local.link("adam"), nil)
	for _, want := range []string{note, "<strong>" + local.URL + "</strong>", "<code>http.url</code>",
		"<code>http.addr</code>"} {
		if !strings.Contains(body, want) {
			t.Errorf("no %q in\n%s", want, body)
		}
	}
	_, _, body = local.Page("GET", "/join/"+local.link("adam"), nil, "Host", "chat.example.com")
	if strings.Contains(body, note) {
		t.Errorf("behind a proxy: %s", body)
	}
	if _, _, body := public.Page("GET", "/join/"+public.link("adam"), nil); strings.Contains(body, note) {
		t.Errorf("with a public address: %s", body)
	}
}

// TestActionsThatNeedEmail checks that clients learn whether the server sends email, and that it refuses what needs it
// with a reason.
func TestActionsThatNeedEmail(t *testing.T) {
	without, with := startWithoutEmail(t), start(t)
	for s, want := range map[*server]bool{&without: false, &with: true} {
		a := s.As("olga").Do("POST /register", "fetch_event_types", `["realm"]`).OK()
		if got := a.Get("stoa_sends_email"); got != want {
			t.Errorf("clients receive %v, want %v", got, want)
		}
	}
	without.As("olga").Do("POST /invites", "invitee_emails", "eve@example.com", "stream_ids", "[]").Error(400,
		"BAD_REQUEST", "This server does not send email. Create an invitation link instead and share it.")
}
