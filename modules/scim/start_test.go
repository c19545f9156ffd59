package scim_test

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/stoachat/stoa/adapters/mail/log"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/audit"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/groups"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/mail"
	"github.com/stoachat/stoa/modules/profilefields"
	"github.com/stoachat/stoa/modules/realm"
	"github.com/stoachat/stoa/modules/scim"
	"github.com/stoachat/stoa/modules/sessions"
)

var others = []kit.Module{
	realm.Module, accounts.Module, sessions.Module, groups.Module, audit.Module, mail.Module, log.Module, events.Module,
	profilefields.Module,
}

func TestModule(t *testing.T) { kittest.Check(t, scim.Module, others...) }

// provider is an identity provider, which has a token.
type provider struct {
	s     *kittest.Server
	token string
}

// start returns a server with the given keys of the configuration, and an identity provider.
func start(t *testing.T, database string, keys ...string) *provider {
	t.Helper()
	config := "http: {rate_limits: {enabled: false}}\nmodules:\n  scim: {" + strings.Join(keys, ", ") + "}\n"
	s := kittest.StartWith(t, kittest.Options{DatabaseURL: database, Config: config, Log: slog.New(slog.DiscardHandler)},
		append(others, scim.Module)...)
	return &provider{s, tokenOf(s, "Okta")}
}

// tokenOf creates a token.
func tokenOf(s *kittest.Server, name string) string {
	s.T.Helper()
	return s.As("olga").Do("POST /stoa/scim/tokens", "name", name).OK().String("token")
}

// response is what a client has received.
type response struct {
	t      testing.TB
	call   string
	status int
	header http.Header
	text   string
	body   map[string]any
}

// do sends "METHOD /path" with a JSON body, which may be "", and headers given as name, value, ...
func (p *provider) do(call, body string, headers ...string) *response {
	p.s.T.Helper()
	method, path, _ := strings.Cut(call, " ")
	req, err := http.NewRequestWithContext(p.s.T.Context(), method, p.s.URL+"/scim/v2"+path, strings.NewReader(body))
	if err != nil {
		p.s.T.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+p.token)
	req.Header.Set("Content-Type", "application/scim+json")
	for i := 0; i+1 < len(headers); i += 2 {
		if headers[i] == "Host" {
			req.Host = headers[i+1]
		}
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := p.s.Client.Do(req)
	if err != nil {
		p.s.T.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		p.s.T.Fatal(err)
	}
	r := &response{t: p.s.T, call: call, status: res.StatusCode, header: res.Header, text: string(text)}
	if len(text) > 0 && r.status != http.StatusRequestHeaderFieldsTooLarge {
		if err := json.Unmarshal(text, &r.body); err != nil {
			p.s.T.Fatalf("%s: %v: %s", call, err, text)
		}
		if kind := res.Header.Get("Content-Type"); kind != "application/scim+json" {
			p.s.T.Errorf("%s: Content-Type %s", call, kind)
		}
	}
	return r
}

// is checks the status.
func (r *response) is(status int) *response {
	r.t.Helper()
	if r.status != status {
		r.t.Fatalf("%s: %d, want %d: %s", r.call, r.status, status, r.text)
	}
	return r
}

// fails checks for an error.
func (r *response) fails(status int, kind string) {
	r.t.Helper()
	r.is(status)
	got, _ := r.body["scimType"].(string)
	if r.body["status"] != fmt.Sprint(status) || got != kind ||
		!strings.Contains(r.text, "urn:ietf:params:scim:api:messages:2.0:Error") {
		r.t.Fatalf("%s: want an error %d %q, got %s", r.call, status, kind, r.text)
	}
}

// get returns a value, as in name.givenName or emails.0.value, as text.
func (r *response) get(path string) string {
	r.t.Helper()
	var v any = r.body
	for key := range strings.SplitSeq(path, "/") {
		switch x := v.(type) {
		case map[string]any:
			v = x[key]
		case []any:
			var i int
			if _, err := fmt.Sscan(key, &i); err != nil || i >= len(x) {
				return ""
			}
			v = x[i]
		default:
			return ""
		}
	}
	if v == nil {
		return ""
	}
	return fmt.Sprint(v)
}

// has checks values, given as path, value, ...
func (r *response) has(pairs ...string) *response {
	r.t.Helper()
	for i := 0; i+1 < len(pairs); i += 2 {
		if got := r.get(pairs[i]); got != pairs[i+1] {
			r.t.Errorf("%s: %s is %q, want %q: %s", r.call, pairs[i], got, pairs[i+1], r.text)
		}
	}
	return r
}

// user returns the path of one of the test's people.
func (p *provider) user(name string) string { return "/Users/" + fmt.Sprint(p.s.UserID(name)) }

const (
	enterprise = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"
	own        = "urn:stoa:params:scim:schemas:extension:1.0:User"
)
