// Package birthdays stores users' birthdays. It is an example of a module outside the Stoa repository: it uses only
// public packages, and contributes everything that a module can contribute.
//
//	days.go     the rules, and the shared fact in the view
//	settings.go settings of the realm, of users and of channels
//	slash.go    slash commands
//	today.go    a query to another module, and a job
//	party.go    the routes of a Fiber application
//	store.go    the table
package birthdays

import (
	"context"
	"embed"
	"time"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/declared"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
	"go.uber.org/fx"
)

// Module is the module. Append it to the list in main.
var Module = kit.Define("birthdays", "Remembers the birthdays of users.", Config{MaxShown: 1000}, wire)

// Config is the modules.birthdays section of the configuration.
type Config struct {
	MaxShown int `yaml:"max_shown"` // birthdays in /register
}

//go:embed migrations
var migrations embed.FS

// needs holds the ports and queries that the module uses.
type needs struct {
	fx.In
	DB        *bunstore.DB
	Work      ports.UnitOfWork
	Log       ports.EventLog
	Directory ports.Directory
	Realms    ports.Realms
	Clock     ports.Clock
	Sender    ports.Sender `optional:"true"`

	RecentlyActive kit.Query[user.RecentlyActive, user.Set]
}

type service struct {
	needs
	cfg   Config
	store store
}

func wire(cfg Config, n needs) (kit.Parts, error) {
	s := &service{n, cfg, store{n.DB}}
	return kit.Parts{
		Endpoints: []kit.Endpoint{
			kit.GET("/birthdays", kit.Members, s.list, "Birthdays of the realm, by user ID."),
			kit.POST("/birthdays", kit.Humans, s.set, "Sets the caller's birthday.").Fails(errs.PermissionDenied).
				Causing("birthdays/set"),
			kit.GET("/birthdays/today", kit.Members, s.today, "Users whose birthday is today."),
			kit.Mount("/party", kit.Members, s.party(), "A page for each birthday."),
		},
		Migrations: migrations,
		Register:   []kit.Section{kit.Register("birthdays", s.section)},
		Events:     []kit.AnyEvent{birthdaySet.Any(), birthdayRemoved.Any(), birthdaysToday.Any()},
		Hooks:      []kit.Hook{kit.On(s.forget)},
		Directory:  []directory.Part{days.Part(s.store.Load)},
		Jobs:       []kit.Job{{Name: "today", Every: 24 * time.Hour, Timeout: 10 * time.Minute, Run: s.announce}},
		Tables:     []kit.Table{kit.Exported[row]("A birthday.")},
		Settings:   []declared.Any{setters, shown, favourite, celebrates},
		Slash: []kit.SlashCommand{
			kit.Slash("birthday", kit.Humans, s.slashBirthday, "Sets your birthday.").Operands("1990-02-28"),
			kit.Slash("cake", kit.Members, s.slashCake, "Sends a cake.").Operands("for whom"),
		},
	}, nil
}

type removed struct {
	UserID user.ID `json:"user_id"`
}

var (
	birthdaySet     = kit.Event[birthday]("birthdays", "set")
	birthdayRemoved = kit.Event[removed]("birthdays", "remove")
)

type listRes struct {
	Birthdays []birthday `json:"birthdays"`
}

// list reads the view, since shared facts need no database query.
func (s *service) list(ctx context.Context, a kit.Actor, _ kit.None) (listRes, error) {
	v, err := s.Directory.View(ctx, a.Realm)
	if err != nil {
		return listRes{}, err
	}
	all := visible(v, a.User)
	return listRes{all[:min(len(all), s.cfg.MaxShown)]}, nil
}

func (s *service) section(ctx context.Context, a kit.Actor, _ event.Client) (listRes, error) {
	return s.list(ctx, a, kit.None{})
}

type setReq struct {
	Day string `json:"day"`
}

// set handles POST /birthdays. Errors: BadRequest, PermissionDenied.
func (s *service) set(ctx context.Context, a kit.Actor, in setReq) (kit.None, error) {
	b, err := newBirthday(a.User, in.Day, s.Clock.Now())
	if err != nil {
		return kit.None{}, err
	}
	return kit.None{}, s.Work.Do(ctx, func(ctx context.Context) error {
		v, err := s.Directory.View(ctx, a.Realm)
		if err != nil {
			return err
		}
		if !permission.Holds(v, a.User, setters.Key) {
			return errs.New(errs.PermissionDenied, "Insufficient permission")
		}
		if err := s.store.Set(ctx, a.Realm, b); err != nil {
			return err
		}
		return s.Log.Append(ctx, birthdaySet.To(a.Realm, event.Everyone(), b).Changing(changed(of(v, a.User), &b)))
	})
}

// forget deletes the birthday of a deactivated user, in the same transaction as the deactivation.
func (s *service) forget(ctx context.Context, m *user.Deactivated) error {
	v, err := s.Directory.View(ctx, m.Realm)
	if err != nil {
		return err
	}
	old := of(v, m.User)
	if old == nil {
		return nil
	}
	if err := s.store.Remove(ctx, m.User); err != nil {
		return err
	}
	return s.Log.Append(ctx,
		birthdayRemoved.To(m.Realm, event.Everyone(), removed{m.User}).Changing(changed(old, nil)))
}
