package conformance_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stoachat/stoa/adapters/mail/mailtest"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/app/proof/internal/harness"
	"github.com/stoachat/stoa/domain/secondfactor"
	"github.com/stoachat/stoa/domain/session"
	"github.com/stoachat/stoa/domain/signin"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/ports"
)

// What identifies the person whose data is erased, and what the person has said in messages.
const (
	trace  = "quuxworth"
	spoken = "xylofoon"
)

// person is somebody whose data is in every feature.
type person struct {
	*kittest.Client
	s       *kittest.Server
	c       *counting
	id, bot user.ID
	avatar  string
	queue   string
}

const personEmail = trace + "@example.com"

// erasable starts a server with a person who has used everything.
func erasable(t *testing.T, url string) *person {
	t.Helper()
	c := &counting{}
	s := start(t, kittest.Options{
		DatabaseURL: url,
		Config: `modules: {accounts: {change_emails: true, password_memory_kib: 64, password_passes: 1}, ` +
			`channels: {email_gateway_pattern: "%s@mail.example.com"}}`,
	}, append(harness.AllModules(), mottoes, c.module())...)
	s.Ports.Mailer.(*mailtest.Quiet).On.Store(true)
	p := &person{s: s, c: c}
	p.join()
	p.speak()
	p.use()
	p.runJobs()
	return p
}

// join creates the account: the person was invited, and the inviter's entry in the audit log has the address.
func (p *person) join() {
	s := p.s
	s.As("olga").Do("POST /invites", "invitee_emails", personEmail, "stream_ids", "[]").OK()
	by := user.Actor{Realm: s.Realm, System: true}
	var err error
	p.id, err = s.Ports.Accounts.Create(s.T.Context(), by, ports.NewUser{
		Email: personEmail, FullName: "Zoe Quuxworth", Role: user.Member, Password: kittest.Password,
	})
	if err != nil {
		s.T.Fatal(err)
	}
	key, err := s.Ports.Accounts.IssueKey(s.T.Context(), by, p.id)
	if err != nil {
		s.T.Fatal(err)
	}
	p.Client = s.WithKey(personEmail, key).Agent("Chat/1.0 (Quuxworth)")
	s.As("olga").Do("PATCH /users/"+fmt.Sprint(p.id), "full_name", "Zoe L. Quuxworth").OK()
}

func (p *person) say(content string) string {
	p.s.T.Helper()
	return id(p.Do("POST /messages", "type", "channel", "to", `"general"`, "topic", "greetings", "content", content).OK())
}

// speak sends, edits and deletes messages, and lets others mention the person.
func (p *person) speak() {
	s := p.s
	p.Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"general"}]`).OK()
	first := p.say(spoken)
	p.Do("PATCH /messages/"+first, "content", "second "+spoken).OK()
	p.Do("POST /messages/flags", "messages", "["+first+"]", "op", "add", "flag", "starred").OK()
	p.Do("POST /messages/flags", "messages", "["+first+"]", "op", "remove", "flag", "read").OK()
	p.say("/poll " + spoken + "\n" + spoken)
	p.Do("POST /messages/"+first+"/reactions", "emoji_name", "tada").OK()
	p.Do("POST /messages", "type", "direct", "to", `["alice@example.com"]`, "content", spoken).OK()
	gone := p.say(trace) // in the archive, from which it goes in any case
	s.As("olga").Do("DELETE /messages/" + gone).OK()
	alice := s.As("alice")
	alice.Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"general"}]`).OK()
	for i, text := range []string{
		"@**Zoe L. Quuxworth** hello", "@_**Zoe L. Quuxworth|%d** said", "```quote\n@**Zoe L. Quuxworth|%d**\n```",
		"@**|%d**",
	} {
		if strings.Contains(text, "%d") {
			text = fmt.Sprintf(text, p.id)
		}
		m := id(alice.Do("POST /messages", "type", "channel", "to", `"general"`, "topic", "greetings", "content", text).OK())
		switch i {
		case 1:
			alice.Do("PATCH /messages/"+m, "content", "changed").OK() // the name remains in the former text
		case 2:
			s.As("olga").Do("DELETE /messages/" + m).OK() // in the archive
		}
	}
	poll := id(alice.Do("POST /messages", "type", "channel", "to", `"general"`, "topic", "greetings", "content",
		"/poll Where?\nHere").OK())
	p.Do("POST /submessage", "message_id", poll, "msg_type", "widget", "content",
		`{"type":"new_option","idx":7,"option":"`+spoken+`"}`).OK()
}

// use fills the other features.
func (p *person) use() {
	s, t := p.s, p.s.T
	field := kittest.JSON(s.As("olga").Do("POST /realm/profile_fields", "field_type", "1", "name", "Hobby").OK().Get("id"))
	general := kittest.JSON(p.Do("GET /get_stream_id", "stream", "general").OK().Get("stream_id"))
	p.queue = p.Do("POST /register").OK().String("queue_id")
	for _, call := range [][]string{
		{"POST /user_topics", "stream_id", general, "topic", trace, "visibility_policy", "3"},
		{"POST /users/me/muted_users/" + fmt.Sprint(s.UserID("bob"))},
		{"POST /users/me/alert_words", "alert_words", `["` + trace + `"]`},
		{"PATCH /stoa/settings/user", "settings", `{"own_motto":"` + trace + `"}`},
		{"POST /users/me/presence", "status", "active"},
		{"POST /users/me/status", "status_text", trace},
		{"PATCH /settings", "enter_sends", "true", "timezone", "Pacific/Tongatapu"},
		{"PATCH /settings", "email", trace + "@example.org"},
		{"GET /streams/" + general + "/email_address"},
		{"PATCH /users/me/profile_data", "data", `[{"id":` + field + `,"value":"` + trace + `"}]`},
		{"POST /users/me/onboarding_steps", "onboarding_step", "intro_resolve_topic"},
		{"POST /saved_snippets", "title", trace, "content", trace},
		{"PATCH /users/me/do_not_disturb", "schedule", `{"days":[1],"from":"09:00","to":"18:00"}`},
		{"POST /drafts", "drafts", `[{"type":"","to":[],"topic":"","content":"` + trace + `"}]`},
		{"POST /navigation_views", "fragment", "narrow/search/" + trace, "is_pinned", "true", "name", trace},
		{"POST /scheduled_messages", "type", "channel", "to", general, "topic", "x", "content", trace,
			"scheduled_delivery_timestamp", "4000000000"},
		{"POST /register_client_device"},
		{"POST /users/me/android_gcm_reg_id", "token", trace},
	} {
		p.Do(call[0], call[1:]...).OK()
	}
	harness.InstallGuest(s, s.Realm, `{"abi":1,"name":"notes","title":"Notes","version":"1","permissions":["storage"],
		"routes":[{"method":"POST","path":"/note","access":"users"}]}`,
		fmt.Sprintf(`{"act":"set_value","args":{"user":%d,"key":"note","value":"%s"}}`, p.id, trace))
	p.Do("POST /modules/notes/note").OK()
	p.avatar = p.Upload("POST /users/me/avatar", "a.png", kittest.PNG(4, 4)).OK().String("avatar_url")
	file := p.Upload("POST /user_uploads", spoken+".txt", []byte(spoken)).OK().String("url")
	p.say("[" + spoken + "](" + file + ")")
	p.Upload("POST /user_uploads", trace+".txt", []byte(trace)).OK() // in no message
	tus := p.Request("POST /tus/", nil)
	tus.Header.Set("Tus-Resumable", "1.0.0")
	tus.Header.Set("Upload-Length", "100")
	tus.Header.Set("Upload-Metadata", "filename "+base64.StdEncoding.EncodeToString([]byte(trace)))
	if a := p.RoundTrip(tus); a.Status != 201 {
		t.Fatalf("resumable upload: %d %s", a.Status, a.Body)
	}
	bot := p.Do("POST /bots", "full_name", "Quuxworth's bot", "short_name", trace, "bot_type", "3", "service_name", trace,
		"payload_url", `"https://`+trace+`.example.com/"`, "default_sending_stream", `general`).OK()
	p.bot = user.ID(bot.Int("user_id"))
	b := s.WithKey(p.Do("GET /users/"+fmt.Sprint(p.bot)).OK().String("user.email"), bot.String("api_key"))
	b.Do("PUT /bot_storage", "storage", `{"`+trace+`":"`+trace+`"}`).OK()
	p.Do("POST /messages", "type", "direct", "to", fmt.Sprintf("[%d]", p.bot), "content", spoken).OK() // calls the service
	s.As("alice").Do("POST /messages", "type", "direct", "to", `["`+personEmail+`"]`, "content", "hello").OK()
	r := httptest.NewRequestWithContext(t.Context(), "GET", s.URL+"/complete/oidc/corp/", nil)
	corp := signin.Provider{ID: "oidc:corp", Name: "Corp", Link: true}
	who := signin.Identity{Subject: trace, Email: personEmail, Verified: true, Session: trace}
	s.Ports.Identities.Finish(httptest.NewRecorder(), r, corp, signin.Started{Intent: signin.LogIn}, who)
	if n := len(p.Do("GET /stoa/identities").OK().Get("identities").([]any)); n != 1 {
		t.Errorf("%d identities", n)
	}
	begun, err := s.Ports.Sessions.Begin(t.Context(), user.Actor{
		Realm: s.Realm, From: "203.0.113.9", Agent: trace,
	}, p.id)
	if err != nil {
		t.Fatal(err)
	}
	p.protect(begun)
	s.Anonymous().Under("").Do("POST /accounts/password/reset/", "email", personEmail)
	s.Anonymous().Agent(trace+"/1.0").Do("POST /fetch_api_key", "username", personEmail, "password", "wrong").
		Error(401, "AUTHENTICATION_FAILED", "Your username or password is incorrect")
	s.As("olga").Do("POST /export/realm", "export_type", "full_with_consent").OK()
}

// protect sets up a second factor in the person's browser, and begins a login with it.
func (p *person) protect(in session.Begun) {
	s := p.s
	post := func(path string, form url.Values) (out struct{ Secret string }) {
		req, err := http.NewRequestWithContext(s.T.Context(), "POST", s.URL+path, strings.NewReader(form.Encode()))
		if err != nil {
			s.T.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("X-CSRFToken", in.CSRF)
		req.AddCookie(&http.Cookie{Name: session.CookieName(false), Value: in.Cookie})
		res, err := s.Client.Do(req)
		if err != nil || res.StatusCode != http.StatusOK {
			s.T.Fatalf("%s: %v %v", path, res, err)
		}
		defer func() { _ = res.Body.Close() }()
		if err := json.NewDecoder(res.Body).Decode(&out); err != nil {
			s.T.Fatal(err)
		}
		return out
	}
	app := post("/json/stoa/second_factor/app", nil)
	code, err := secondfactor.Code(app.Secret, secondfactor.Step(s.Clock.Now()))
	if err != nil {
		s.T.Fatal(err)
	}
	post("/json/stoa/second_factor/app/confirm", url.Values{"code": {code}})
	out, err := s.Ports.SignIns.Finish(s.T.Context(), user.Actor{Realm: s.Realm}, p.id, signin.Flow{Next: "/" + trace})
	if err != nil || out.Second == nil {
		s.T.Fatalf("%+v %v", out, err)
	}
}

func (p *person) runJobs() {
	p.s.RunJob("exports.write")
	p.s.RunJob("messages.search")
}
