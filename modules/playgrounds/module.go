package playgrounds

import (
	"context"
	"embed"
	"errors"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/audit"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/playground"
	"github.com/stoachat/stoa/domain/quota"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

//go:embed migrations
var migrations embed.FS

// Module manages code playgrounds.
var Module = kit.Define("playgrounds", "External web pages that run code blocks.", Config{MaxPerRealm: 100}, wire)

// Config is the configuration of the module.
type Config struct {
	MaxPerRealm int `yaml:"max_per_realm"` // maximum number of playgrounds per realm; a tenth is kept for owners
}

// Validate checks the configuration.
func (c Config) Validate() error {
	if c.MaxPerRealm < 1 || c.MaxPerRealm > 1000 {
		return errors.New("max_per_realm: want 1 to 1000")
	}
	return nil
}

type needs struct {
	fx.In
	DB        *bunstore.DB
	Work      ports.UnitOfWork
	Log       ports.EventLog
	Audit     ports.Audit
	Directory ports.Directory
	Realm     ports.RealmSettings
}

type service struct {
	needs
	cfg  Config
	rows store
}

func wire(cfg Config, n needs) (kit.Parts, error) {
	s := &service{n, cfg, store{n.DB}}
	return kit.Parts{
		Schemas: []kit.Schema{kit.SchemaOf[shown]("Playground", "A code playground.")},
		Endpoints: []kit.Endpoint{
			kit.POST("/realm/playgrounds", kit.Admins, s.add, "Adds a playground for a language.").
				Operation("addPlayground"),
			kit.DELETE("/realm/playgrounds/:playground_id", kit.Admins, s.remove, "Removes a playground.").
				Operation("removePlayground"),
		},
		Tables:     []kit.Table{kit.Exported[row]("A code playground.")},
		Migrations: migrations,
		Register:   []kit.Section{kit.Register("realm_playgrounds", s.section)},
		Events:     []kit.AnyEvent{s.changed().Any()},
	}, nil
}

// shown is a playground as sent to clients.
type shown struct {
	ID          playground.ID `json:"id"`
	Name        string        `json:"name"`
	Language    string        `json:"pygments_language"`
	URLTemplate string        `json:"url_template"`
}

// list is the section of /register and the payload of the event: all playgrounds, sorted by ID.
type list struct {
	Playgrounds []shown `json:"realm_playgrounds"`
}

func (s *service) all(ctx context.Context, r realm.ID) (list, error) {
	rows, err := s.rows.All(ctx, r)
	out := list{make([]shown, len(rows))}
	for i, p := range rows {
		out.Playgrounds[i] = shown(p)
	}
	return out, err
}

func (s *service) section(ctx context.Context, a kit.Actor, _ event.Client) (list, error) {
	return s.all(ctx, a.Realm)
}

// changed is the logged payload. The list is read at delivery.
type changed struct{ now list }

func (s *service) changed() kit.EventType[changed] {
	return kit.Event[changed]("realm_playgrounds", "").Sends(list{}).
		Late(func(ctx context.Context, v *directory.View, page []*changed) error {
			now, err := s.all(ctx, v.Realm().ID)
			for _, p := range page {
				p.now = now
			}
			return err
		}).
		Shape(func(_ context.Context, _ *directory.View, _ event.Client, p *changed) (any, bool) { return p.now, true })
}

type addReq struct {
	Name        string `json:"name"`
	Language    string `json:"pygments_language"`
	URLTemplate string `json:"url_template"`
}

type addRes struct {
	ID playground.ID `json:"id"`
}

// add handles POST /realm/playgrounds. Errors: BadRequest, UnauthorizedPrincipal.
func (s *service) add(ctx context.Context, a kit.Actor, in addReq) (addRes, error) {
	checked, err := playground.New(in.Name, in.Language, in.URLTemplate)
	if err != nil {
		return addRes{}, err
	}
	return kit.Tx(ctx, s.Work, func(ctx context.Context) (addRes, error) {
		v, err := kit.AdminView(ctx, s.Directory, a)
		if err != nil {
			return addRes{}, err
		}
		all, err := s.rows.All(ctx, a.Realm)
		if err != nil {
			return addRes{}, err
		}
		l := quota.Limit{What: "playgrounds", Total: s.cfg.MaxPerRealm}
		if err := l.Admit(permission.Role(v, a), quota.Count{All: len(all)}, 1); err != nil {
			return addRes{}, err
		}
		p := checked
		if err := playground.CheckUnique(all, &p, v.NameKey); err != nil {
			return addRes{}, err
		}
		if err := s.rows.Insert(ctx, a.Realm, &p); err != nil {
			return addRes{}, err
		}
		return addRes{p.ID}, s.publish(ctx, a, audit.Fact{
			Action: audit.PlaygroundAdded, Target: audit.To(audit.Playground, p.ID),
			New: audit.Values{"name": p.Name, "pygments_language": p.Language, "url_template": p.URLTemplate},
		})
	})
}

type removeReq struct {
	ID playground.ID `json:"playground_id"`
}

// remove handles DELETE /realm/playgrounds/{playground_id}. If the playground's language is the default for code
// blocks, the default is reset. Errors: BadRequest, UnauthorizedPrincipal.
func (s *service) remove(ctx context.Context, a kit.Actor, in removeReq) (kit.None, error) {
	return kit.None{}, s.Work.Do(ctx, func(ctx context.Context) error {
		v, err := kit.AdminView(ctx, s.Directory, a)
		if err != nil {
			return err
		}
		language, err := s.rows.Delete(ctx, a.Realm, in.ID)
		if err != nil {
			return err
		}
		if v.Realm().Settings.DefaultCodeBlockLanguage == language {
			if err := s.Realm.Set(ctx, a.Realm, "default_code_block_language", ""); err != nil {
				return err
			}
		}
		return s.publish(ctx, a, audit.Fact{
			Action: audit.PlaygroundRemoved, Target: audit.To(audit.Playground, in.ID),
			Old: audit.Values{"pygments_language": language},
		})
	})
}

func (s *service) publish(ctx context.Context, a kit.Actor, what audit.Fact) error {
	what.Realm = a.Realm
	if err := s.Audit.Record(ctx, what); err != nil {
		return err
	}
	return s.Log.Append(ctx, s.changed().To(a.Realm, event.Everyone(), changed{}))
}
