package invites_test

import (
	"fmt"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/ports"
)

func TestSeats(t *testing.T) {
	s := start(t, "seats: 7") // six users and a bot exist
	s.As("alice").Do("POST /invites", "invitee_emails", "a@example.com,b@example.com", "stream_ids", "[]").
		Is(400, failed("This organization has no room for more members.",
			`"license_limit_reached":true,"daily_limit_reached":false`))
	s.NoEvents()
	first, second := s.invite("alice", "a@example.com"), s.invite("alice", "b@example.com")
	s.join(first, "A").OK()
	s.join(second, "B").Error(400, "BAD_REQUEST", "has no room")
	s.As("adam").Do(fmt.Sprintf("DELETE /users/%d", s.UserID("bob"))).OK()
	s.join(second, "B").OK()
}

// Users created by an administrator or reactivated need a seat as well.
func TestSeatsOfOthers(t *testing.T) {
	s := start(t, "seats: 7") // six users and a bot exist
	const none = "This organization has no room for more members."
	create := func(name string) *kittest.Response {
		return s.As("olga").Do("POST /users", "email", name+"@example.com", "full_name", name, "password", password)
	}
	id := create("gil").OK().Int("user_id")
	before := s.people()
	s.Skip()
	create("hal").Error(400, "BAD_REQUEST", none)
	s.NoEvents()
	if got := s.people(); got != before {
		t.Errorf("%d users exist, not %d", got, before)
	}
	s.As("olga").Do(fmt.Sprintf("DELETE /users/%d", id)).OK()
	s.As("olga").Do(fmt.Sprintf("DELETE /users/%d", s.UserID("bot"))).OK()
	create("hal").OK()
	s.Skip()
	s.As("olga").Do(fmt.Sprintf("POST /users/%d/reactivate", id)).Error(400, "BAD_REQUEST", none)
	s.NoEvents()
	if s.As("olga").Do(fmt.Sprintf("GET /users/%d", id)).OK().Get("user.is_active") != false {
		t.Error("gil was reactivated")
	}
	s.As("olga").Do(fmt.Sprintf("POST /users/%d/reactivate", s.UserID("bot"))).OK() // bots need no seat
	for _, by := range []user.Actor{s.Actor("olga"), {Realm: s.Realm, System: true}} {
		_, err := s.Ports.Accounts.Create(t.Context(), by,
			ports.NewUser{Email: "ida@example.com", FullName: "Ida", Role: user.Guest})
		if by.System != (err == nil) || err != nil && err.Error() != none {
			t.Errorf("created by %v: %v", by, err)
		}
		if _, err := s.Ports.Accounts.Create(t.Context(), by, ports.NewUser{
			Email: fmt.Sprintf("of%v-bot@example.com", by.User), FullName: fmt.Sprint("Bot of ", by.User), Role: user.Member,
			BotType: user.GenericBot, BotOwner: s.UserID("olga"),
		}); err != nil {
			t.Errorf("a bot, by %v: %v", by, err)
		}
	}
}
