package accounts_test

import (
	"fmt"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
)

// TestOwnBot checks that a module's bot is created once, and that administrators manage it.
func TestOwnBot(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := startOn(t, url)
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
