package demo_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// Requests to host names other than localhost are rejected, since the name may belong to an attacker.
func TestForeignHostsRefused(t *testing.T) {
	s := start(t)
	for host, want := range map[string]int{
		"127.0.0.1": 200, "localhost": 200, "stoics.localhost": 200, "[::1]": 200, "10.0.2.2": 200,
		"rebound.example.com": 400, "127.0.0.1.example.com": 400, "localhost.example.com": 400, "": 200,
	} {
		for call, form := range map[string]string{
			"POST /api/v1/dev_fetch_api_key": "username=alice@example.com", "GET /api/v1/dev_list_users": "",
			"POST /accounts/login/local": "username=alice@example.com",
		} {
			method, path, _ := strings.Cut(call, " ")
			req, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, strings.NewReader(form))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			if host != "" {
				req.Host = host + ":9991"
			}
			res, err := s.Client.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			if _ = res.Body.Close(); res.StatusCode != want || want != 200 && len(res.Cookies()) > 0 {
				t.Errorf("%s under %q: %d %v, want %d", call, host, res.StatusCode, res.Cookies(), want)
			}
		}
	}
}

// Pages of other sites cannot log in users, even though the browser would send cookies, and nobody can log in through a
// proxy.
func TestCrossSiteLoginRefused(t *testing.T) {
	s := start(t)
	for _, c := range []struct {
		name, value string
		want        int
	}{
		{"Sec-Fetch-Site", "cross-site", 403}, {"Sec-Fetch-Site", "same-site", 403}, {"Origin", "https://example.com", 403},
		{"Origin", "null", 403},
		{"Sec-Fetch-Site", "same-origin", 200}, {"Origin", s.URL, 200}, {"X-Test", "no browser", 200},
		{"X-Forwarded-For", "192.0.2.1", 400}, {"Forwarded", "for=192.0.2.1", 400}, {"X-Real-IP", "192.0.2.1", 400},
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/accounts/login/local",
			strings.NewReader("username=alice@example.com"))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set(c.name, c.value)
		res, err := s.Client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if _ = res.Body.Close(); res.StatusCode != c.want || (len(res.Cookies()) > 0) != (c.want == 200) {
			t.Errorf("%s: %s: %d %v, want %d", c.name, c.value, res.StatusCode, res.Cookies(), c.want)
		}
	}
}

// A session ends when the account is deactivated, and is not restored when the account is reactivated.
func TestSessionEndsWithTheAccount(t *testing.T) {
	s := start(t)
	b := &browser{t, s, map[string]string{}}
	b.do("POST", "/accounts/login/local", url.Values{"username": {"bob@example.com"}}, false)
	if status, body := b.do("GET", "/json/users/me", nil, false); status != 200 {
		t.Fatalf("logged in: %d %s", status, body)
	}
	bob := fmt.Sprintf("/users/%d", s.UserID("bob"))
	s.As("olga").Do("DELETE " + bob).OK()
	if status, body := b.do("GET", "/json/users/me", nil, false); status != 401 {
		t.Errorf("deactivated: %d %s", status, body)
	}
	s.As("olga").Do("POST " + bob + "/reactivate").OK()
	if status, body := b.do("GET", "/json/users/me", nil, false); status != 401 {
		t.Errorf("reactivated: %d %s", status, body)
	}
}
