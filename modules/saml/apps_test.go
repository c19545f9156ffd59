package saml_test

import (
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
)

// TestApps covers the flows of apps to the byte.
func TestApps(t *testing.T) {
	p := newIDP(t)
	s := start(t, "", p)
	pad := strings.Repeat("5A", 32)
	b := newBrowser(s)
	a := b.login(p, "?mobile_flow_otp="+pad)
	to, err := url.Parse(a.to)
	if err != nil || a.status != 302 || to.Scheme != "zulip" || to.Host != "login" || b.who() != "" {
		t.Fatalf("%v", a)
	}
	q := to.Query()
	if q.Get("realm") != site || q.Get("email") != "alice@example.com" ||
		q.Get("user_id") != kittest.JSON(s.UserID("alice")) ||
		!regexp.MustCompile(`^[0-9a-f]{64}$`).MatchString(q.Get("otp_encrypted_api_key")) {
		t.Errorf("%v", q)
	}
	key, _ := hex.DecodeString(q.Get("otp_encrypted_api_key"))
	for i := range key {
		key[i] ^= 0x5a
	}
	s.WithKey(q.Get("email"), string(key)).Do("GET /users/me").OK()
	if a := newBrowser(s).login(p, "?desktop_flow_otp="+pad); a.status != 200 ||
		!regexp.MustCompile(`<code class="code">[0-9a-f]{108}</code>`).MatchString(a.body) {
		t.Errorf("%v", a)
	}
	for _, query := range []string{"?mobile_flow_otp=" + pad[1:], "?mobile_flow_otp=" + pad + "&desktop_flow_otp=" + pad} {
		if a := newBrowser(s).login(p, query); a.status != 400 {
			t.Errorf("%s: %v", query, a)
		}
	}
	// The way of browsers that do not send the cookie with forms of other sites.
	b = newBrowser(s)
	b.withhold = true
	answer := p.authorize(b.begin(p, "?mobile_flow_otp="+pad))
	b.finish(answer)
	answer.Set("posted", "1")
	if a := b.do("POST /complete/saml/corp/", answer); !strings.HasPrefix(a.to, "zulip://login?") {
		t.Errorf("%v", a)
	}
}

// TestGroups gives users the groups and roles that follow from those at the provider.
func TestGroups(t *testing.T) {
	p := newIDP(t)
	s := start(t, "", p, "groups_map: {staff: Staff}", "roles_map: {admins: admin}", "allowed_groups: [staff]",
		"name_attributes: [first, last]")
	s.As("olga").Do("POST /user_groups/create", "name", "Staff", "description", "", "members", "[]").OK()
	role := func() int64 {
		return s.As("olga").Do("GET /users/" + kittest.JSON(s.UserID("alice"))).OK().Int("user.role")
	}
	person := []string{"email", "alice@example.com", "first", "Ada", "last", "Lovelace"}
	in := func(groups string) { p.person = slices.Concat(person, []string{"groups", groups}) }
	in("guests")
	if a := newBrowser(s).login(p, ""); a.status != 400 {
		t.Errorf("without a group that is required: %v", a)
	}
	in("staff</saml:AttributeValue><saml:AttributeValue>admins")
	if a := newBrowser(s).login(p, ""); a.status != 302 || role() != 200 || !memberOf(s, "Staff", "alice") {
		t.Fatalf("%v %d", a, role())
	}
	if got := s.As("alice").Do("GET /users/me").OK().Get("full_name"); got != "Ada Lovelace" {
		t.Errorf("the name is %v", got)
	}
	in("staff")
	if a := newBrowser(s).login(p, ""); a.status != 302 || role() != 400 {
		t.Errorf("%v %d", a, role())
	}
}

func memberOf(s *kittest.Server, group, name string) bool {
	s.T.Helper()
	var all struct {
		Groups []struct {
			Name    string  `json:"name"`
			Members []int64 `json:"members"`
		} `json:"user_groups"`
	}
	s.As("olga").Do("GET /user_groups").OK().JSON(&all)
	for _, g := range all.Groups {
		for _, m := range g.Members {
			if g.Name == group && m == int64(s.UserID(name)) {
				return true
			}
		}
	}
	return false
}

// TestSignUp creates accounts, and asks for passwords, by the rules of identities.
func TestSignUp(t *testing.T) {
	p := newIDP(t)
	s := start(t, "", p, "auto_signup: true", "auto_link_verified: false", "allowed_domains: [example.com]")
	if a := newBrowser(s).login(p, ""); a.status != 200 || !strings.Contains(a.body, "Enter its password once") {
		t.Errorf("an account with a password: %v", a)
	}
	p.person, p.name = []string{"email", "new@example.org", "name", "New"}, "new"
	if a := newBrowser(s).login(p, ""); a.status != 400 {
		t.Errorf("another domain: %v", a)
	}
	p.person[1] = "new@example.com"
	if b := newBrowser(s); b.login(p, "").status != 302 || b.who() != "new@example.com" {
		t.Error("no account was created")
	}
	q := newIDP(t)
	s = startWith(t, "", q, "metadata_url: \""+q.URL+"/metadata\"", "auto_signup: true")
	if a := newBrowser(s).login(q, ""); a.status != 400 || !strings.Contains(a.body, "does not confirm your email") {
		t.Errorf("an address that nobody has verified: %v", a)
	}
}

// TestSubjectAttribute identifies people by an attribute, and distinguishes providers with the same names.
func TestSubjectAttribute(t *testing.T) {
	p := newIDP(t)
	s := start(t, "", p, "subject_attribute: number")
	p.person, p.format = append(p.person, "number", "7"), ""
	if b := newBrowser(s); b.login(p, "").status != 302 || b.who() != "alice@example.com" {
		t.Fatal("not logged in")
	}
	p.person, p.name = []string{"email", "bob@example.com", "name", "Bob", "number", "7"}, "other"
	if b := newBrowser(s); b.login(p, "").status != 302 || b.who() != "alice@example.com" {
		t.Error("the attribute does not identify the person")
	}
	for _, number := range []string{"", "7</saml:AttributeValue><saml:AttributeValue>8"} {
		p.person[5] = number
		if a := newBrowser(s).login(p, ""); a.status != 400 {
			t.Errorf("%q: %v", number, a)
		}
	}
}

// TestContexts checks that authentication contexts are asked for, required and trusted as configured.
func TestContexts(t *testing.T) {
	p := newIDP(t)
	const classes = "urn:oasis:names:tc:SAML:2.0:ac:classes:"
	s := start(t, "", p, "authn_contexts: [\""+classes+"Password\", \""+classes+"X509\"]", "force_authn: true")
	b := newBrowser(s)
	r := b.begin(p, "")
	if len(r.Contexts) != 2 || r.Contexts[1] != classes+"X509" || !r.ForceAuthn || r.Policy.Format != persistent {
		t.Errorf("%s", r.doc)
	}
	if a := b.finish(p.authorize(r)); a.status != 400 {
		t.Errorf("another context: %v", a)
	}
	p.change = func(l *login) { l.Context = "X509" }
	if a := newBrowser(s).login(p, ""); a.status != 302 {
		t.Errorf("%v", a)
	}
}

// TestIDPInitiated accepts people who begin at the provider only if that is configured, and never in apps.
func TestIDPInitiated(t *testing.T) {
	p := newIDP(t)
	unsolicited := func(b *browser, state string, change func(*login)) page {
		b.s.T.Helper()
		p.change = func(l *login) {
			l.InResponseTo, l.Destination, l.Audience = "", site+"/complete/saml/corp/", site
			l.Recipient = l.Destination
			if change != nil {
				change(l)
			}
		}
		form := url.Values{"SAMLResponse": {base64.StdEncoding.EncodeToString([]byte(p.respond(request{})))}}
		form.Set("RelayState", state)
		a := b.finish(form)
		if strings.Contains(a.body, `name="posted"`) {
			form.Set("posted", "1")
			a = b.do("POST /complete/saml/corp/", form)
		}
		return a
	}
	s := start(t, "", p)
	if a := unsolicited(newBrowser(s), site, nil); a.status != 400 {
		t.Errorf("not configured: %v", a)
	}
	s = start(t, "", p, "idp_initiated: true")
	b := newBrowser(s)
	if a := unsolicited(b, site+"/", nil); a.status != 302 || a.to != "/" || b.who() != "alice@example.com" {
		t.Fatalf("%v", a)
	}
	for name, change := range map[string]func(*login){
		"an answer to a request": func(l *login) { l.InResponseTo = "id-x" },
		"used before":            func(l *login) { l.AssertionID = "a1" },
	} {
		p.next = 10
		if name == "used before" {
			unsolicited(newBrowser(s), site, change)
		}
		if a := unsolicited(newBrowser(s), site, change); a.status != 400 {
			t.Errorf("%s: %v", name, a)
		}
	}
	for _, state := range []string{"", "/", "https://other.example", site + ".evil.example", site + "/?mobile_flow_otp=" +
		strings.Repeat("00", 32)} {
		if a := unsolicited(newBrowser(s), state, nil); a.status != 400 {
			t.Errorf("RelayState %q: %v", state, a)
		}
	}
	b = newBrowser(s)
	p.change = nil
	if a := b.login(p, ""); a.status != 302 { // logins that begin here still work
		t.Errorf("%v", a)
	}
}

// TestSessionEnds ends the session here when the provider's ends.
func TestSessionEnds(t *testing.T) {
	p := newIDP(t)
	s := start(t, "", p)
	p.change = func(l *login) { l.SessionEnds = l.Now.Add(time.Hour) }
	b := newBrowser(s)
	if b.login(p, ""); b.who() != "alice@example.com" {
		t.Fatal("not logged in")
	}
	s.Clock.Advance(59 * time.Minute)
	if b.who() == "" {
		t.Error("the session ended early")
	}
	s.RunJob("sessions.note_used_sessions")
	s.Clock.Advance(time.Minute)
	if b.who() != "" {
		t.Error("the session lasts longer than the provider's")
	}
	p.change = func(l *login) { l.SessionEnds = l.Now }
	if a := newBrowser(s).login(p, ""); a.status != 400 {
		t.Errorf("a session that has ended: %v", a)
	}
}
