package realm

import (
	"strings"
	"testing"
	"time"
)

type site string

func (s site) URL() string { return string(s) }

type clock struct{}

func (clock) Now() time.Time { return time.Unix(0, 0) }

// With several realms, emails link to subdomains of http.url, so the realms must be served there.
func TestDomainAndURL(t *testing.T) {
	for _, c := range []struct {
		domain, url string
		ok          bool
	}{
		{"", "", true}, {"chat.example.com", "", true}, {"", "https://chat.example.com", true},
		{"chat.example.com", "https://chat.example.com", true},
		{"Chat.example.com", "http://chat.EXAMPLE.com:8443", true}, {"127.0.0.1", "http://127.0.0.1:9991", true},
		{"chat.example.com", "https://example.com", false}, {"example.com", "https://chat.example.com", false},
		{"chat.example.com", "https://chat.example.com.evil.example", false},
		{"chat.example.com", "https://[::1]:9991", false},
	} {
		cfg := Module.Defaults.(Config)
		cfg.Domain = c.domain
		_, _, err := wire(cfg, needs{Site: site(c.url), Clock: clock{}})
		if (err == nil) != c.ok || err != nil &&
			(!strings.Contains(err.Error(), "modules.realm.domain is "+c.domain) ||
				!strings.Contains(err.Error(), "http.url is at")) {
			t.Errorf("%q and %q: %v", c.domain, c.url, err)
		}
	}
}
