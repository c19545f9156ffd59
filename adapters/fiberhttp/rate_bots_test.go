package fiberhttp

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// withBots adds bots of several owners. Their API keys are their names.
func (w *fakes) withBots(owners map[string]user.ID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	next := user.ID(100)
	for name, owner := range owners {
		next++
		b := user.User{ID: next, DeliveryEmail: name + "@example.com", FullName: name, Role: user.Member,
			BotType: user.GenericBot, BotOwner: owner, Active: true}
		w.view = w.view.Apply(w.view.Seq(), directory.OfUser(nil, &b))
	}
	w.newest = w.view
}

// The requests of all bots of an owner count together. Headers report this limit only when it is exceeded, and it
// limits neither the owner nor other owners' bots.
func TestRateLimitOfAllBots(t *testing.T) {
	to := func(context.Context, kit.Actor, kit.None) (kit.Redirect, error) { return kit.Redirect{To: "/x"}, nil }
	s := serve(t, append(rows(), kit.GET("/picture", kit.Users, to, "").AtRoot().Rate(kit.RateFiles)), limited,
		withConfig(func(c *Config) { c.RateLimits.PerOwner, c.RateLimits.Files = 4, 2 }))
	s.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	s.withBots(map[string]user.ID{"one": alice, "two": alice, "three": alice, "other": olga})
	ask := func(as string, status int, limit, remaining, wait string) {
		t.Helper()
		got := s.do("GET /api/v1/things/5", callOptions{as: as})
		h := got.header
		if got.status != status || h.Get("X-RateLimit-Limit") != limit || h.Get("X-RateLimit-Remaining") != remaining ||
			h.Get("Retry-After") != wait {
			t.Errorf("%s: %d %v, want %d, %s of %s, wait %q", as, got.status, h, status, remaining, limit, wait)
		}
	}
	for _, left := range []string{"2", "1", "0"} {
		ask("one", 200, "3", left, "")
	}
	ask("one", 429, "3", "0", "20") // the bot's own limit; not counted for the owner
	ask("two", 200, "3", "2", "")
	ask("two", 429, "4", "0", "15")
	ask("three", 429, "4", "0", "15")
	ask("alice", 200, "3", "2", "")
	ask("other", 200, "3", "2", "")
	for _, left := range []string{"2", "1", "0"} {
		ask("robot", 200, "3", left, "") // a bot without an owner
	}
	s.pass(15 * time.Second)
	ask("two", 200, "3", "1", "") // refused requests are not counted for the bot either
	ask("three", 429, "4", "0", "15")

	for i, c := range []struct {
		as     string
		status int
	}{{"one", 302}, {"two", 302}, {"three", 429}, {"alice", 302}, {"other", 302}, {"robot", 302}, {"robot", 302},
		{"robot", 429}, {"alice", 302}, {"alice", 429}} {
		if got := s.do("GET /picture", callOptions{as: c.as}); got.status != c.status {
			t.Errorf("picture %d, %s: %d, want %d", i, c.as, got.status, c.status)
		}
	}
}
