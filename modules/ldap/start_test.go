package ldap_test

import (
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stoachat/stoa/adapters/mail/log"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/audit"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/groups"
	"github.com/stoachat/stoa/modules/identities"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/ldap"
	"github.com/stoachat/stoa/modules/mail"
	"github.com/stoachat/stoa/modules/realm"
	"github.com/stoachat/stoa/modules/sessions"
)

var others = []kit.Module{
	realm.Module, accounts.Module, sessions.Module, identities.Module, groups.Module, audit.Module, mail.Module,
	log.Module, events.Module,
}

func TestModule(t *testing.T) { kittest.Check(t, ldap.Module, others...) }

// start returns a server with a directory, whose keys follow in addition to those of the service account.
func start(t *testing.T, database string, d *directory, keys ...string) *kittest.Server {
	t.Helper()
	return configured(t, database, append([]string{
		"id: corp", "display_name: Corp", "url: \"ldaps://" + d.addr() + "\"", "ca_file: \"" + d.caFile + "\"",
		"bind_dn: \"" + serviceDN + "\"", "bind_password: " + secret, "base_dn: \"dc=example,dc=com\"",
	}, keys...)...)
}

// configured returns a server with a directory that has these keys.
func configured(t *testing.T, database string, keys ...string) *kittest.Server {
	t.Helper()
	config := "http: {rate_limits: {enabled: false}}\nmodules:\n  ldap:\n    directories:\n      - {" +
		strings.Join(keys, ", ") + "}\n"
	return kittest.StartWith(t, kittest.Options{DatabaseURL: database, Config: config,
		Log: slog.New(slog.DiscardHandler)}, // errors of directories are expected
		append(others, ldap.Module)...)
}

// fetch logs in like an app.
func fetch(s *kittest.Server, name, password string) *kittest.Response {
	s.T.Helper()
	return s.Anonymous().Do("POST /fetch_api_key", "username", name, "password", password)
}

// form sends the login page's form, and returns the status and the page.
func form(s *kittest.Server, name, password string) (status int, body string) {
	s.T.Helper()
	client := *s.Client
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	req, err := http.NewRequestWithContext(s.T.Context(), http.MethodPost, s.URL+"/login/", strings.NewReader(
		url.Values{"username": {name}, "password": {password}}.Encode()))
	if err != nil {
		s.T.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	res, err := client.Do(req)
	if err != nil {
		s.T.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		s.T.Fatal(err)
	}
	return res.StatusCode, string(text)
}
