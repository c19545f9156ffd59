package sessions_test

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/session"
	"github.com/stoachat/stoa/ports"
)

// TestSessionsEnd checks which actions end which sessions, on all nodes.
func TestSessionsEnd(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, database string) {
		for _, c := range []struct {
			name                   string
			act                    func(s *kittest.Server, acting *browser)
			acting, other, foreign bool // sessions that continue
		}{
			{"a new password", func(s *kittest.Server, b *browser) {
				form := url.Values{"old_password": {kittest.Password}, "new_password": {"another horse battery"}}
				if a := b.act("PATCH /json/settings", form); a.status != 200 {
					s.T.Fatalf("%d %s", a.status, a.body)
				}
			}, true, false, true},
			{"a new password by key", func(s *kittest.Server, _ *browser) {
				s.As("alice").Do("PATCH /settings", "old_password", kittest.Password, "new_password", "another horse battery").OK()
			}, false, false, true},
			{"a forgotten password", func(s *kittest.Server, _ *browser) {
				hash, err := s.Ports.Passwords.Hash(s.T.Context(), "another horse battery", "alice@example.com")
				if err != nil {
					s.T.Fatal(err)
				}
				s.Do(func(ctx context.Context) error {
					return s.Ports.Credentials.ResetPassword(ctx, s.Actor("alice"), s.UserID("alice"), hash)
				})
			}, false, false, true},
			{"a new key", func(s *kittest.Server, _ *browser) {
				s.As("alice").Do("POST /users/me/api_key/regenerate").OK()
			}, true, true, true},
			{"another name", func(s *kittest.Server, _ *browser) {
				s.As("alice").Do("PATCH /settings", "full_name", "A").OK()
			}, true, true, true},
			{"deactivation", func(s *kittest.Server, _ *browser) {
				id := fmt.Sprint(s.UserID("alice"))
				s.As("olga").Do("DELETE /users/" + id).OK()
				s.As("olga").Do("POST /users/" + id + "/reactivate").OK()
			}, false, false, true},
			{"the end of the profile", func(s *kittest.Server, _ *browser) {
				s.As("olga").Do("DELETE /users/"+fmt.Sprint(s.UserID("alice")), "actions", `{"delete_profile":true}`).OK()
			}, false, false, true},
			{"the end of the organization", func(s *kittest.Server, _ *browser) {
				for _, err := range []error{
					s.Ports.States.Deactivate(s.T.Context(), s.Realm, nil), s.Ports.States.Reactivate(s.T.Context(), s.Realm),
				} {
					if err != nil {
						s.T.Fatal(err)
					}
				}
				if b := login(s, "alice"); !b.loggedIn() {
					s.T.Error("logins fail")
				}
			}, false, false, false},
			{"all others", func(s *kittest.Server, b *browser) {
				if a := b.act("DELETE /json/sessions", nil); a.status != 200 {
					s.T.Fatalf("%d %s", a.status, a.body)
				}
			}, true, false, true},
			{"all, by key", func(s *kittest.Server, _ *browser) {
				s.As("alice").Do("DELETE /sessions").OK()
			}, false, false, true},
		} {
			t.Run(c.name, func(t *testing.T) {
				s := start(t, database, "")
				acting, other, foreign := login(s, "alice"), login(s, "alice"), login(s, "bob")
				nodes := []*kittest.Server{s}
				if database != kittest.Memory {
					nodes = append(nodes, s.Another())
				}
				for _, n := range nodes { // every node has cached the sessions
					if !(&browser{n, acting.cookie}).loggedIn() {
						t.Fatal("not logged in")
					}
				}
				c.act(s, acting)
				s.Clock.Advance(2 * time.Second) // more than the delay of the other node
				for i, n := range nodes {
					for name, x := range map[string]struct {
						b    *browser
						want bool
					}{"acting": {acting, c.acting}, "other": {other, c.other}, "alien": {foreign, c.foreign}} {
						if got := (&browser{n, x.b.cookie}).loggedIn(); got != x.want {
							t.Errorf("node %d: %s: %v, want %v", i, name, got, x.want)
						}
					}
				}
				if s.Restart(); (&browser{s, other.cookie}).loggedIn() != c.other {
					t.Error("the result differs after a restart")
				}
			})
		}
	})
}

// When a session ends, its held polls end too, and requests authenticated earlier change nothing.
func TestEndOfRunningRequests(t *testing.T) {
	s := start(t, "", "")
	b, other := login(s, "alice"), login(s, "alice")
	register := func(b *browser) string {
		a := b.act("POST /json/register", url.Values{"event_types": {`["message"]`}})
		_, id, _ := strings.Cut(a.body, `"queue_id":"`)
		id, _, ok := strings.Cut(id, `"`)
		if !ok {
			t.Fatalf("%d %s", a.status, a.body)
		}
		return id
	}
	done, going := make(chan answer, 1), make(chan answer, 1)
	poll := func(b browser, queue string, to chan answer) {
		go func() { to <- b.do("GET /json/events?queue_id="+url.QueryEscape(queue)+"&last_event_id=-1", nil) }()
	}
	poll(*b, register(b), done)
	poll(*other, register(other), going)
	ended, err := s.Ports.Sessions.Session(t.Context(), s.Realm, b.cookie)
	if err != nil || ended.User != s.UserID("alice") {
		t.Fatal(ended, err)
	}
	if a := other.act("DELETE /json/sessions/"+fmt.Sprint(ended.Session), nil); a.status != 200 {
		t.Fatalf("%d %s", a.status, a.body)
	}
	if a := <-done; a.status != 401 || !strings.Contains(a.body, "UNAUTHORIZED") {
		t.Errorf("%d %s", a.status, a.body)
	}
	if err := s.Ports.Work.Do(ports.WithCaller(t.Context(), ended), func(ctx context.Context) error {
		_, err := s.Ports.Directory.View(ctx, s.Realm)
		return err
	}); err == nil {
		t.Error("an ended session changed something")
	}
	form := url.Values{"old_password": {kittest.Password}, "new_password": {"another horse battery"}}
	calls := map[string]url.Values{"POST /json/users/me/api_key/regenerate": nil, "PATCH /json/settings": form}
	for call, form := range calls {
		if a := other.act(call, form); a.status != 200 { // leaves this session alone
			t.Fatalf("%s: %d %s", call, a.status, a.body)
		}
	}
	s.As("bob").Do("POST /messages", "type", "channel", "to", `"general"`, "topic", "t", "content", "hello").OK()
	if a := <-going; a.status != 200 || !strings.Contains(a.body, "hello") {
		t.Errorf("%d %s", a.status, a.body)
	}
}

func TestOwnSessions(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, database string) {
		s := start(t, database, "max_per_person: 2")
		first, foreign := login(s, "alice"), login(s, "bob")
		s.Clock.Advance(10 * time.Minute)
		second := login(s, "alice")
		first.loggedIn()
		s.RunJob("sessions.note_used_sessions")
		s.Clock.Advance(10 * time.Minute)
		list := func(b *browser) string {
			a := b.do("GET /json/sessions", nil)
			return strings.TrimSuffix(strings.TrimPrefix(a.body, `{"result":"success","msg":"","sessions":`), "}")
		}
		id := func(b *browser) session.ID { id, _, _ := session.Parse(b.cookie); return id }
		line := func(b *browser, created, used int, current bool) string {
			at := func(minutes int) int64 { return kittest.Epoch().Add(time.Duration(minutes) * time.Minute).Unix() }
			return fmt.Sprintf(
				`{"id":%d,"created_at":%d,"last_used_at":%d,"expires_at":%d,"client":"Mozilla/5.0 (X11) Browser/1.0","current":%v}`,
				id(b),
				at(created),
				at(used),
				at(created+14*24*60),
				current,
			)
		}
		if got, want := list(second), "["+line(first, 0, 10, false)+","+line(second, 10, 20, true)+"]"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
		s.As("alice").Do("DELETE /sessions/"+fmt.Sprint(id(foreign))).Error(400, "BAD_REQUEST", "No such session")
		s.As("alice").Do("DELETE /sessions/987654").Error(400, "BAD_REQUEST", "No such session")
		s.As("bot").Do("GET /sessions").Error(400, "BAD_REQUEST", "does not accept bot requests")
		third := login(s, "alice")
		if first.loggedIn() || !second.loggedIn() || !third.loggedIn() || !foreign.loggedIn() {
			t.Error("the oldest session was not the one ended")
		}
		s.Skip()
		s.Clock.Advance(14*24*time.Hour - 10*time.Minute)
		s.RunJob("sessions.forget_sessions")
		s.Events(`session/changed nobody {}`)
		if got := list(third); strings.Count(got, "created_at") != 1 {
			t.Errorf("%s", got)
		}
		s.RunJob("sessions.forget_sessions")
		s.NoEvents()
	})
}

// Stored data is not sufficient to impersonate a user.
func TestWhatIsStored(t *testing.T) {
	s := start(t, "", "")
	b := login(s, "alice")
	_, secret, _ := session.Parse(b.cookie)
	for _, e := range s.Log() {
		if text := fmt.Sprintf("%+v %s", e, kittest.JSON(e.Changes)); strings.Contains(text, secret) ||
			strings.Contains(text, session.CSRF(b.cookie)) {
			t.Errorf("the log contains %s", text)
		}
	}
	v, err := s.Ports.Directory.View(t.Context(), s.Realm)
	if err != nil {
		t.Fatal(err)
	}
	id, _, _ := session.Parse(b.cookie)
	stolen := v.Session(id).Hash
	s.WithKey("alice@example.com", stolen).Do("GET /users/me").Error(401, "UNAUTHORIZED", "")
	s.WithKey("alice@example.com", secret).Do("GET /users/me").Error(401, "UNAUTHORIZED", "")
	if (&browser{s, session.Cookie(id, stolen)}).loggedIn() {
		t.Error("the stored hash was accepted as a session")
	}
}
