package invites

import (
	"strings"
	"testing"

	"github.com/stoachat/stoa/ports"
)

type outbox struct {
	ports.Outbox
	delivers bool
}

func (o outbox) Delivers() bool { return o.delivers }

type site string

func (s site) URL() string { return string(s) }

// A server that sends mail needs a configured URL: the host of a request could be an attacker's.
func TestNeedsURL(t *testing.T) {
	for _, c := range []struct {
		delivers bool
		url      string
		ok       bool
	}{{true, "", false}, {true, "https://chat.example.com", true}, {false, "", true}} {
		_, err := wire(Module.Defaults.(Config), needs{Outbox: outbox{delivers: c.delivers}, Site: site(c.url)})
		if (err == nil) != c.ok || err != nil && !strings.Contains(err.Error(), "http.url") {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestConfig(t *testing.T) {
	if err := Module.Defaults.(Config).Validate(); err != nil {
		t.Fatal(err)
	}
	for key, change := range map[string]func(*Config){
		"link_validity":         func(c *Config) { c.LinkValidity = 0 },
		"confirmation_validity": func(c *Config) { c.ConfirmationValidity = 0 },
		"min_account_age":       func(c *Config) { c.MinAccountAge = -1 },
		"max_pending":           func(c *Config) { c.MaxPending = 0 },
		"max_link_uses":         func(c *Config) { c.MaxLinkUses = -1 },
		"seats":                 func(c *Config) { c.Seats = -1 },
		"daily_invitations":     func(c *Config) { c.DailyPerSource = -1 },
	} {
		c := Module.Defaults.(Config)
		change(&c)
		if err := c.Validate(); err == nil || !strings.HasPrefix(err.Error(), key) {
			t.Errorf("%s: %v", key, err)
		}
	}
}
