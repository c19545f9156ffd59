package delivery

import (
	"encoding/base64"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/push"
	"github.com/stoachat/stoa/domain/relay"
	"github.com/stoachat/stoa/modules/kit"
)

// TestCredentials checks that invalid credentials are found before the first delivery, with an error that begins with
// the configuration key.
func TestCredentials(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	apple := func(c *Config, key string) {
		c.APNs.KeyFile, c.APNs.KeyID, c.APNs.TeamID, c.APNs.Apps = key, "K", "T", []string{"org.example"}
	}
	account := `{"type":"service_account","project_id":"p","client_email":"e","private_key":"x",
		"token_uri":"https://example.com"}`
	for name, c := range map[string]struct {
		key string // prefix of the error
		set func(*Config)
	}{
		"no file of APNs": {"apns.key_file: ", func(c *Config) { apple(c, dir+"/none") }},
		"no key of APNs":  {"apns.key_file: ", func(c *Config) { apple(c, file("a", "text")) }},
		"no team":         {"apns.key_file: ", func(c *Config) { c.APNs.KeyFile = "a" }},
		"no bundle ID":    {"apns.apps: ", func(c *Config) { c.APNs.Apps = []string{"a b"} }},
		"plain APNs":      {"apns.url: ", func(c *Config) { c.APNs.URL = "http://example.com" }},
		"no file of FCM":  {"fcm.credentials_file: ", func(c *Config) { c.FCM.CredentialsFile = dir + "/none" }},
		"no account":      {"fcm.credentials_file: ", func(c *Config) { c.FCM.CredentialsFile = file("b", "{}") }},
		"no key of FCM":   {"fcm.credentials_file: ", func(c *Config) { c.FCM.CredentialsFile = file("c", account) }},
		"no contact":      {"web.contact: ", func(c *Config) { c.Web.PrivateKey = "x" }},
		"no key of Web Push": {"web.private_key: ", func(c *Config) {
			c.Web.PrivateKey, c.Web.Contact = "x", "a@example.com"
		}},
		"a key of zeros": {"web.private_key: ", func(c *Config) {
			c.Web.PrivateKey = kit.Secret(base64.RawURLEncoding.EncodeToString(make([]byte, 32)))
			c.Web.Contact = "https://example.com"
		}},
		"no network":     {"web.networks: ", func(c *Config) { c.Web.Networks = []string{"x"} }},
		"no certificate": {"ca_file: ", func(c *Config) { c.CAFile = file("d", "text") }},
		"no time":        {"ttl: ", func(c *Config) { c.TTL = 0 }},
	} {
		cfg := Defaults()
		c.set(&cfg)
		err := cfg.Validate()
		if err == nil {
			_, err = New(cfg, clock{}, slog.New(slog.DiscardHandler))
		}
		if err == nil || !strings.HasPrefix(err.Error(), c.key) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

type clock struct{}

func (clock) Now() time.Time { return time.Unix(0, 0) }

// TestWithoutCredentials checks that no device is admitted, and that the health check fails.
func TestWithoutCredentials(t *testing.T) {
	d, err := New(Defaults(), clock{}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []push.TokenKind{push.FCM, push.APNs, push.Web} {
		if err := d.Admit(relay.Target{Kind: kind, Token: "x"}); !errs.Is(err, errs.BadRequest) {
			t.Errorf("%s: %v", kind, err)
		}
	}
	if err := d.Check(t.Context()); err == nil {
		t.Error("the check succeeded without credentials")
	}
}
