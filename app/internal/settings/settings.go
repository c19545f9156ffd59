package settings

import (
	"context"
	"embed"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/declared"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

//go:embed migrations
var migrations embed.FS

// Migrations returns the migrations of the package's table.
func Migrations() bunstore.Migrations { return bunstore.Migrations{Module: "settings", FS: migrations} }

// Options are what the settings depend on.
type Options struct {
	DB        *bunstore.DB
	Work      ports.UnitOfWork
	Log       ports.EventLog
	Directory ports.Directory
}

type service struct {
	Options
	store   store
	catalog *declared.Catalog
	module  map[string]string // by key
}

// Parts returns the server's own contribution for the settings that modules declare.
func Parts(o Options, modules []kit.Contribution) kit.Parts {
	s := &service{Options: o, store: store{o.DB}, module: map[string]string{}}
	var all []*declared.Setting
	for _, m := range modules {
		for _, any := range m.Parts.Settings {
			if one := any.Declaration(); one != nil { // otherwise the server reports it
				all, s.module[one.Key] = append(all, one), m.Module
			}
		}
	}
	s.catalog = declared.NewCatalog(all)
	p := kit.Parts{
		Endpoints: []kit.Endpoint{
			kit.PATCH("/stoa/settings/realm", kit.Admins, s.changeRealm,
				"Changes settings of the organization that modules declare.").
				Operation("updateDeclaredRealmSettings"),
			kit.PATCH("/stoa/settings/user", kit.Humans, s.changeUser,
				"Changes the caller's personal settings that modules declare.").
				Operation("updateDeclaredUserSettings"),
			kit.PATCH("/stoa/settings/channels/:stream_id", kit.Users, s.changeChannel,
				"Changes settings of a channel that modules declare.").Operation("updateDeclaredChannelSettings"),
		},
		Register:  []kit.Section{kit.Register(name, s.section).Named()},
		Events:    []kit.AnyEvent{updated.Any()},
		Directory: []directory.Part{declared.Shared.Part(s.load)},
		Hooks: []kit.Hook{
			kit.On(s.profileDeleted), kit.On(s.deactivated), kit.On(s.reactivated), kit.On(s.directoryChanged),
		},
		Tables: []kit.Table{kit.Exported[row]("A value of a setting that a module declares: of the organization, " +
			"or if an ID is not 0, of that user or channel.")},
	}
	if len(all) > 0 {
		p.Commands = s.commands()
	}
	return p
}

func (s *service) load(ctx context.Context, r realm.ID) (*declared.State, error) {
	set, err := s.store.load(ctx, r)
	return s.catalog.State(set), err
}
