package pushrelay

import (
	"embed"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// Module is the push relay.
var Module = kit.Provide("pushrelay",
	"Relays push notifications from servers to phones, for organizations that publish their own build of the app.",
	Config{
		Registrations: 10_000, Notifications: 60_000, MaxRequests: 500, MaxCalls: 8, MaxRealms: 100,
		Remembered: 100_000,
		Timeout:    20 * time.Second, OldKeys: 365 * 24 * time.Hour, Unused: 365 * 24 * time.Hour,
	}, wire).Optional()

// Config is the configuration of the module.
type Config struct {
	// device registrations per server and day, unless the server has its own quota
	Registrations int `yaml:"registrations"`
	// notifications per server and minute, unless the server has its own quota
	Notifications int `yaml:"notifications"`
	MaxRequests   int `yaml:"max_requests"` // maximum number of notifications in one call
	MaxCalls      int `yaml:"max_calls"`    // maximum number of concurrent calls per server
	MaxRealms     int `yaml:"max_realms"`   // maximum number of organizations per server
	Remembered    int `yaml:"remembered"`   // number of recent notifications for which duplicates are recognized
	// timeout for delivering the notifications of one call; servers wait 30s for a response
	Timeout time.Duration `yaml:"timeout"`
	OldKeys time.Duration `yaml:"old_keys"` // how long a replaced key pair remains valid for registrations
	Unused  time.Duration `yaml:"unused"`   // how long a device without notifications stays registered
}

// Validate checks the configuration.
func (c Config) Validate() error {
	var all []error
	bad := func(format string, args ...any) { all = append(all, fmt.Errorf(format, args...)) }
	for _, n := range []struct {
		key          string
		value, limit int
	}{
		{"registrations", c.Registrations, 10_000_000}, {"notifications", c.Notifications, 10_000_000},
		{"max_requests", c.MaxRequests, 1000}, {"max_calls", c.MaxCalls, 1000}, {"max_realms", c.MaxRealms, 1_000_000},
		{"remembered", c.Remembered, 10_000_000},
	} {
		if n.value < 1 || n.value > n.limit {
			bad("%s: want a number from 1 to %d, got %d", n.key, n.limit, n.value)
		}
	}
	if c.Timeout <= 0 || c.Timeout > time.Minute {
		bad("timeout: want a time above 0, up to a minute, got %v", c.Timeout)
	}
	if c.OldKeys < 0 {
		bad("old_keys: want a time from 0")
	}
	if c.Unused < 48*time.Hour {
		bad("unused: want at least 48h, got %v", c.Unused)
	}
	return errors.Join(all...)
}

//go:embed migrations
var migrations embed.FS

type needs struct {
	fx.In
	DB       *bunstore.DB
	Work     ports.UnitOfWork
	Clock    ports.Clock
	Sealer   ports.Sealer
	Logger   *slog.Logger
	Delivery ports.PushDelivery
}

type service struct {
	needs
	cfg    Config
	store  store
	limits limits
	recent *recent
}

const prefix = "/api/v1/remotes/push/e2ee/"

func wire(cfg Config, n needs) (kit.Parts, ports.PushRelay, error) {
	s := &service{
		needs: n, cfg: cfg, store: store{n.DB, n.Sealer}, limits: limits{servers: map[string]*usage{}},
		recent: newRecent(cfg.Remembered),
	}
	mount := func(name string, body int64, do callHandler, doc string) kit.Endpoint {
		return kit.Mount(prefix+name, kit.Anyone, s.handler(prefix+name, do), doc).MaxBody(body).Rate(kit.RateServers)
	}
	const ofOthers = "data of the push relay, which belongs to other servers"
	return kit.Parts{
		Migrations: migrations,
		Tables: []kit.Table{
			kit.NotExported[keyRow](ofOthers),
			kit.NotExported[serverRow](ofOthers),
			kit.NotExported[realmRow](ofOthers),
			kit.NotExported[tokenRow](ofOthers),
		},
		Endpoints: []kit.Endpoint{
			mount("register", maxRegister, s.register, "Registers a device of a server that uses this push relay."),
			mount("notify", maxNotify, s.notify, "Delivers notifications of a server that uses this push relay."),
		},
		Jobs:   []kit.Job{{Name: "purge", Deletes: true, Every: time.Hour, Run: s.purge}},
		Health: []kit.Check{{Name: "key", Run: s.checkKey, Minor: true}},
	}, s, nil
}
