package homepage_test

import (
	"context"
	"net/url"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/homepage"
	"github.com/stoachat/stoa/modules/realm"
)

func organizations(t *testing.T) *kittest.Server {
	t.Helper()
	s := kittest.StartWith(t, kittest.Options{
		Config: "http: {url: 'https://127.0.0.1', rate_limits: {enabled: false}}\nmodules: {realm: {domain: 127.0.0.1}}",
	}, realm.Module, accounts.Module, homepage.Module)
	s.Do(func(ctx context.Context) error {
		_, err := s.Ports.Realms.Create(ctx, "Cynics", "cynics")
		return err
	})
	return s
}

const cynics = "https://cynics.127.0.0.1"

// TestOrganizations checks that the page lists exactly the organizations that the cookie names and that exist.
func TestOrganizations(t *testing.T) {
	s := organizations(t)
	get := func(cookie string) string {
		t.Helper()
		status, _, body := s.Page("GET", "/organizations/", nil, "Host", "cynics.127.0.0.1", "Cookie",
			"stoa_organizations="+cookie)
		if status != 200 {
			t.Fatalf("%d %s", status, body)
		}
		return body
	}
	all := get("_.nobody.cynics.cynics")
	if !strings.Contains(all, `<a href="https://127.0.0.1/">Stoics</a></p>`) ||
		strings.Count(all, `<a href="`+cynics+`/">Cynics</a> (this one)`) != 1 || strings.Contains(all, "nobody") {
		t.Errorf("%s", all)
	}
	for _, cookie := range []string{"", "../..", "<b>", "Cynics", strings.Repeat("a.", 1500) + "cynics"} {
		if body := get(cookie); strings.Contains(body, "Cynics") || strings.Contains(body, "<b>") {
			t.Errorf("%.40q: %s", cookie, body)
		}
	}
	answer := s.As("alice").Do("GET /organizations").OK()
	if answer.Has("organizations.0") {
		t.Errorf("without a cookie: %s", answer.Body)
	}
}

// TestFindOrganization checks that the page finds organizations by name or host name, and removes one from the cookie.
func TestFindOrganization(t *testing.T) {
	s := organizations(t)
	for name, found := range map[string]bool{
		" Cynics ": true, //nolint:gocritic // the spaces are intended
		"cynics":   true, "cynics.127.0.0.1": true, "nobody": false, "": false, "_": false, "a/b": false,
		"evil.example": false,
	} {
		status, _, body := s.Page("POST", "/organizations/", url.Values{"name": {name}}, "Host", "127.0.0.1")
		if strings.Contains(body, `<a href="`+cynics+`/">Open Cynics</a>`) != found || (status == 200) != found {
			t.Errorf("%q: %d %s", name, status, body)
		}
	}
	status, h, _ := s.Page("POST", "/organizations/", url.Values{"forget": {"cynics"}}, "Host", "127.0.0.1",
		"Cookie", "stoa_organizations=cynics._")
	cookie := h.Get("Set-Cookie")
	if status != 302 || !strings.HasPrefix(cookie, "stoa_organizations=_;") ||
		!strings.Contains(cookie, "HttpOnly") {
		t.Errorf("%d %v", status, h)
	}
	status, _, body := s.Page("POST", "/organizations/", url.Values{"forget": {"cynics"}}, "Host", "127.0.0.1",
		"Sec-Fetch-Site", "cross-site")
	if status != 403 {
		t.Errorf("another site: %d %s", status, body)
	}
}
