package kittest_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/groups"
	"github.com/stoachat/stoa/modules/kit"
	realms "github.com/stoachat/stoa/modules/realm"
)

// A test behaves the same whether its users were created for it or copied, and is not affected by other tests' changes.
func TestCopiesBehaveAlike(t *testing.T) {
	var all []string
	for i := range 4 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			s := kittest.Start(t, realms.Module, accounts.Module, groups.Module, channels.Module)
			s.NoEvents()
			all = append(all, facts(s))
			s.As("olga").Do("PATCH /realm", "name", "Skeptics").OK()
			s.As("alice").Do("PATCH /settings", "full_name", "Alicia").OK()
			s.Restart()
			if facts(s) == all[i] {
				t.Error("nothing has changed")
			}
			s.As("alice").Do("GET /users/me").OK()
		})
	}
	if len(slices.Compact(all)) != 1 {
		t.Errorf("worlds differ: %q", all)
	}
}

func facts(s *kittest.Server) string {
	s.T.Helper()
	v, err := s.Ports.Directory.View(s.T.Context(), s.Realm)
	if err != nil {
		s.T.Fatal(err)
	}
	out := v.Realm().Settings.Name
	for _, name := range []string{"alice", "bob", "olga", "adam", "mona", "guest", "bot"} {
		u := v.User(s.UserID(name))
		out += fmt.Sprintf(" %d %s %v %v", u.ID, u.FullName, u.Role, v.Subscriptions(u.ID))
	}
	return out + fmt.Sprint(" ", s.ChannelID("general"), s.ChannelID("secret"))
}

// With a ticking clock, all users were created before the current time, and no two readings are equal.
func TestTickingClock(t *testing.T) {
	for range 3 {
		s := kittest.StartWith(t, kittest.Options{Clock: kittest.NewTickingClock()}, realms.Module, accounts.Module)
		first := s.Clock.Now()
		if !s.Clock.Now().After(first) {
			t.Error("the clock does not advance")
		}
		v, err := s.Ports.Directory.View(t.Context(), s.Realm)
		if err != nil {
			t.Fatal(err)
		}
		for u := range v.Users() {
			if u.Joined.After(first) {
				t.Errorf("%s joined at %v, and now it is %v", u.FullName, u.Joined, first)
			}
		}
	}
}

// A module defined by a test runs its hooks when the realm is created.
func TestTestModuleHooksRun(t *testing.T) {
	for range 3 {
		hookRuns := 0
		s := kittest.Start(t, realms.Module, accounts.Module,
			kit.Define("hears", "Hears.", kit.None{}, func(kit.None, struct{ fx.In }) (kit.Parts, error) {
				return kit.Parts{Hooks: []kit.Hook{kit.On(func(context.Context, *realm.OwnerCreated) error {
						hookRuns++
						return nil
					})}},
					nil
			}))
		if hookRuns != 1 {
			t.Errorf("heard %d times", hookRuns)
		}
		s.NoEvents()
	}
}
