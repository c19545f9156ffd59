package headerlogin_test

import (
	"encoding/hex"
	"io"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stoachat/stoa/adapters/mail/log"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/audit"
	"github.com/stoachat/stoa/modules/headerlogin"
	"github.com/stoachat/stoa/modules/identities"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/mail"
	"github.com/stoachat/stoa/modules/realm"
	"github.com/stoachat/stoa/modules/sessions"
)

var others = []kit.Module{
	realm.Module, accounts.Module, sessions.Module, identities.Module, audit.Module, mail.Module, log.Module,
}

func TestModule(t *testing.T) { kittest.Check(t, headerlogin.Module, others...) }

const secret = "between-proxy-and-server"

// start returns a server behind a proxy on this machine, with more keys of its configuration.
func start(t *testing.T, database string, more ...string) *kittest.Server {
	t.Helper()
	config := "http: {rate_limits: {enabled: false}}\nmodules:\n  headerlogin: {" +
		strings.Join(append([]string{"secret: " + secret}, more...), ", ") + "}\n"
	return kittest.StartWith(t, kittest.Options{DatabaseURL: database, Config: config},
		append(others, headerlogin.Module)...)
}

const here = "trusted_proxies: [127.0.0.1]"

// proxied is a browser behind the proxy, which adds headers and follows no redirects.
type proxied struct {
	s      *kittest.Server
	client *http.Client
	header http.Header
}

func behind(s *kittest.Server, header http.Header) *proxied {
	client := *s.Client
	client.Jar = jar{}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &proxied{s, &client, header}
}

// jar keeps cookies whatever the time is, since the server's clock is not the test's.
type jar map[string]*http.Cookie

func (j jar) SetCookies(_ *url.URL, cookies []*http.Cookie) {
	for _, c := range cookies {
		j[c.Name] = c
	}
}

func (j jar) Cookies(*url.URL) []*http.Cookie { return slices.Collect(maps.Values(j)) }

func (p *proxied) get(path string) (status int, to, body string) {
	p.s.T.Helper()
	req, err := http.NewRequestWithContext(p.s.T.Context(), http.MethodGet, p.s.URL+path, nil)
	if err != nil {
		p.s.T.Fatal(err)
	}
	req.Header = p.header.Clone()
	res, err := p.client.Do(req)
	if err != nil {
		p.s.T.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		p.s.T.Fatal(err)
	}
	return res.StatusCode, res.Header.Get("Location"), string(text)
}

// login follows the button on the login page.
func (p *proxied) login(query string) (status int, to, body string) {
	p.s.T.Helper()
	status, to, body = p.get("/accounts/login/start/sso/" + query)
	if status != http.StatusFound {
		return status, to, body
	}
	return p.get(to)
}

// who returns the address of the user who is logged in, or "".
func (p *proxied) who() string {
	p.s.T.Helper()
	status, _, body := p.get("/json/users/me")
	if m := regexp.MustCompile(`"delivery_email":"([^"]*)"`).FindStringSubmatch(body); status == http.StatusOK {
		return m[1]
	}
	return ""
}

// named are the headers that the proxy adds.
func named(name string) http.Header {
	return http.Header{"X-Remote-User": {name}, "X-Remote-Secret": {secret}}
}

func TestLogin(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, database string) {
		s := start(t, database, here, "append_domain: example.com", "display_name: Kerberos")
		var settings struct {
			Methods []struct {
				Name  string `json:"name"`
				Login string `json:"login_url"`
			} `json:"external_authentication_methods"`
			Usable map[string]bool `json:"authentication_methods"`
		}
		s.Anonymous().Do("GET /server_settings").OK().JSON(&settings)
		if m := settings.Methods; len(m) != 1 || m[0].Name != "remoteuser" || m[0].Login != "/accounts/login/start/sso/" ||
			!settings.Usable["remoteuser"] || settings.Usable["saml"] {
			t.Errorf("%+v", settings)
		}
		p := behind(s, named("Alice"))
		if _, _, body := p.get("/login/"); !strings.Contains(body, "Log in with Kerberos") {
			t.Error("the login page has no button")
		}
		if status, to, body := p.login("?next=/%23recent"); status != 302 || to != "/#recent" ||
			p.who() != "alice@example.com" {
			t.Fatalf("%d %s %s %s", status, to, p.who(), body)
		}
		// The case of a name does not matter. A login may begin at the protected path.
		other := behind(s, named("ALICE"))
		if _, to, _ := other.get("/accounts/login/sso/?next=/x"); to != "/accounts/login/start/sso/?next=/x" {
			t.Errorf("a request that begins at the protected path leads to %q", to)
		}
		if status, _, _ := other.login(""); status != 302 || other.who() != "alice@example.com" {
			t.Errorf("%d %q", status, other.who())
		}
		if log := s.As("olga").Do("GET /audit_log").OK().Body; !strings.Contains(log, "identity.connected") {
			t.Error(log)
		}
		s.As("olga").Do("DELETE /users/" + kittest.JSON(s.UserID("alice"))).OK()
		if status, _, _ := behind(s, named("alice")).login(""); status != 400 {
			t.Errorf("a deactivated user: %d", status)
		}
	})
}

// TestApps logs in for apps, which wait for an API key or a token.
func TestApps(t *testing.T) {
	s := start(t, "", here)
	otp := strings.Repeat("0f", 32)
	status, to, _ := behind(s, named("alice@example.com")).login("?mobile_flow_otp=" + otp)
	u, err := url.Parse(to)
	if err != nil || status != 302 || u.Scheme != "zulip" || u.Query().Get("email") != "alice@example.com" {
		t.Fatalf("%d %s", status, to)
	}
	key, err := hex.DecodeString(u.Query().Get("otp_encrypted_api_key"))
	if err != nil || len(key) != 32 {
		t.Fatal(to)
	}
	for i := range key {
		key[i] ^= 0x0f
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/api/v1/users/me", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.SetBasicAuth("alice@example.com", string(key))
	res, err := s.Client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if res.StatusCode != 200 {
		t.Errorf("the key is refused: %d", res.StatusCode)
	}
	if status, _, body := behind(s, named("alice@example.com")).login("?desktop_flow_otp=" + otp); status != 200 ||
		!regexp.MustCompile(`[0-9a-f]{80}`).MatchString(body) {
		t.Errorf("%d %s", status, body)
	}
	for _, query := range []string{"?mobile_flow_otp=" + otp[1:], "?mobile_flow_otp=" + otp + "&desktop_flow_otp=" + otp} {
		if status, _, _ := behind(s, named("alice@example.com")).login(query); status != 400 {
			t.Errorf("%s: %d", query, status)
		}
	}
}

// TestAttacks are requests that must not log in anybody.
func TestAttacks(t *testing.T) {
	s := start(t, "", here)
	for what, header := range map[string]http.Header{
		"no secret":             {"X-Remote-User": {"alice@example.com"}},
		"a wrong secret":        {"X-Remote-User": {"alice@example.com"}, "X-Remote-Secret": {secret + "x"}},
		"the secret and a copy": {"X-Remote-User": {"alice@example.com"}, "X-Remote-Secret": {secret, secret}},
		"no name":               {"X-Remote-Secret": {secret}},
		"an empty name":         named(""),
		"two names":             {"X-Remote-User": {"bob@example.com", "alice@example.com"}, "X-Remote-Secret": {secret}},
		"no address":            named("alice"),
		"a long name":           named(strings.Repeat("a", 256) + "@example.com"),
		"a bot":                 named(s.As("bot").Email()),
		"nobody":                named("nobody@example.com"),
	} {
		p := behind(s, header)
		if status, to, _ := p.login(""); status != 400 || to != "" || p.who() != "" {
			t.Errorf("%s: %d %s %s", what, status, to, p.who())
		}
	}
	// The state of another browser, twice, and none.
	p := behind(s, named("alice@example.com"))
	_, to, _ := p.get("/accounts/login/start/sso/")
	if status, _, _ := behind(s, named("alice@example.com")).get(to); status != 400 {
		t.Errorf("another browser: %d", status)
	}
	if status, _, _ := p.get(to); status != 302 {
		t.Errorf("the browser that began: %d", status)
	}
	if status, _, _ := p.get(to); status != 400 {
		t.Errorf("twice: %d", status)
	}
	far := start(t, "", "trusted_proxies: [10.0.0.0/8]")
	if p := behind(far, named("alice@example.com")); p.who() != "" {
		t.Error("logged in without a login")
	}
	p = behind(far, named("alice@example.com"))
	if status, _, _ := p.login(""); status != 400 || p.who() != "" {
		t.Errorf("from an untrusted address: %d", status)
	}
	p.header.Set("X-Forwarded-For", "10.0.0.1")
	if status, _, _ := p.login(""); status != 400 {
		t.Errorf("with the address of a proxy in a header: %d", status)
	}
	if log := far.As("olga").Do("GET /audit_log").OK().Body; !strings.Contains(log, "identity.refused") {
		t.Errorf("the audit log has no refusal: %s", log)
	}
}

// TestConfig checks what stoa config check finds, and that the module does nothing unless it is configured.
func TestConfig(t *testing.T) {
	for key, c := range map[string]headerlogin.Config{
		"trusted_proxies": {TrustedProxies: []string{"proxy"}, Secret: secret, Header: "A", ProofHeader: "B"},
		"secret:":         {TrustedProxies: []string{"10.0.0.1"}, Secret: "short", Header: "A", ProofHeader: "B"},
		"secret_file":     {TrustedProxies: []string{"10.0.0.1"}, SecretFile: "/nowhere", Header: "A", ProofHeader: "B"},
		"header:":         {TrustedProxies: []string{"10.0.0.1"}, Secret: secret, Header: "A b", ProofHeader: "B"},
		"proof_header":    {TrustedProxies: []string{"10.0.0.1"}, Secret: secret, Header: "A", ProofHeader: "a"},
		"append_domain": {TrustedProxies: []string{"10.0.0.1"}, Secret: secret, Header: "A", ProofHeader: "B",
			AppendDomain: "@example.com"},
	} {
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), key) {
			t.Errorf("%s: %v", key, err)
		}
	}
	s := kittest.Start(t, append(others, headerlogin.Module)...)
	if status, _, _ := behind(s, named("alice@example.com")).get("/accounts/login/sso/"); status != 404 {
		t.Errorf("not configured: %d", status)
	}
}
