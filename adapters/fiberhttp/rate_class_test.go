package fiberhttp

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stoachat/stoa/modules/kit"
)

// TestRateClasses checks that a class of a module limits its routes in addition to the limits of all requests, per user
// and per organization, and that a refused request costs the user nothing.
func TestRateClasses(t *testing.T) {
	all := rows()
	for i := range all {
		if all[i].Path == "/things/:thing_id" && all[i].Method == "GET" {
			all[i].RateClass = "things"
		}
	}
	declare := func(_ *Config, d *Deps) {
		d.Collected.Modules[0].Parts.Rates = []kit.RateClass{{Name: "things", Doc: "x.", PerUser: 2, PerRealm: 3}}
	}
	status := func(s *site, as string) int { return s.do("GET /api/v1/things/5", callOptions{as: as}).status }
	s := serve(t, all, declare)
	for i, c := range []struct {
		as   string
		want int
	}{{"alice", 200}, {"alice", 200}, {"alice", 429}, {"olga", 200}, {"olga", 429}, {"gus", 429}} {
		if got := status(s, c.as); got != c.want {
			t.Errorf("request %d by %s: %d, want %d", i, c.as, got, c.want)
		}
	}
	if got := s.do("GET /api/v1/open", callOptions{as: "alice"}); got.status != 200 {
		t.Errorf("another route: %d", got.status)
	}
	s.pass(20 * time.Second) // one more for the organization
	if got := status(s, "olga"); got != 200 {
		t.Errorf("olga was charged for the request that was refused: %d", got)
	}

	s = serve(t, all, declare, withConfig(func(c *Config) {
		c.RateLimits.Classes = map[string]ClassLimits{"test.things": {PerUser: 1}}
	}))
	for i, want := range []int{200, 429} {
		if got := status(s, "alice"); got != want {
			t.Errorf("configured, request %d: %d, want %d", i, got, want)
		}
	}
}

// TestSharedLimits checks that what is taken on one node from a limit that nodes share is missing on the other, unless
// it was given back, and that what another node tells cannot take more than a full bucket, or from other limits.
func TestSharedLimits(t *testing.T) {
	all := rows()
	for i := range all {
		if all[i].Path == "/things/:thing_id" && all[i].Method == "GET" {
			all[i].RateClass = "things"
		}
	}
	declare := func(_ *Config, d *Deps) {
		d.Collected.Modules[0].Parts.Rates = []kit.RateClass{{Name: "things", Doc: "x.", PerUser: 2, PerRealm: 3}}
	}
	status := func(s *site, as string) int { return s.do("GET /api/v1/things/5", callOptions{as: as}).status }
	one, other := serve(t, all, declare), serve(t, all, declare)
	tell := func() (told int) {
		text, err := json.Marshal(one.server.TakeSpent())
		var spent []Spent
		if err == nil {
			err = json.Unmarshal(text, &spent)
		}
		if err != nil {
			t.Fatal(err)
		}
		other.server.Spend(spent)
		return len(spent)
	}
	for i, want := range []int{200, 200, 429} {
		if got := status(one, "alice"); got != want {
			t.Fatalf("request %d: %d, want %d", i, got, want)
		}
	}
	if n := tell(); n != 2 || tell() != 0 {
		t.Errorf("%d limits, want 2 once: those of alice and of the organization", n)
	}
	for i, c := range []struct {
		as   string
		want int
	}{{"alice", 429}, {"olga", 200}, {"olga", 429}} {
		if got := status(other, c.as); got != c.want {
			t.Errorf("request %d by %s on the other node: %d, want %d", i, c.as, got, c.want)
		}
	}
	other.server.Spend([]Spent{
		{Limit: "users test.things", User: 1, Tokens: 1e300}, {Limit: "per_user", User: 1, Tokens: 1e300}, {Tokens: 1},
		{Limit: "realms test.things", Realm: 1, Tokens: -1e300},
	})
	other.pass(3 * time.Minute)
	if got := status(other, "olga"); got != 200 {
		t.Errorf("after three windows: %d", got)
	}
}
