package birthdays_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"example.com/party/birthdays"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/messages"
	"github.com/stoachat/stoa/modules/realm"
	"go.uber.org/fx"
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

// TestSetters checks who is allowed to enter a birthday, before and after a restart.
func TestSetters(t *testing.T) {
	s := kittest.Start(t, birthdays.Module)
	s.As("olga").Do("PATCH /stoa/settings/realm",
		"settings", kittest.JSON(map[string]any{"can_set_birthday_group": map[string]any{"new": group.Moderators}})).OK()
	for range 2 {
		s.As("alice").Do("POST /birthdays", "day", "1990-02-28").Error(400, "PERMISSION_DENIED", "Insufficient")
		s.As("mona").Do("POST /birthdays", "day", "1990-02-28").OK()
		s.Restart()
	}
}

// TestHidden checks that only the user sees a birthday that the user hides.
func TestHidden(t *testing.T) {
	s := kittest.Start(t, birthdays.Module)
	s.As("alice").Do("POST /birthdays", "day", "1990-02-28").OK()
	s.As("alice").Do("PATCH /stoa/settings/user", "settings", `{"show_birthday":false}`).OK()
	s.As("bob").Do("GET /birthdays").Is(200, `{"result":"success","msg":"","birthdays":[]}`)
	s.As("alice").Do("GET /birthdays").Is(200,
		`{"result":"success","msg":"","birthdays":[{"user_id":1,"day":"1990-02-28"}]}`)
}

// TestCelebrate checks that a message is posted to channels that celebrate.
func TestCelebrate(t *testing.T) {
	s := kittest.Start(t, birthdays.Module, realm.Module, accounts.Module, channels.Module, messages.Module)
	today := s.Clock.Now().AddDate(-30, 0, 0).Format(time.DateOnly)
	s.As("alice").Do("POST /birthdays", "day", today).OK()
	s.As("olga").Do(fmt.Sprintf("PATCH /stoa/settings/channels/%d", s.ChannelID("general")),
		"settings", `{"celebrates_birthdays":true}`).OK()
	s.RunJob("birthdays.today")
	got := s.As("bob").Do("GET /messages", "anchor", "newest", "num_before", "9", "num_after", "0",
		"apply_markdown", "false").OK()
	if n := len(got.Get("messages").([]any)); n != 1 || got.String("messages.0.content") != "Happy birthday, Alice!" {
		t.Errorf("%d messages: %s", n, got.Body)
	}
}

// TestSlash checks a command that answers, and one that sends a message.
func TestSlash(t *testing.T) {
	s := kittest.Start(t, birthdays.Module, realm.Module, accounts.Module, channels.Module, messages.Module)
	run := func(command string) *kittest.Response {
		return s.As("alice").Do("POST /stoa/slash", "command", command, "type", "channel",
			"to", fmt.Sprint(s.ChannelID("general")), "topic", "party")
	}
	run("/birthday soon").Error(400, "BAD_REQUEST", "day must be a past date")
	run("/birthday 1990-02-28").Is(200,
		`{"result":"success","msg":"","content":"<p>Your birthday is <strong>1990-02-28</strong>.</p>"}`)
	run("/cake for Bob").Is(200, `{"result":"success","msg":"","content":""}`)
	got := s.As("bob").Do("GET /messages", "anchor", "newest", "num_before", "1", "num_after", "0",
		"apply_markdown", "false").OK()
	if got.String("messages.0.content") != ":cake: for Bob" || got.String("messages.0.subject") != "party" {
		t.Errorf("sent %s", got.Body)
	}
}

// TestForget checks that deactivating a user deletes the birthday, both the row and the shared fact.
func TestForget(t *testing.T) {
	s := kittest.Start(t, birthdays.Module)
	s.As("alice").Do("POST /birthdays", "day", "1990-02-28").OK()
	s.Skip()
	if err := s.Run(&user.Deactivated{Realm: s.Realm, User: s.UserID("alice")}); err != nil {
		t.Fatal(err)
	}
	s.Events(`birthdays/remove everyone {"user_id":1}`)
	s.As("bob").Do("GET /birthdays").Is(200, `{"result":"success","msg":"","birthdays":[]}`)
	s.Restart()
	s.As("bob").Do("GET /birthdays").Is(200, `{"result":"success","msg":"","birthdays":[]}`)
}

// present answers the module's query, in place of the module presence.
var present = kit.Define("present", "Says that alice is active.", kit.None{},
	func(kit.None, struct{ fx.In }) (kit.Parts, error) {
		return kit.Parts{Answers: []kit.Answer{kit.Answers(func(context.Context, user.RecentlyActive) (user.Set, error) {
			return user.Set{1}, nil
		})}}, nil
	})

func TestToday(t *testing.T) {
	for name, c := range map[string]struct {
		modules []kit.Module
		active  string
	}{
		"without a presence module": {[]kit.Module{birthdays.Module}, "false"},
		"alice is active":           {[]kit.Module{birthdays.Module, present}, "true"},
	} {
		t.Run(name, func(t *testing.T) {
			s := kittest.Start(t, c.modules...)
			today := s.Clock.Now().AddDate(-30, 0, 0).Format(time.DateOnly)
			s.As("alice").Do("POST /birthdays", "day", today).OK()
			s.As("bob").Do("POST /birthdays", "day", "1990-02-28").OK()
			s.As("bob").Do("GET /birthdays/today").Is(200,
				`{"result":"success","msg":"","birthdays":[{"user_id":1,"day":"`+today+`","recently_active":`+c.active+`}]}`)
			s.Skip()
			s.RunJob("birthdays.today")
			s.Events(`birthdays/today everyone {"user_ids":[1]}`)
			s.As("alice").Under("").Do("GET /party/"+today[len("2006-"):]).Is(200, `{"celebrating":1}`)
			s.Anonymous().Under("").Do("GET /party/02-28").Error(401, "UNAUTHORIZED", "Not logged in")
		})
	}
}
