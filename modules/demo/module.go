package demo

import (
	"errors"
	"net/http"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// Module provides logins without passwords and the demo organization.
var Module = kit.Provide("demo", "Development only: logins without passwords, a demo organization. "+
	"Changes defaults: addresses are in zulipdev.com, and new accounts may invite.", Config{
	MaxListed: 100,
}, wire).Optional()

// Config is the configuration of the module.
type Config struct {
	MaxListed int `yaml:"max_listed"` // maximum number of administrators, and of other users, returned by dev_list_users
}

// Validate checks the configuration.
func (c Config) Validate() error {
	if c.MaxListed < 1 {
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
	Sessions      ports.Sessions

	Channels ports.Channels
	Sender   ports.Sender
	Settings ports.RealmSettings
	Hooks    ports.Hooks
}

type service struct {
	needs
	cfg  Config
	keys keys
}

func wire(cfg Config, n needs) (kit.Parts, ports.Demo, error) {
	s := &service{needs: n, cfg: cfg, keys: keys{by: map[holder]string{}}}
	return kit.Parts{
		Words: kit.Words{
			"direct_admins":  "The active owners and administrators.",
			"direct_users":   "The other active users.",
			"Origin":         "The page that makes the request, as browsers send it.",
			"Sec-Fetch-Site": "Where that page is from, as browsers send it.",
		},
		Endpoints: []kit.Endpoint{
			kit.POST("/dev_fetch_api_key", kit.Anyone, s.fetchKey, "Returns an API key for any user, without a password.").
				Local().
				KeysOnly(),
			kit.GET("/dev_list_users", kit.Anyone, s.listUsers,
				"Lists the users who can log in without a password.").Local().KeysOnly(),
			kit.Mount("/accounts/login/local", kit.Anyone, http.HandlerFunc(s.login), "Logs a browser in without a password.").
				Local(),
		},
	}, s, nil
}
