// Package birthdays is a module of a team's own: it remembers when people have their birthday. It uses nothing but the
// public kit, as any module outside of the tree does.
package birthdays

import (
	"context"
	"embed"
	"time"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
	"go.uber.org/fx"
)

// Module is what main appends to the list of modules.
var Module = kit.Define("birthdays", "Remembers when people have their birthday.", Config{MaxShown: 1000}, wire)

// Config is the section modules.birthdays.
type Config struct {
	MaxShown int `yaml:"max_shown"` // birthdays in /register
}

//go:embed migrations
var migrations embed.FS

type needs struct {
	fx.In
	DB    *bunstore.DB
	Work  ports.UnitOfWork
	Log   ports.EventLog
	Clock ports.Clock
}

func wire(cfg Config, n needs) (kit.Parts, error) {
	s := &service{n, cfg, store{n.DB}}
	return kit.Parts{
		Endpoints: []kit.Endpoint{
			kit.GET("/birthdays", kit.Members, s.list, "Birthdays of the realm, by user id."),
			kit.POST("/birthdays", kit.Humans, s.set, "Sets the caller's birthday."),
		},
		Register:   []kit.Section{kit.Register("birthdays", s.section)},
		Events:     []kit.AnyEvent{birthdaySet.Any()},
		Hooks:      []kit.Hook{kit.On(s.forget)},
		Migrations: migrations,
		Rows:       kit.RowsOf("birthdays"),
	}, nil
}

type birthday struct {
	UserID user.ID `json:"user_id"`
	Day    string  `json:"day"` // 2006-01-02
}

// newBirthday is the rule. Errors: BadRequest.
func newBirthday(u user.ID, day string, today time.Time) (birthday, error) {
	if t, err := time.Parse(time.DateOnly, day); err != nil || t.After(today) {
		return birthday{}, errs.Bad("day must be a past date such as 1990-02-28")
	}
	return birthday{u, day}, nil
}

var birthdaySet = kit.Event[birthday]("birthdays", "set")

type setReq struct {
	Day string `json:"day"`
}

type listRes struct {
	Birthdays []birthday `json:"birthdays"`
}

type service struct {
	needs
	cfg   Config
	store store
}

func (s *service) list(ctx context.Context, a kit.Actor, _ kit.None) (listRes, error) {
	all, err := s.store.All(ctx, a.Realm, s.cfg.MaxShown)
	return listRes{all}, err
}

func (s *service) section(ctx context.Context, a kit.Actor, _ event.Client) (listRes, error) {
	return s.list(ctx, a, kit.None{})
}

func (s *service) set(ctx context.Context, a kit.Actor, in setReq) (kit.None, error) {
	b, err := newBirthday(a.User, in.Day, s.Clock.Now())
	if err != nil {
		return kit.None{}, err
	}
	return kit.None{}, s.Work.Do(ctx, func(ctx context.Context) error {
		if err := s.store.Set(ctx, a.Realm, b); err != nil {
			return err
		}
		return s.Log.Append(ctx, birthdaySet.To(a.Realm, event.Everyone(), b))
	})
}

func (s *service) forget(ctx context.Context, m *user.Deactivated) error {
	return s.store.Remove(ctx, m.User)
}
