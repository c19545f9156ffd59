package channels_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/presence"
	"github.com/stoachat/stoa/modules/realm"
)

// Clients that request partial subscribers receive all subscribers of small channels. For large channels they receive
// bots and users active in the last 14 days.
func TestPartialSubscribers(t *testing.T) {
	const config = "modules: {channels: {complete_subscribers_below: 4}}" // general has five, secret two
	start := func(more ...kit.Module) *kittest.Server {
		return kittest.StartWith(t, kittest.Options{Config: config},
			append([]kit.Module{realm.Module, accounts.Module, channels.Module, events.Module}, more...)...)
	}
	s := start(presence.Module)
	there := func(who, status string) {
		t.Helper()
		s.As(who).Do("POST /users/me/presence", "status", status, "ping_only", "true").OK()
	}
	want := func(general string) {
		t.Helper()
		for _, a := range []*kittest.Response{
			s.As("alice").Do("GET /users/me/subscriptions", "include_subscribers", "partial"),
			s.As("alice").Do("POST /register", "event_types", `["subscription"]`, "include_subscribers", "partial"),
		} {
			var res struct{ Subscriptions []map[string]any }
			a.OK().JSON(&res)
			got := map[string]string{}
			for _, c := range res.Subscriptions {
				whole, part := "-", "-"
				if x, ok := c["subscribers"]; ok {
					whole = fmt.Sprint(numbers(x))
				}
				if x, ok := c["partial_subscribers"]; ok {
					part = fmt.Sprint(numbers(x))
				}
				got[fmt.Sprint(c["name"])] = whole + " " + part
			}
			if got["general"] != general || got["secret"] != fmt.Sprintf("[%s %s] -", id(s, "alice"), id(s, "olga")) {
				t.Errorf("%v, want general %s", got, general)
			}
		}
	}
	part := func(who ...string) string {
		var ids []string
		for _, w := range who {
			ids = append(ids, id(s, w))
		}
		return fmt.Sprint("- ", ids)
	}
	want(part("bot"))
	there("bob", "active")
	there("guest", "idle") // online, but never active
	there("mona", "active")
	want(part("bob", "bot"))
	s.Clock.Advance(14 * 24 * time.Hour)
	want(part("bob", "bot"))
	s.Clock.Advance(time.Second)
	there("olga", "active")
	want(part("olga", "bot"))
	s.As("bob").Do("GET /users/me/subscriptions", "include_subscribers", "some").Error(400, "BAD_REQUEST",
		"Invalid include_subscribers")

	s = start() // without a module that records who was active
	want(fmt.Sprintf("[%s %s %s %s %s] -", id(s, "alice"), id(s, "bob"), id(s, "olga"), id(s, "guest"), id(s, "bot")))
}
