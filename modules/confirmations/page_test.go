package confirmations_test

import (
	"html"
	"net/url"
	"strings"
	"testing"
)

// Invalid and expired links, and links for the other page, all get the same response.
func TestPagesLeakNothing(t *testing.T) {
	s := start(t)
	change, reset := s.requestChange("alice", "new@example.org"), s.requestReset("bob@example.com")
	const changePath = "/accounts/confirm_new_email/"
	for _, c := range []struct {
		prefix string
		keys   []string
	}{
		{changePath, []string{"", keyIn(reset)}}, {resetPath, []string{keyIn(change)}},
	} {
		_, _, want := s.Page("GET", c.prefix+"nonsense", nil)
		if !strings.Contains(want, html.EscapeString(notValid)) || strings.Contains(want, "Stoics") ||
			strings.Contains(want, "<form") {
			t.Fatalf("%s", want)
		}
		key := keyIn(reset)
		for _, key := range append(c.keys, "1-"+strings.Repeat("A", 43), "zzz-"+strings.Repeat("A", 43),
			key[:len(key)-2]+"AA", "..", "a/b", key+"/b", "%00", "%ff", "%20") {
			for _, method := range []string{"GET", "POST"} {
				if status, h, body := s.Page(method, c.prefix+key, password(newPassword)); status != 404 || body != want {
					t.Errorf("%s %s%s: %d %s", method, c.prefix, key, status, body)
				} else {
					secure(t, h, body)
				}
			}
		}
	}
	s.NoEvents()
}

// Forms from other sites and unsupported methods are rejected.
func TestPageRefusals(t *testing.T) {
	s := start(t)
	change, reset := s.requestChange("alice", "new@example.org"), s.requestReset("bob@example.com")
	for _, path := range []string{change, reset, resetPath} {
		form := url.Values{"password": {newPassword}, "email": {"bob@example.com"}}
		for name, header := range map[string][]string{
			"another site": {"Sec-Fetch-Site", "cross-site"}, "another origin": {"Origin", "https://evil.example"},
			"no origin": {"Origin", "null"},
		} {
			if status, h, body := s.Page("POST", path, form, header...); status != 403 ||
				!strings.Contains(body, "another site") {
				t.Errorf("%s: %d %s", name, status, body)
			} else {
				secure(t, h, body)
			}
		}
		for _, method := range []string{"PUT", "DELETE", "PATCH"} {
			if status, h, _ := s.Page(method, path, form); status != 405 || h.Get("Allow") != "GET, HEAD, POST" {
				t.Errorf("%s: %d %v", method, status, h)
			}
		}
		if status, _, _ := s.Page("POST", path, url.Values{"password": {strings.Repeat("x", 20_000)}}); status != 413 {
			t.Errorf("a large form: %d", status)
		}
	}
	s.want("POST", resetPath, url.Values{"email": {`"><script>`}}, 400, "Enter a valid email address.")
	s.want("POST", resetPath, nil, 400, "Enter a valid email address.")
	s.NoEvents()
	if got := s.sent(); len(got) != 0 {
		t.Errorf("%+v", got)
	}
	if status, _, body := s.Page("POST", reset, password(newPassword), "Sec-Fetch-Site", "same-origin"); status != 200 {
		t.Errorf("%d %s", status, body)
	}
}

// A forged Host header does not affect the links in emails, and names chosen by users are escaped.
func TestForgedHost(t *testing.T) {
	s := start(t)
	s.As("olga").Do("PATCH /realm", "name", `<img src=x> www.evil.example`).OK()
	if status, _, body := s.Page("POST", resetPath, url.Values{"email": {"bob@example.com"}}, "Host", "evil.test",
		"X-Forwarded-Host", "evil.test"); status != 200 || strings.Contains(body, "evil.test") {
		t.Errorf("%d %s", status, body)
	}
	req := s.As("alice").Request("PATCH /settings", strings.NewReader("email=new@example.org"))
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Host = "evil.test"
	res, err := s.Client.Do(req)
	if err != nil || res.StatusCode != 200 {
		t.Fatal(res, err)
	}
	_ = res.Body.Close()
	got := s.sent()
	if len(got) != 2 {
		t.Fatalf("%+v", got)
	}
	for _, m := range got {
		if strings.Contains(m.Text+m.Subject, "evil.test") || strings.Contains(m.Text+m.Subject, "evil.example") ||
			!linkPattern.MatchString(m.Text) {
			t.Errorf("%+v", m)
		}
		if _, _, body := s.Page("GET", linkPattern.FindStringSubmatch(m.Text)[1], nil); strings.Contains(body, "<img") ||
			!strings.Contains(body, "&lt;img src=x&gt;") {
			t.Errorf("%s", body)
		}
	}
}
