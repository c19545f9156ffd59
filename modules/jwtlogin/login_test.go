package jwtlogin_test

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/golang-jwt/jwt/v5"

	"github.com/stoachat/stoa/adapters/mail/log"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/secondfactor"
	"github.com/stoachat/stoa/domain/session"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/audit"
	"github.com/stoachat/stoa/modules/identities"
	"github.com/stoachat/stoa/modules/jwtlogin"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/mail"
	"github.com/stoachat/stoa/modules/realm"
	"github.com/stoachat/stoa/modules/sessions"
	"github.com/stoachat/stoa/modules/twofactor"
)

var others = []kit.Module{
	realm.Module, accounts.Module, sessions.Module, identities.Module, audit.Module, mail.Module, log.Module,
	twofactor.Module,
}

func TestModule(t *testing.T) { kittest.Check(t, jwtlogin.Module, others...) }

// start returns a server with keys of the module's configuration.
func start(t *testing.T, database string, keys ...string) *kittest.Server {
	t.Helper()
	return configured(t, database, "jwtlogin: {"+strings.Join(keys, ", ")+"}")
}

func configured(t *testing.T, database, modules string) *kittest.Server {
	t.Helper()
	return kittest.StartWith(t, kittest.Options{
		DatabaseURL: database, Config: "http: {rate_limits: {enabled: false}}\nmodules:\n  " + modules + "\n",
	}, append(others, jwtlogin.Module)...)
}

// browser is a browser that follows no redirects.
type browser struct {
	s      *kittest.Server
	client *http.Client
}

func newBrowser(s *kittest.Server) *browser {
	client := *s.Client
	client.Jar = jar{}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &browser{s, &client}
}

// jar keeps cookies whatever the time is, since the server's clock is not the test's.
type jar map[string]*http.Cookie

func (j jar) SetCookies(_ *url.URL, cookies []*http.Cookie) {
	for _, c := range cookies {
		j[c.Name] = c
	}
}

func (j jar) Cookies(*url.URL) []*http.Cookie { return slices.Collect(maps.Values(j)) }

func (b *browser) do(method, path, body string) (status int, to, text string) {
	b.s.T.Helper()
	req, err := http.NewRequestWithContext(b.s.T.Context(), method, b.s.URL+path, strings.NewReader(body))
	if err != nil {
		b.s.T.Fatal(err)
	}
	if method == http.MethodPost { // as a form of the site that issues the tokens
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		if c := b.client.Jar.(jar)["sessionid"]; c != nil && strings.HasPrefix(path, "/json/") {
			req.Header.Set("X-CSRFToken", session.CSRF(c.Value))
		} else {
			req.Header.Set("Origin", "https://portal.example.com")
			req.Header.Set("Sec-Fetch-Site", "cross-site")
		}
	}
	res, err := b.client.Do(req)
	if err != nil {
		b.s.T.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	all, err := io.ReadAll(res.Body)
	if err != nil {
		b.s.T.Fatal(err)
	}
	return res.StatusCode, res.Header.Get("Location"), string(all)
}

// login sends a token as the form of the other site does, with more parameters.
func (b *browser) login(token string, more ...string) (status int, to, text string) {
	b.s.T.Helper()
	form := url.Values{"token": {token}}
	for i := 0; i < len(more); i += 2 {
		form.Set(more[i], more[i+1])
	}
	return b.do(http.MethodPost, "/accounts/login/jwt/", form.Encode())
}

// who returns what the server says about the user who is logged in, or "".
func (b *browser) who() string {
	b.s.T.Helper()
	if status, _, body := b.do(http.MethodGet, "/json/users/me", ""); status == http.StatusOK {
		return body
	}
	return ""
}

// signed returns a token for an address.
func signed(t *testing.T, s *kittest.Server, email string, more jwt.MapClaims) string {
	t.Helper()
	c := jwt.MapClaims{"email": email, "exp": s.Clock.Now().Unix() + 60}
	maps.Copy(c, more)
	return token(t, jwt.SigningMethodHS256, []byte(jwtSecret), c)
}

func TestLogin(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, database string) {
		s := start(t, database, "key: "+jwtSecret)
		b := newBrowser(s)
		status, to, text := b.login(signed(t, s, "Alice@example.com", nil))
		if status != 302 || to != "/" || !strings.Contains(b.who(), "alice@example.com") {
			t.Fatalf("%d %s %s %s", status, to, b.who(), text)
		}
		// The account is the one that has the address now, and nothing ties it to the former one.
		s.As("olga").Do("PATCH /users/"+kittest.JSON(s.UserID("bob")), "full_name", "Bob").OK()
		if !strings.Contains(s.As("olga").Do("GET /audit_log").OK().Body, "identity.used") {
			t.Error("the audit log has no login")
		}
		if got := s.As("alice").Do("GET /stoa/identities").OK(); got.Has("identities.0") {
			t.Error(got.Body)
		}
		s.As("olga").Do("DELETE /users/" + kittest.JSON(s.UserID("alice"))).OK()
		b = newBrowser(s)
		if status, _, _ := b.login(signed(t, s, "alice@example.com", nil)); status != 400 || b.who() != "" {
			t.Errorf("a deactivated user: %d", status)
		}
		s.RunJob("jwtlogin.forget_tokens")
	})
}

// TestSignUp checks that tokens create accounts where they may, and API calls never do.
func TestSignUp(t *testing.T) {
	s := start(t, "", "key: "+jwtSecret)
	s.As("olga").Do("PATCH /realm", "invite_required", "true").OK()
	b := newBrowser(s)
	if status, _, text := b.login(signed(t, s, "new@example.com", nil)); status != 400 || b.who() != "" ||
		!strings.Contains(text, "invitation") {
		t.Errorf("%d %s", status, text)
	}
	s = start(t, "", "key: "+jwtSecret, "auto_signup: true")
	s.Anonymous().Do("POST /jwt/fetch_api_key", "token", signed(t, s, "new@example.com", nil)).
		Error(401, "AUTHENTICATION_FAILED", "")
	b = newBrowser(s)
	if status, _, text := b.login(signed(t, s, "new@example.com", jwt.MapClaims{"name": "New <b>"})); status != 302 ||
		!strings.Contains(b.who(), "new@example.com") {
		t.Errorf("%d %s", status, text)
	}
}

// TestAttacks are tokens that log in nobody.
func TestAttacks(t *testing.T) {
	s := start(t, "", "key: "+jwtSecret)
	s.As("olga").Do("PATCH /realm", "invite_required", "true").OK()
	now, alice := s.Clock.Now().Unix(), "alice@example.com"
	sign := func(m jwt.MapClaims) string { return signed(t, s, alice, m) }
	claims := jwt.MapClaims{"email": alice, "exp": now + 60}
	good := sign(jwt.MapClaims{"jti": "1"})
	for what, text := range map[string]string{
		"no token": "", "not a token": "a.b.c", "a long token": sign(jwt.MapClaims{"x": strings.Repeat("x", 8<<10)}),
		"alg none":          token(t, jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, claims),
		"another algorithm": token(t, jwt.SigningMethodHS512, []byte(jwtSecret), claims),
		"another key":       token(t, jwt.SigningMethodHS256, []byte("x"+jwtSecret), claims),
		"another signature": good[:strings.LastIndexByte(good, '.')] + ".AAAA",
		"without exp":       token(t, jwt.SigningMethodHS256, []byte(jwtSecret), jwt.MapClaims{"email": alice}),
		"expired":           sign(jwt.MapClaims{"exp": now}),
		"exp far ahead":     sign(jwt.MapClaims{"exp": now + 301}),
		"iat ahead":         sign(jwt.MapClaims{"iat": now + 61}),
		"not valid yet":     sign(jwt.MapClaims{"nbf": now + 61}),
		"another audience":  sign(jwt.MapClaims{"aud": "other"}),
		"jti of a number":   sign(jwt.MapClaims{"jti": 7}),
		"no address":        sign(jwt.MapClaims{"email": ""}),
		"two addresses":     sign(jwt.MapClaims{"email": "alice@example.com,olga@example.com"}),
		"nobody":            signed(t, s, "nobody@example.com", nil),
		"a bot":             signed(t, s, s.As("bot").Email(), nil),
	} {
		b := newBrowser(s)
		if status, to, _ := b.login(text); status != 400 || to != "" || b.who() != "" {
			t.Errorf("%s: %d %s %s", what, status, to, b.who())
		}
	}
	pad := strings.Repeat("0f", 32)
	for _, key := range []string{"mobile_flow_otp", "desktop_flow_otp"} {
		if status, to, _ := newBrowser(s).login(good, key, pad); status != 400 || to != "" {
			t.Errorf("%s: %d %s", key, status, to)
		}
	}
	// A token counts once, in a browser or for a key, also with another text of the same jti.
	if status, _, _ := newBrowser(s).login(good, "next", "https://evil.example.com"); status != 302 {
		t.Fatalf("the first use: %d", status)
	}
	for _, text := range []string{good, sign(jwt.MapClaims{"jti": "1", "x": 1})} {
		b := newBrowser(s)
		if status, _, _ := b.login(text); status != 400 || b.who() != "" {
			t.Errorf("used again: %d", status)
		}
		s.Anonymous().Do("POST /jwt/fetch_api_key", "token", text).Error(400, "BAD_REQUEST", "Bad JSON web token")
	}
	b := newBrowser(s)
	for _, method := range []string{http.MethodGet, http.MethodPut} {
		if status, _, _ := b.do(method, "/accounts/login/jwt/?token="+sign(nil), ""); status != 405 || b.who() != "" {
			t.Errorf("%s: %d", method, status)
		}
	}
	if status, _, _ := b.do(http.MethodPost, "/accounts/login/jwt/other", ""); status != 404 {
		t.Errorf("another path: %d", status)
	}
	if log := s.As("olga").Do("GET /audit_log").OK().Body; !strings.Contains(log, "identity.refused") {
		t.Error("the audit log has no refusal")
	}
	other := start(t, "", "key: "+jwtSecret, "realm: other")
	if status, _, _ := newBrowser(other).login(signed(t, other, alice, nil)); status != 404 {
		t.Errorf("another organization: %d", status)
	}
}

// TestSecondFactor checks that a token does not spare people their second factor.
func TestSecondFactor(t *testing.T) {
	s := start(t, "", "key: "+jwtSecret)
	b := newBrowser(s)
	b.login(signed(t, s, "alice@example.com", nil))
	var app struct{ Secret string }
	_, _, text := b.do(http.MethodPost, "/json/stoa/second_factor/app", "")
	if err := json.Unmarshal([]byte(text), &app); err != nil || app.Secret == "" {
		t.Fatal(text)
	}
	code, err := secondfactor.Code(app.Secret, secondfactor.Step(s.Clock.Now()))
	if err != nil {
		t.Fatal(err)
	}
	if status, _, text := b.do(http.MethodPost, "/json/stoa/second_factor/app/confirm", "code="+code); status != 200 {
		t.Fatal(text)
	}
	b = newBrowser(s)
	if status, to, _ := b.login(signed(t, s, "alice@example.com", jwt.MapClaims{"jti": "1"})); status != 302 ||
		!strings.Contains(to, "step=") || b.who() != "" {
		t.Errorf("%d %s", status, to)
	}
	s.Anonymous().Do("POST /jwt/fetch_api_key", "token", signed(t, s, "alice@example.com", jwt.MapClaims{"jti": "2"})).
		Error(401, "SECOND_FACTOR_REQUIRED", "")
}

// TestFormerKeys logs in with the keys of configurations from before the module existed.
func TestFormerKeys(t *testing.T) {
	s := configured(t, "", "accounts: {jwt_key: "+jwtSecret+", jwt_algorithms: [HS384]}")
	text := token(t, jwt.SigningMethodHS384, []byte(jwtSecret),
		jwt.MapClaims{"email": "alice@example.com", "exp": s.Clock.Now().Unix() + 60})
	s.Anonymous().Do("POST /jwt/fetch_api_key", "token", text).OK()
}
