// Package demo is for development: logging in without a password, sessions with a cookie for /json, and an organisation with
// people, channels and messages to try things with. A server that others can reach does not start with it.
package demo

import (
	"errors"
	"net/http"
	"time"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// Module gives logins without passwords and the demo organisation.
var Module = kit.Provide("demo", "Development only: logins without passwords, browser sessions, a demo organisation. "+
	"Changes defaults: addresses are in zulipdev.com, and new accounts may invite.", Config{
	SessionLife: 14 * 24 * time.Hour, MaxSessions: 10_000, MaxListed: 100,
}, wire)

// Config is the module's part of the config.
type Config struct {
	SessionLife time.Duration `yaml:"session_life"` // of a login by browser
	MaxSessions int           `yaml:"max_sessions"` // kept in memory
	MaxListed   int           `yaml:"max_listed"`   // people that dev_list_users names, of each kind
}

// Validate checks the config.
func (c Config) Validate() error {
	switch {
	case c.SessionLife <= 0:
		return errors.New("session_life: want a duration such as 24h")
	case c.MaxSessions < 1:
		return errors.New("max_sessions: want a positive number")
	case c.MaxListed < 1:
		return errors.New("max_listed: want a positive number")
	}
	return nil
}

type needs struct {
	fx.In
	Clock     ports.Clock
	Directory ports.Directory
	Realms    ports.Realms
	Accounts  ports.Accounts

	Authenticator ports.Authenticator

	Channels ports.Channels
	Sender   ports.Sender
	Settings ports.RealmSettings
	Hooks    ports.Hooks
}

type gives struct {
	fx.Out
	Sessions ports.Sessions
	Demo     ports.Demo
}

type service struct {
	needs
	cfg Config
}

func wire(cfg Config, n needs) (kit.Parts, gives, error) {
	s := &service{n, cfg}
	sessions := newSessions(s)
	return kit.Parts{
		Endpoints: []kit.Endpoint{
			kit.POST("/dev_fetch_api_key", kit.Anyone, sessions.fetchKey, "An API key for anybody, without a password.").Local(),
			kit.GET("/dev_list_users", kit.Anyone, s.listUsers, "Who can log in without a password.").Local(),
			kit.Mount("/accounts/login/local", kit.Anyone, http.HandlerFunc(sessions.login), "Logs a browser in, without a password.").Local(),
		},
		Hooks: []kit.Hook{kit.On(sessions.deactivated)},
	}, gives{Sessions: sessions, Demo: s}, nil
}
