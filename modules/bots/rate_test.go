package bots_test

import (
	"fmt"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/bots"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/groups"
	"github.com/stoachat/stoa/modules/realm"
)

// All bots of an owner share one rate limit. A transferred bot counts towards its new owner's limit.
func TestRateLimitOfAnOwnersBots(t *testing.T) {
	s := kittest.StartWith(t, kittest.Options{Config: "http: {rate_limits: {per_owner: 3}}"}, realm.Module,
		accounts.Module, groups.Module, channels.Module, bots.Module)
	one, two, other := makeBot(s, "bob", "one"), makeBot(s, "bob", "two"), makeBot(s, "alice", "other")
	ask := func(m testBot, want ...int) {
		t.Helper()
		for i, status := range want {
			if a := m.client().Do("GET /users/me"); a.Status != status || status == 429 && a.String("code") != "RATE_LIMIT_HIT" {
				t.Errorf("%s, %d: %d %s, want %d", m.email, i, a.Status, a.Body, status)
			}
		}
	}
	ask(one, 200, 200)
	ask(two, 200, 429)
	ask(one, 429)
	ask(other, 200)
	s.As("bob").Do("GET /users/me").OK()
	s.As("bob").Do(two.path("PATCH /bots/%d"), "bot_owner_id", fmt.Sprint(s.UserID("alice"))).OK()
	two.key = s.As("alice").Do(two.path("GET /bots/%d/api_key")).OK().String("api_key")
	ask(two, 200, 200, 429)
	ask(other, 429)
	ask(one, 429)
}
