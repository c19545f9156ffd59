package push

import (
	"embed"
	"log/slog"
	"time"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/kit/linksecret"
	"github.com/stoachat/stoa/ports"
)

// Module sends push notifications.
var Module = kit.Define("push", "Notifies users' phones and browsers, encrypted end to end.", Config{
	StrictClients: []string{"go-zulip"}, MaxDevices: 100, MaxWeb: 20, FirstTry: 3 * time.Second,
}, wire)

// Config is the configuration of the module.
type Config struct {
	// User-Agent prefixes of clients that fail on event types and keys that their feature level does not know
	StrictClients []string `yaml:"strict_clients"`
	MaxDevices    int      `yaml:"max_devices"` // maximum number of devices and unencrypted tokens per user
	MaxWeb        int      `yaml:"max_web"`     // maximum number of devices with Web Push per user
	// timeout of the first Web Push attempt, for which other notifications wait; retries run separately
	FirstTry time.Duration `yaml:"first_try"`
}

// Validate checks the configuration.
func (c Config) Validate() error {
	if c.MaxDevices < 1 || c.MaxDevices > 10000 {
		return errMaxDevices
	}
	if c.MaxWeb < 1 || c.MaxWeb > 1000 {
		return errMaxWeb
	}
	if c.FirstTry < 10*time.Millisecond || c.FirstTry > time.Minute {
		return errFirstTry
	}
	return nil
}

//go:embed migrations
var migrations embed.FS

type needs struct {
	fx.In
	DB        *bunstore.DB
	Work      ports.UnitOfWork
	Directory ports.Directory
	Log       ports.EventLog
	Logger    *slog.Logger
	Clock     ports.Clock
	Node      ports.Node
	Sealer    ports.Sealer
	Service   ports.PushService
	Web       ports.WebPush
	Realm     ports.RealmSettings
	Receivers ports.Receivers
	Renderer  ports.Renderer
	Metrics   *ports.Metrics
}

type service struct {
	needs
	cfg       Config
	store     store
	webSecret *linksecret.Store
	limit     limit
	sent      *ports.Counter // by service and outcome

	registrations, notices, retries kit.Backlog
}

func wire(cfg Config, n needs) (kit.Parts, error) {
	s := &service{needs: n, cfg: cfg, store: store{n.DB, n.Sealer}}
	s.webSecret = &linksecret.Store{Purpose: "web push", Table: "push_secret", Sealer: n.Sealer, Work: n.Work, Rows: n.DB}
	s.sent = n.Metrics.Counter(ports.Instrument{
		Name:   "stoa_push_sent_total",
		Help:   "Push notifications passed to the push service of the mobile apps and to browsers.",
		Labels: []ports.Label{{Name: "service", Values: []string{"mobile", "web"}}, ports.Outcomes()},
	})
	hooks := []kit.Hook{kit.On(s.keysRevoked).Again(), kit.On(s.deactivated).Again()}
	if n.Service.Configured() || n.Web.Configured() { // otherwise notifications cannot be sent, so none are stored
		hooks = append(hooks, kit.On(s.noticesDecided), kit.On(s.read), kit.On(s.deleted), kit.On(s.edited),
			kit.On(s.subscriptionsChanged))
	}
	s.registrations.Earliest, s.notices.Earliest, s.retries.Earliest = earliest(n.Service.Configured(), n.Web.Configured())
	return kit.Parts{
		Tables:     s.tables(),
		Migrations: migrations,
		Doctor:     diagnoses(),
		Endpoints: []kit.Endpoint{
			kit.POST("/register_client_device", kit.Humans, s.addDevice, "Creates a device for the caller."),
			kit.POST("/remove_client_device", kit.Humans, s.removeDevice, "Removes a device of the caller."),
			kit.POST("/mobile_push/register", kit.Humans, s.register, "Registers a device for encrypted push notifications.").
				Operation("registerPushDevice"),
			kit.GET("/web_push/key", kit.Humans, s.webKey, "Returns the public key for Web Push subscriptions."),
			kit.POST("/web_push/register", kit.Humans, s.registerWeb, "Registers a Web Push subscription of the caller.").
				Operation("registerWebPush"),
			kit.POST("/mobile_push/e2ee/test_notification", kit.Humans, s.test,
				"Sends a test notification to the caller's devices.").Operation("testPush"),
			kit.POST("/mobile_push/test_notification", kit.Humans, s.testLegacy, "Checks the caller's unencrypted tokens.").
				Operation("testUnencryptedPush"),
			kit.POST("/users/me/android_gcm_reg_id", kit.Humans, s.addFCM, "Registers an FCM token.").
				Operation("addFcmToken"),
			kit.DELETE("/users/me/android_gcm_reg_id", kit.Humans, s.removeFCM, "Removes an FCM token.").
				Operation("removeFcmToken"),
			kit.POST("/users/me/apns_device_token", kit.Humans, s.addAPNs, "Registers an APNs token.").
				Operation("addApnsToken"),
			kit.DELETE("/users/me/apns_device_token", kit.Humans, s.removeAPNs, "Removes an APNs token.").
				Operation("removeApnsToken"),
		},
		Register: []kit.Section{kit.Register("device", s.section)},
		Events:   s.events(),
		Hooks:    hooks,
		Answers:  []kit.Answer{kit.Answers(s.isStrict), kit.Answers(s.describeRealm)},
		Commands: s.commands(),
		Jobs: []kit.Job{
			{
				Name: "forward", Every: time.Second, Backlog: &s.registrations, Timeout: forwardTurn, Everywhere: true,
				Run: s.forward,
			},
			{Name: "push notifications", Every: time.Second, Backlog: &s.notices, Timeout: forwardTurn, Run: s.deliver},
			{
				Name: "repeated web push notifications", Every: time.Second, Backlog: &s.retries, Timeout: forwardTurn,
				Run: s.retryWeb,
			},
			{Name: "old push notifications", Deletes: true, Every: time.Hour, Timeout: forwardTurn, Run: s.prune},
		},
		Leases: []kit.Lease{{Table: "push_registrations", Column: "holder", Due: "due_at"}},
	}, nil
}

func (s *service) tables() []kit.Table {
	const (
		keys   = "keys of devices that work only with this server"
		unsent = "notifications waiting to be sent"
		shared = "state shared with the push service"
	)
	return []kit.Table{
		kit.NotExported[deviceRow](keys),
		kit.NotExported[registrationRow](keys),
		kit.NotExported[tokenRow](keys),
		kit.NotExported[notice](unsent).OnRestore(kit.Outgoing),
		kit.NotExported[recheck](unsent).OnRestore(kit.Outgoing),
		kit.NotExported[webRetry](unsent).OnRestore(kit.Outgoing),
		kit.NotExported[standing](shared),
		s.webSecret.Declared(shared),
	}
}
