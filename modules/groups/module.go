package groups

import (
	"context"
	"embed"
	"errors"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// Module manages user groups.
var Module = kit.Provide(
	"groups",
	"User groups: system groups, which follow from roles, and those that users create.",
	Config{MaxPerRealm: 5000, MaxPerAuthor: 250, MaxDaily: 50},
	wire,
)

// Config is the configuration of the module.
type Config struct {
	// maximum number of user groups per realm, without deactivated ones; a fifth is kept for administrators
	MaxPerRealm int `yaml:"max_per_realm"`
	// maximum number of user groups per author, including deactivated ones; administrators are exempt
	MaxPerAuthor int `yaml:"max_per_author"`
	// maximum number of user groups created by one user per day; ten times as many for administrators, unlimited for
	// owners
	MaxDaily int `yaml:"max_daily"`
}

// Validate checks the configuration.
func (c Config) Validate() error {
	if c.MaxPerRealm < 1 || c.MaxPerRealm > 20_000 {
		return errors.New("max_per_realm: want 1 to 20000")
	}
	if c.MaxPerAuthor < 1 || c.MaxDaily < 1 {
		return errors.New("max_per_author, max_daily: want 1 or more")
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
	Directory ports.Directory
	Hooks     ports.Hooks
	Clock     ports.Clock

	Announced kit.Query[permission.WaitingPeriod, permission.Announced]
}

type service struct {
	needs
	cfg   Config
	store store
}

func wire(cfg Config, n needs) (kit.Parts, ports.Groups, error) {
	s := &service{n, cfg, store{n.DB}}
	return kit.Parts{
		Schemas: []kit.Schema{kit.SchemaOf[record]("UserGroup", "A user group.")},
		Endpoints: []kit.Endpoint{
			kit.GET("/user_groups", kit.Members, s.list, "Lists user groups."),
			kit.POST("/user_groups/create", kit.Members, s.create, "Creates a group."),
			kit.PATCH(
				"/user_groups/:user_group_id",
				kit.Members,
				s.update,
				"Changes a group's name, description or permissions, or reactivates it.",
			),
			kit.POST("/user_groups/:user_group_id/deactivate", kit.Members, s.deactivate, "Deactivates a group."),
			kit.DELETE("/user_groups/:user_group_id", kit.Owners, s.delete, "Deletes a deactivated group for good."),
			kit.GET("/user_groups/:user_group_id/members", kit.Members, s.members, "Lists a group's members."),
			kit.POST(
				"/user_groups/:user_group_id/members",
				kit.Members,
				s.changeMembers,
				"Adds and removes members and subgroups.",
			).Operation("updateUserGroupMembers"),
			kit.GET(
				"/user_groups/:user_group_id/members/:user_id",
				kit.Members,
				s.isMember,
				"Reports whether a user is a member of a group.",
			).Operation("isUserGroupMember"),
			kit.GET("/user_groups/:user_group_id/subgroups", kit.Members, s.subgroups, "Lists a group's subgroups."),
			kit.POST("/user_groups/:user_group_id/subgroups", kit.Members, s.changeSubgroups, "Adds and removes subgroups.").
				Operation("updateUserGroupSubgroups"),
		},
		Tables: []kit.Table{
			kit.Imported(kit.Exported[groupRow]("A group created by a user."), adaptGroup),
			kit.Exported[memberRow]("A member of a group."),
			kit.Exported[subgroupRow]("A group that is a member of a group."),
		},
		Migrations: migrations,
		Register:   []kit.Section{kit.Register("realm_user_groups", s.section).Spectators().Compress("realm_user_groups")},
		Events: []kit.AnyEvent{
			added.Any(), updated.Any(), membersAdded.Any(), membersRemoved.Any(), subgroupsAdded.Any(), subgroupsRemoved.Any(),
			removed.Any(),
		},
		Hooks: []kit.Hook{
			kit.On(s.joined),
			kit.On(s.roleChanged),
			kit.On(s.deactivated),
			kit.On(s.reactivated),
			kit.On(s.becameFullMembers),
			kit.On(s.waitingPeriodChanged),
			kit.On(s.joinDateChanged),
		},
		Directory: []directory.Part{{Name: "groups", Load: s.load}},
	}, port{s}, nil
}

func (s *service) load(ctx context.Context, r realm.ID, b *directory.Builder) error {
	all, err := s.store.All(ctx, r)
	for _, g := range all {
		b.Group(g)
	}
	return err
}
