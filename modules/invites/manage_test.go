package invites_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/user"
)

func TestRevoke(t *testing.T) {
	s := start(t)
	s.invite("alice", "a@example.com")                                 // 1
	s.invite("alice", "b@example.com")                                 // 2
	s.invite("olga", "c@example.com", "invite_as", "100")              // 3
	s.invite("bob", "d@example.com")                                   // 4
	s.link("adam")                                                     // 5
	s.link("olga", "invite_as", "100")                                 // 6
	s.invite("olga", "e@example.com", "invite_as", "200")              // 7
	s.link("adam", "invite_expires_in_minutes", "1")                   // 8
	s.invite("bob", "f@example.com", "invite_expires_in_minutes", "1") // 9
	s.Clock.Advance(time.Minute)
	s.Skip()
	const none = "No such invitation"
	for _, c := range []struct{ who, call, msg string }{
		{"bob", "DELETE /invites/1", none},
		{"mona", "DELETE /invites/1", none},
		{"guest", "DELETE /invites/1", "Not allowed for guest users"},
		{"bob", "POST /invites/1/resend", none},
		{"alice", "DELETE /invites/multiuse/1", none},
		{"alice", "DELETE /invites/99", none},
		{"alice", "DELETE /invites/multiuse/99", none},
		{"alice", "POST /invites/99/resend", none},
		{"adam", "DELETE /invites/3", "Must be an organization owner"},
		{"adam", "POST /invites/3/resend", "Must be an organization owner"},
		{"alice", "DELETE /invites/3", none},
		{"adam", "DELETE /invites/5", none},
		{"adam", "POST /invites/5/resend", none},
		{"alice", "DELETE /invites/multiuse/5", none},
		{"adam", "DELETE /invites/multiuse/6", none},
		{"adam", "DELETE /invites/multiuse/8", none},
		{"bob", "DELETE /invites/9", none},
		{"bob", "POST /invites/9/resend", none},
	} {
		s.As(c.who).Do(c.call).Error(400, "BAD_REQUEST", c.msg)
	}
	s.NoEvents()
	for _, c := range []struct{ who, call, event string }{
		{"alice", "DELETE /invites/1", "admins+alice"},
		{"adam", "DELETE /invites/2", "admins+alice"},
		{"olga", "DELETE /invites/3", "admins+olga"},
		{"olga", "DELETE /invites/multiuse/5", "admins+adam"},
		{"olga", "DELETE /invites/multiuse/6", "admins+olga"},
		{"adam", "DELETE /invites/7", "admins+olga"},
	} {
		s.As(c.who).Do(c.call).Is(200, `{"result":"success","msg":""}`)
		s.Events("invites_changed " + c.event + " {}")
	}
	s.As("alice").Do("DELETE /invites/1").Error(400, "BAD_REQUEST", none)
	s.As("alice").Do("POST /invites/1/resend").Error(400, "BAD_REQUEST", none)
	s.As("adam").Do("DELETE /invites/multiuse/5").Error(400, "BAD_REQUEST", "Invitation has already been revoked")
	s.As("alice").Do("DELETE /invites/multiuse/5").Error(400, "BAD_REQUEST", none)
	s.NoEvents()
	if got := s.list("olga"); len(got) != 1 {
		t.Errorf("%v", got)
	}
	s.Clock.Advance(40 * 24 * time.Hour)
	s.RunJob("invites.forget_invites")
	s.As("adam").Do("DELETE /invites/multiuse/5").Error(400, "BAD_REQUEST", none)
}

func TestResend(t *testing.T) {
	s := start(t)
	key := s.invite("alice", "a@example.com")
	s.Skip()
	s.Clock.Advance(9 * 24 * time.Hour)
	before := s.list("alice")
	s.As("alice").Do("POST /invites/1/resend").Is(200, `{"result":"success","msg":""}`)
	s.NoEvents()
	if again := s.key("a@example.com"); again != key {
		t.Error("the first mail's link does not work any more")
	}
	s.As("adam").Do("POST /invites/1/resend").OK()
	if fmt.Sprint(s.list("alice")) != fmt.Sprint(before) {
		t.Errorf("%v, was %v", s.list("alice"), before)
	}
	s.As("alice").Do("DELETE /invites/1").OK()
	if got := s.sent(); len(got) != 0 {
		t.Errorf("the mail of a revoked invitation was sent: %v", got)
	}
}

// When a user's role changes, invitations that they could no longer create are revoked.
func TestRoleChanges(t *testing.T) {
	s := start(t)
	role := func(who string, r user.Role) {
		s.T.Helper()
		s.As("olga").Do(fmt.Sprintf("PATCH /users/%d", s.UserID(who)), "role", fmt.Sprint(int(r))).OK()
	}
	s.link("adam", "invite_as", "200")                    // 1
	s.invite("adam", "a@example.com", "invite_as", "300") // 2
	member := s.invite("adam", "b@example.com")           // 3
	s.link("adam")                                        // 4
	theirs := s.invite("mona", "c@example.com")           // 5
	s.Skip()
	role("adam", user.Owner)
	s.EventsOf("invites_changed")
	role("adam", user.Member)
	s.EventsOf("invites_changed", "invites_changed admins+adam {}")
	if got := s.list("olga"); len(got) != 2 {
		t.Errorf("%v", got)
	}
	s.join(member, "B").OK()
	role("mona", user.Member)
	s.EventsOf("invites_changed", "invites_changed admins+adam {}")
	role("mona", user.Guest)
	s.EventsOf("invites_changed", "invites_changed admins+mona {}")
	s.join(theirs, "C").Error(404, "NOT_FOUND", "This invitation is not valid")
	role("mona", user.Admin)
	s.join(theirs, "C").Error(404, "NOT_FOUND", "This invitation is not valid")
	if got := s.list("olga"); len(got) != 0 {
		t.Errorf("%v", got)
	}
}

func TestDeactivated(t *testing.T) {
	s := start(t)
	mail, link := s.invite("adam", "a@example.com"), s.link("adam")
	other := s.invite("bob", "b@example.com")
	s.As("adam").Do("POST /invites", "invitee_emails", "c@example.com", "stream_ids", "[]").OK()
	s.Skip()
	s.As("olga").Do(fmt.Sprintf("DELETE /users/%d", s.UserID("adam"))).OK()
	s.EventsOf("invites_changed", "invites_changed admins {}")
	if got := s.sent(); len(got) != 0 {
		t.Errorf("a mail in the name of a deactivated user was sent: %v", got)
	}
	s.As("olga").Do(fmt.Sprintf("POST /users/%d/reactivate", s.UserID("adam"))).OK()
	for _, key := range []string{mail, link} {
		s.join(key, "A", "email", "a@example.com").Error(404, "NOT_FOUND", "This invitation is not valid")
	}
	if got := s.list("olga"); len(got) != 1 {
		t.Errorf("%v", got)
	}
	s.join(other, "B").OK()
	s.Skip()
	s.As("olga").Do(fmt.Sprintf("DELETE /users/%d", s.UserID("alice"))).OK() // she has invited nobody, and owns a bot
	s.EventsOf("invites_changed")
}

// Invitation events reach only users who can see the list.
func TestEventReceivers(t *testing.T) {
	s := start(t)
	all := map[string]*kittest.Queue{}
	for _, who := range []string{"alice", "bob", "adam", "olga", "mona", "guest"} {
		all[who] = s.As(who).Register("event_types", `["invites_changed"]`)
	}
	checkReceivers := func(want ...string) {
		t.Helper()
		for who, q := range all {
			got := 0
			for _, e := range q.Next() {
				if e["type"] == "invites_changed" {
					if len(e) != 1 {
						t.Errorf("the event contains more: %v", e)
					}
					got++
				}
			}
			expected := 0
			for _, w := range want {
				if w == who {
					expected = 1
				}
			}
			if got != expected {
				t.Errorf("%s received %d events, want %d", who, got, expected)
			}
		}
	}
	key := s.invite("alice", "a@example.com")
	checkReceivers("alice", "adam", "olga")
	s.join(key, "A").OK()
	checkReceivers("alice", "adam", "olga")
	link := s.link("adam")
	checkReceivers("adam", "olga")
	s.join(link, "", "email", "b@example.com").OK()
	checkReceivers()
	s.join(s.key("b@example.com"), "B").OK() // the list shows how many have joined
	checkReceivers("adam", "olga")
}
