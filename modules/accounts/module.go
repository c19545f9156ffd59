package accounts

import (
	"context"
	"embed"
	"errors"
	"log/slog"
	"time"
	_ "time/tzdata" // validates time zones on machines without a time zone database

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/profilefield"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/signin"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/accounts/internal/waiting"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// Module manages accounts and logins.
var Module = kit.Provide("accounts", "People and bots: accounts, API keys, passwords, personal settings.", Config{
	MinPassword: user.MinPassword, MinGuesses: 1_000_000, PasswordMemoryKiB: 19 << 10, PasswordPasses: 2,
	PasswordsAtOnce: 4, MaxKeys: 100,
	AdminsCreateUsers: true,
}, wire)

// Config is the configuration of the module.
type Config struct {
	MinPassword int `yaml:"password_min_length"` // minimum length of new passwords, in characters
	// number of guesses that new passwords withstand at least, as zxcvbn estimates it; 0: any
	MinGuesses int `yaml:"password_min_guesses"`
	// file with the SHA-1 sums, in ascending order, of passwords that nobody may choose, such as the list of
	// haveibeenpwned.com; empty: none
	BreachList string `yaml:"breach_list"`
	// memory cost of password hashes in KiB; existing hashes keep theirs
	PasswordMemoryKiB int `yaml:"password_memory_kib"`
	PasswordPasses    int `yaml:"password_passes"`   // number of passes over that memory
	PasswordsAtOnce   int `yaml:"passwords_at_once"` // passwords hashed concurrently; further requests queue
	// maximum number of API keys per user; when it is exceeded, the oldest key is revoked
	MaxKeys           int  `yaml:"max_keys"`
	AdminsCreateUsers bool `yaml:"admins_create_users"` // allow POST /users
	ChangeEmails      bool `yaml:"change_emails"`       // allow owners to change the email addresses of other users
}

// Validate checks the configuration.
func (c Config) Validate() error {
	switch {
	case c.MinPassword < 6 || c.MinPassword > 64:
		return errors.New("password_min_length: want 6 to 64")
	case c.MinGuesses < 0 || c.MinGuesses > 1e12:
		return errors.New("password_min_guesses: want 0 to 1000000000000")
	case c.PasswordMemoryKiB < 8 || c.PasswordMemoryKiB > 4<<20:
		return errors.New("password_memory_kib: want 8 to 4194304")
	case c.PasswordPasses < 1 || c.PasswordPasses > 100:
		return errors.New("password_passes: want 1 to 100")
	case c.PasswordsAtOnce < 1:
		return errors.New("passwords_at_once: want a positive number")
	case c.MaxKeys < 1:
		return errors.New("max_keys: want a positive number")
	}
	return nil
}

//go:embed migrations
var migrations embed.FS

type needs struct {
	fx.In
	DB        *bunstore.DB
	Work      ports.UnitOfWork
	Log       ports.EventLog
	Audit     ports.Audit
	Directory ports.Directory
	Hooks     ports.Hooks
	Clock     ports.Clock
	Renderer  ports.Renderer
	Realms    ports.Realms
	Sealer    ports.Sealer
	Version   ports.Version
	Logger    *slog.Logger
	Collected *kit.Collected
	Metrics   *ports.Metrics

	Profiles      kit.Query[profilefield.ProfilesOf, map[user.ID]profile]
	NewestMessage kit.Query[user.NewestMessage, int64]
	Description   kit.QueryAll[realm.Description, map[string]any]
	Aliases       kit.Query[realm.KeyAliases, map[string]any]
	Methods       kit.QueryAll[signin.Methods, []signin.Method]
	SecondFactor  kit.Query[signin.SecondFactor, bool]
}

// provides holds the ports that the module provides.
type provides struct {
	fx.Out
	Authenticator ports.Authenticator
	Accounts      ports.Accounts
	BotAccounts   ports.BotAccounts
	Passwords     ports.Passwords
	Sources       ports.PasswordSources
	Credentials   ports.Credentials
	UserSettings  ports.UserSettings
	UserUpdates   ports.UserUpdates
}

type service struct {
	needs
	cfg    Config
	store  store
	hasher *hasher
	uses   keyUses

	sources []ports.PasswordSource // complete once all modules are wired
}

func wire(cfg Config, n needs) (kit.Parts, provides, error) {
	s := &service{
		needs:  n,
		cfg:    cfg,
		store:  store{n.DB},
		hasher: newHasher(cfg.PasswordMemoryKiB, cfg.PasswordPasses, cfg.PasswordsAtOnce),
	}
	s.measure()
	period := waiting.New(waiting.Needs{
		DB: n.DB, Work: n.Work, Directory: n.Directory, Hooks: n.Hooks, Clock: n.Clock, Realms: n.Realms,
	})
	return kit.Parts{
			Schemas:   schemas(),
			Endpoints: s.endpoints(),
			Commands:  s.commands(),
			Tables: []kit.Table{
				usersTable(),
				kit.NotExported[passwordRow]("login secrets"),
				kit.NotExported[keyRow]("login secrets").OnRestore(kit.Credential),
				kit.NotExported[editedRow]("internal state of this server"),
				kit.NotExported[awaitedRow]("internal state of this server"),
			},
			Migrations: migrations,
			Register: []kit.Section{
				kit.Register("realm_user", s.usersSection).Spectators().
					Compress("realm_users", "realm_non_active_users", "cross_realm_bots"),
				kit.Register("user_settings", s.settingsSection).Spectators().Shows(settingsKeys{}).
					Compress("user_settings"),
				s.olderSection("update_display_settings", olderDisplay),
				s.olderSection("update_global_notifications", olderNotifications),
			},
			Events: []kit.AnyEvent{
				userAdded.Late(s.introduce).Any(), userUpdated.Any(), userRemoved.Any(), settingUpdated.Any(),
				keysChanged.Any(), systemBotsCreated.Any(),
			},
			Hooks: []kit.Hook{
				kit.On(s.createSystemBots), kit.On(s.visibilityChanged), kit.On(s.loggedIn), kit.On(s.passwordsOff),
			},
			Answers:   []kit.Answer{kit.Answers(s.describeRealm), kit.Answers(s.hasPassword), kit.Answers(s.ownRecord)},
			Directory: []directory.Part{{Name: "accounts", Load: s.load}},
			Doctor:    s.diagnoses(),
			Faults:    s.faults(),
			Jobs: []kit.Job{{
				Name: "note_used_keys", Every: 5 * time.Minute, Timeout: time.Minute, Everywhere: true, Run: s.saveKeyUses,
			}},
			Rates: []kit.RateClass{{
				Name: strengthClass, Doc: "Limits estimates of how hard passwords are to guess.", PerUser: 120, PerRealm: 6000,
			}},
		}.With(period.Parts()), provides{
			Authenticator: s,
			Accounts:      s,
			BotAccounts:   s,
			Passwords:     s,
			Sources:       s,
			Credentials:   s,
			UserSettings:  s,
			UserUpdates:   s,
		}, nil
}

func (s *service) endpoints() []kit.Endpoint {
	return []kit.Endpoint{
		kit.GET("/server_settings", kit.Anyone, s.serverSettings, "What a client needs before login.").
			Shows(serverKeys{}).
			WithoutRealm().
			KeysOnly(),
		kit.GET("/compatibility", kit.Anyone, s.compatible, "Checks whether the client works with this server.").
			Operation("checkCompatibility").
			WithoutRealm().
			KeysOnly(),
		kit.POST("/fetch_api_key", kit.Anyone, s.fetchKey, "Exchanges email and password for an API key.").
			Operation("fetchApiKey").
			Rate(kit.LoginClass).
			KeysOnly(),
		kit.POST("/stoa/password/strength", kit.Anyone, s.strength,
			"Estimates how hard a new password is to guess, and whether the server accepts it.").
			Operation("estimatePassword").
			Rate(strengthClass),
		kit.POST("/json/fetch_api_key", kit.Humans, s.fetchOwnKey,
			"Returns an API key to a user who is logged in with a browser, given the password.").
			Operation("fetchOwnApiKey").
			AtRoot().
			RequirePassword("password"),
		kit.POST(
			"/users/me/api_key/regenerate",
			kit.Users,
			s.regenerate,
			"Creates a new API key for the caller and revokes all others.",
		).Operation("regenerateOwnApiKey"),
		kit.GET("/stoa/api_keys", kit.Humans, s.ownKeys, "Lists the caller's API keys.").Operation("getOwnApiKeys"),
		kit.DELETE("/stoa/api_keys/:key_id", kit.Humans, s.revokeOwnKey, "Revokes one of the caller's API keys.").
			Operation("revokeOwnApiKey"),
		kit.GET("/users", kit.Spectators, s.list, "All users, or those with the given IDs.").Compress().
			Shows(listedUsers{}),
		kit.GET("/users/me", kit.Users, s.me, "The caller.").Operation("getOwnUser"),
		kit.GET("/users/:user_id", kit.Users, s.get, "One user, by ID or email."),
		kit.POST("/users", kit.Admins, s.create, "Creates a user."),
		kit.PATCH(
			"/users/:user_id",
			kit.Members,
			s.update,
			"Changes a user's name, role, email or profile, by ID or email.",
		),
		kit.DELETE("/users/:user_id", kit.Members, s.deactivate,
			"Deactivates a user, with optional deletion of profile and messages.").Operation("deactivateUser"),
		kit.DELETE("/users/me", kit.Humans, s.deactivateSelf, "Deactivates the caller.").
			Operation("deactivateOwnUser"),
		kit.POST("/users/:user_id/reactivate", kit.Members, s.reactivate, "Reactivates a user."),
		kit.PATCH("/settings", kit.Humans, s.changeSettings, "Changes the caller's settings, name, address or password.").
			RequirePassword("old_password").Idempotent(),
		kit.PATCH("/settings/display", kit.Humans, s.changeSettings, "The same as PATCH /settings.").
			RequirePassword("old_password"),
		kit.PATCH("/settings/notifications", kit.Humans, s.changeSettings, "The same as PATCH /settings.").
			RequirePassword("old_password"),
	}
}

func (s *service) load(ctx context.Context, r realm.ID, b *directory.Builder) error {
	users, err := s.store.All(ctx, r)
	for _, u := range users {
		b.User(u)
	}
	return err
}
