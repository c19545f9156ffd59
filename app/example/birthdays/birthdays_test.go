package birthdays_test

import (
	"testing"

	"example.com/party/birthdays"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/user"
)

func TestModule(t *testing.T) { kittest.Check(t, birthdays.Module) }

func TestSet(t *testing.T) {
	s := kittest.Start(t, birthdays.Module)
	s.As("alice").Do("POST /birthdays", "day", "1990-02-28").Is(200, `{"result":"success","msg":""}`)
	s.Events(`birthdays/set everyone {"user_id":1,"day":"1990-02-28"}`)

	s.As("bob").Do("GET /birthdays").Is(200,
		`{"result":"success","msg":"","birthdays":[{"user_id":1,"day":"1990-02-28"}]}`)
	s.As("alice").Do("POST /birthdays", "day", "1991-03-01").OK()
	s.Restart()
	s.As("bob").Do("GET /birthdays").Is(200,
		`{"result":"success","msg":"","birthdays":[{"user_id":1,"day":"1991-03-01"}]}`)
}

func TestRefusals(t *testing.T) {
	s := kittest.Start(t, birthdays.Module)
	for _, c := range []struct{ who, call, day, code, msg string }{
		{"alice", "POST /birthdays", "2030-01-01", "BAD_REQUEST", "day must be a past date"},
		{"alice", "POST /birthdays", "yesterday", "BAD_REQUEST", "day must be a past date"},
		{"bot", "POST /birthdays", "1990-02-28", "BAD_REQUEST", "does not accept bot requests"},
		{"guest", "GET /birthdays", "", "BAD_REQUEST", "Not allowed for guest users"},
	} {
		t.Run(c.who+" "+c.day, func(t *testing.T) {
			s := s.In(t)
			s.As(c.who).Do(c.call, "day", c.day).Error(400, c.code, c.msg)
			s.NoEvents()
		})
	}
}

func TestForget(t *testing.T) {
	s := kittest.Start(t, birthdays.Module)
	s.As("alice").Do("POST /birthdays", "day", "1990-02-28").OK()
	if err := s.Run(&user.Deactivated{Realm: s.Realm, User: s.UserID("alice")}); err != nil {
		t.Fatal(err)
	}
	s.As("bob").Do("GET /birthdays").Is(200, `{"result":"success","msg":"","birthdays":[]}`)
}
