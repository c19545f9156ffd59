package accounts_test

import (
	"fmt"
	"testing"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/bots"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// party is a module with bots of its own.
var party = kit.Define("party", "Has bots.", kit.None{}, func(kit.None, struct{ fx.In }) (kit.Parts, error) {
	return kit.Parts{Bots: []string{"party", "guest-*"}}, nil
})

// TestOwnBot checks that a module's bot is created once, and that administrators manage it.
func TestOwnBot(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := startOn(t, url, party)
		s.Skip()
		one, err := s.Ports.Accounts.Bot(t.Context(), s.Realm, "party", "Party")
		if err != nil {
			t.Fatal(err)
		}
		s.Events(fmt.Sprintf(`realm_user/add seeing:%[1]d {"user_id":%[1]d}`, one.User))
		again, err := s.Ports.Accounts.Bot(t.Context(), s.Realm, "party", "Party")
		if err != nil || again != one {
			t.Errorf("%v, %v, not %v", again, err, one)
		}
		s.NoEvents()
		found := s.As("alice").Do(fmt.Sprintf("GET /users/%d", one.User)).OK()
		if found.String("user.email") != "party-bot@stoa.invalid" || found.Get("user.bot_owner_id") != nil {
			t.Errorf("%s", kittest.JSON(found.Get("user")))
		}
		s.As("olga").Do(fmt.Sprintf("DELETE /users/%d", one.User)).OK()
		if _, err := s.Ports.Accounts.Bot(t.Context(), s.Realm, "party", "Party"); err == nil {
			t.Error("a deactivated bot acts")
		}
	})
}

// TestOwnBotReserved checks that users cannot take the address of a module's bot, and that a name that is taken does
// not prevent the bot.
func TestOwnBotReserved(t *testing.T) {
	s := startOn(t, "", party, bots.Module)
	for _, short := range []string{"party", "Party", "guest-1"} {
		s.As("bob").Do("POST /bots", "short_name", short, "full_name", "Party").Error(400, "BAD_REQUEST", "already in use")
	}
	own := s.As("bob").Do("POST /bots", "short_name", "mine", "full_name", "Party").OK()
	s.As("bob").Do(fmt.Sprintf("PATCH /bots/%d", own.Int("user_id")), "short_name", "guest-2").
		Error(400, "BAD_REQUEST", "already in use")
	if _, err := s.Ports.Accounts.Create(t.Context(), user.Actor{Realm: s.Realm, System: true},
		ports.NewUser{Email: "party-bot@stoa.invalid", FullName: "P", Role: user.Member}); err == nil {
		t.Error("a person has the address of a module's bot")
	}
	a, err := s.Ports.Accounts.Bot(t.Context(), s.Realm, "party", "Party")
	if err != nil {
		t.Fatal(err)
	}
	if got := s.As("bob").Do(fmt.Sprintf("GET /users/%d", a.User)).String("user.full_name"); got != "Party (party-bot)" {
		t.Errorf("the module's bot has the name %s", got)
	}
	if _, err := s.Ports.Accounts.Bot(t.Context(), s.Realm, "other", "Other"); err == nil {
		t.Error("a bot that no module declares was created")
	}
}
