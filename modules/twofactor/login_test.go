package twofactor_test

import (
	"encoding/hex"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/secondfactor"
)

// TestLogin sets up an app, logs in with it and with a recovery code, and removes it.
func TestLogin(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, database string) {
		s := start(t, database)
		if list := s.Anonymous().Do("GET /server_settings").OK().Body; strings.Contains(list, "second factor") {
			t.Errorf("the method is listed although nobody needs it: %s", list)
		}
		ada := enroll(s, "alice")
		if len(ada.recovery) != secondfactor.RecoveryCodes {
			t.Fatalf("%v", ada.recovery)
		}
		if mail := s.sent(); !strings.Contains(mail, "alice@example.com: Hello,\n\nan authenticator app has been set up.") {
			t.Errorf("the email is %q", mail)
		}
		b := newBrowser(s)
		a := b.password("alice", "next", "/#recent")
		if b.who() != "" {
			t.Fatal("the password suffices")
		}
		page := a.to
		if a := b.do("GET "+page, nil); a.status != 200 || !strings.Contains(a.body, `name="code"`) ||
			strings.Contains(a.body, "<script") {
			t.Errorf("%+v", a)
		}
		if a := b.code(page, ada.code(0)); a.status != 302 || a.to != "/#recent" || b.who() != "alice@example.com" {
			t.Fatalf("%+v %s", a, b.who())
		}
		b, page = ada.started()
		if a := b.code(page, strings.ToUpper(ada.recovery[3])); a.status != 302 || b.who() != "alice@example.com" {
			t.Fatalf("%+v", a)
		}
		var shown struct {
			App   bool   `json:"app"`
			Codes int    `json:"recovery_codes"`
			Prove string `json:"prove"`
		}
		if b.call("GET /stoa/second_factor", nil, &shown); !shown.App || shown.Codes != 9 || shown.Prove != "nothing" {
			t.Errorf("%+v", shown)
		}
		log := s.As("olga").Do("GET /audit_log").OK().Body
		for _, want := range []string{"second_factor.added", "second_factor.used", `"factor":"recovery_code"`} {
			if !strings.Contains(log, want) || strings.Contains(log, ada.secret) {
				t.Errorf("the audit log lacks %s, or contains the secret: %s", want, log)
			}
		}
		if a := b.call("DELETE /stoa/second_factor/app", url.Values{}, nil); a.status != 200 {
			t.Fatalf("%+v", a)
		}
		if b.who() == "" || ada.at.who() != "" {
			t.Error("removing a factor ends all other sessions, and no others")
		}
		if c := newBrowser(s); c.password("alice").to != "/" || c.who() != "alice@example.com" {
			t.Error("a removed factor is asked for")
		}
		if mail := s.sent(); !strings.Contains(mail, "has been removed") {
			t.Errorf("the email is %q", mail)
		}
	})
}

// TestApps covers apps: POST /fetch_api_key cannot ask for a second factor, and a browser does it for them.
func TestApps(t *testing.T) {
	s := start(t, "")
	ada := enroll(s, "alice")
	s.Anonymous().Do("POST /fetch_api_key", "username", "alice@example.com", "password", kittest.Password).
		Error(401, "SECOND_FACTOR_REQUIRED", "This account needs a second factor. "+
			"Choose “Stoa (with second factor)” to log in.")
	s.Anonymous().Do("POST /fetch_api_key", "username", "alice@example.com", "password", "wrong").
		Error(401, "AUTHENTICATION_FAILED", "Your username or password is incorrect")
	s.Anonymous().Do("POST /fetch_api_key", "username", "bob@example.com", "password", kittest.Password).OK()
	var settings struct {
		Methods []struct {
			Display string `json:"display_name"`
			Login   string `json:"login_url"`
		} `json:"external_authentication_methods"`
	}
	s.Anonymous().Do("GET /server_settings").OK().JSON(&settings)
	if len(settings.Methods) != 1 || settings.Methods[0].Display != "Stoa (with second factor)" {
		t.Fatalf("%+v", settings)
	}
	b, pad := newBrowser(s), strings.Repeat("5A", 32)
	a := b.do("GET "+settings.Methods[0].Login+"?mobile_flow_otp="+pad, nil)
	if a.status != 200 || !strings.Contains(a.body, `name="mobile_flow_otp" value="`+pad+`"`) ||
		strings.Contains(a.body, "Log in with Stoa") {
		t.Fatalf("%+v", a)
	}
	a = b.code(b.password("alice", "mobile_flow_otp", pad).to, ada.code(0))
	link := regexp.MustCompile(`href="(zulip:[^"]*)"`).FindStringSubmatch(a.body)
	if a.status != 200 || link == nil || b.who() != "" {
		t.Fatalf("%+v", a)
	}
	to, err := url.Parse(link[1])
	if err != nil {
		t.Fatal(err)
	}
	encrypted, err := hex.DecodeString(to.Query().Get("otp_encrypted_api_key"))
	if err != nil || len(encrypted) != 32 || to.Query().Get("email") != "alice@example.com" {
		t.Fatalf("%s", to)
	}
	for i := range encrypted {
		encrypted[i] ^= 0x5a
	}
	req, err := http.NewRequestWithContext(t.Context(), "GET", s.URL+"/api/v1/users/me", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.SetBasicAuth("alice@example.com", string(encrypted))
	res, err := s.Client.Do(req)
	if err != nil || res.StatusCode != 200 {
		t.Errorf("%v %v", res, err)
	}
	_ = res.Body.Close()
	s.Clock.Advance(time.Minute)
	a = b.code(b.password("alice", "desktop_flow_otp", pad).to, ada.code(0))
	if code := regexp.MustCompile(`<code class="code">([0-9a-f]+)<`).FindStringSubmatch(a.body); code == nil {
		t.Errorf("%+v", a)
	}
	for _, query := range []string{
		"?mobile_flow_otp=" + pad[1:], "?mobile_flow_otp=" + pad + "&desktop_flow_otp=" + pad,
	} {
		if a := b.do("GET /login/"+query, nil); a.status != 400 {
			t.Errorf("%s: %d", query, a.status)
		}
	}
	if a := newBrowser(s).password("bob", "mobile_flow_otp", pad); !strings.Contains(a.body, `href="zulip://login?`) {
		t.Errorf("without a second factor: %+v", a)
	}
}

// TestEnforcement requires a second factor of some, who set it up within some days, or during the login.
func TestEnforcement(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, database string) {
		s := start(t, database)
		s.As("adam").Do("PATCH /stoa/settings/realm", "settings", `{"require_second_factor":"nobody"}`).
			Error(400, "UNAUTHORIZED_PRINCIPAL", "")
		s.require("admins", 3)
		if b := newBrowser(s); b.password("alice").to != "/" {
			t.Error("it is required of a member")
		}
		b := newBrowser(s)
		if a := b.password("adam"); a.to != "/" || b.who() == "" {
			t.Fatalf("within the days: %+v", a)
		}
		var shown struct {
			Required bool  `json:"required"`
			Due      int64 `json:"due_at"`
		}
		b.call("GET /stoa/second_factor", nil, &shown)
		if !shown.Required || shown.Due != s.Clock.Now().AddDate(0, 0, 3).Unix() {
			t.Errorf("%+v", shown)
		}
		s.Clock.Advance(3*24*time.Hour + time.Second)
		s.Anonymous().Do("POST /fetch_api_key", "username", "adam@example.com", "password", kittest.Password).
			Error(401, "SECOND_FACTOR_REQUIRED", "")
		b = newBrowser(s)
		page := b.password("adam").to
		a := b.do("GET "+page, nil)
		key := regexp.MustCompile(`<code>([A-Z2-7 ]+)</code>`).FindStringSubmatch(a.body)
		if key == nil || !strings.Contains(a.body, "<svg") || b.who() != "" {
			t.Fatalf("%+v", a)
		}
		if again := b.do("GET "+page, nil); !strings.Contains(again.body, key[1]) {
			t.Error("the key changes when the page is loaded again")
		}
		adam := &person{s: s, name: "adam", secret: strings.ReplaceAll(key[1], " ", "")}
		if a := b.code(page, "000000"); a.status != 200 || !strings.Contains(a.body, "The code is wrong") {
			t.Errorf("%+v", a)
		}
		a = b.code(page, adam.code(0))
		codes := regexp.MustCompile(`<code>([a-z2-7-]{19})</code>`).FindAllStringSubmatch(a.body, -1)
		if len(codes) != 10 || b.who() != "" {
			t.Fatalf("%+v", a)
		}
		if a := b.code(page, ""); a.to != "/" || b.who() != "adam@example.com" {
			t.Errorf("%+v", a)
		}
		c, page := adam.started()
		if a := c.code(page, codes[0][1]); a.to != "/" {
			t.Errorf("%+v", a)
		}
		s.require("nobody", 3)
		s.require("members", 0)
		if a := newBrowser(s).password("guest"); !strings.HasPrefix(a.to, "/accounts/second-factor/") {
			t.Errorf("without days: %+v", a)
		}
	})
}

// TestReset lets administrators and the operator remove the factors of others.
func TestReset(t *testing.T) {
	s := start(t, "")
	ada, olga := enroll(s, "alice"), enroll(s, "olga")
	s.sent()
	path := func(name string) string { return "DELETE /stoa/second_factor/users/" + kittest.JSON(s.UserID(name)) }
	s.As("bob").Do(path("alice")).Error(400, "UNAUTHORIZED_PRINCIPAL", "")
	s.As("adam").Do(path("olga")).Error(400, "UNAUTHORIZED_PRINCIPAL", "Must be an organization owner")
	s.As("olga").Do(path("olga")).Error(400, "BAD_REQUEST", "in your settings")
	s.As("adam").Do("DELETE /stoa/second_factor/users/987654").Error(400, "BAD_REQUEST", "No such user")
	if ada.at.who() == "" || olga.at.who() == "" {
		t.Error("a refused reset ends sessions")
	}
	s.As("adam").Do(path("alice")).OK()
	if b := newBrowser(s); ada.at.who() != "" || b.password("alice").to != "/" {
		t.Error("the factor or the sessions remain")
	}
	if mail := s.sent(); !strings.Contains(mail, "an administrator has removed your second factor") {
		t.Errorf("the email is %q", mail)
	}
	if log := s.As("olga").Do("GET /audit_log").OK().Body; !strings.Contains(log, "second_factor.reset") {
		t.Error(log)
	}
}
