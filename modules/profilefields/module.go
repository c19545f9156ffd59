package profilefields

import (
	"embed"
	"errors"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

//go:embed migrations
var migrations embed.FS

// Module manages custom profile fields.
var Module = kit.Define("profilefields", "Custom profile fields.", Config{MaxPerRealm: 50}, wire)

// Config is the configuration of the module.
type Config struct {
	MaxPerRealm int `yaml:"max_per_realm"` // maximum number of fields per realm; a tenth is kept for owners
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
	Renderer  ports.Renderer
	Updates   ports.UserUpdates
}

type service struct {
	needs
	cfg  Config
	rows store
}

func wire(cfg Config, n needs) (kit.Parts, error) {
	s := &service{n, cfg, store{n.DB}}
	return kit.Parts{
		Endpoints: []kit.Endpoint{
			kit.GET("/realm/profile_fields", kit.Users, s.list, "Lists the custom profile fields in order."),
			kit.POST("/realm/profile_fields", kit.Admins, s.add, "Adds a field at the end of the list."),
			kit.PATCH("/realm/profile_fields", kit.Admins, s.reorder, "Reorders the fields.").
				Operation("reorderProfileFields"),
			kit.PATCH("/realm/profile_fields/:field_id", kit.Admins, s.update, "Changes a field."),
			kit.DELETE("/realm/profile_fields/:field_id", kit.Admins, s.remove, "Removes a field with all its values."),
			kit.PATCH("/users/me/profile_data", kit.Humans, s.setValues, "Sets fields of the caller's profile.").
				Operation("setOwnProfileData"),
			kit.DELETE("/users/me/profile_data", kit.Humans, s.removeValues, "Clears fields of the caller's profile.").
				Operation("clearOwnProfileData"),
		},
		Tables: []kit.Table{
			kit.Imported(kit.Exported[fieldRow]("A custom profile field."), adaptField),
			kit.Imported(kit.Exported[profileRow]("The values of a user's profile, by field."), adaptProfile),
		},
		Migrations: migrations,
		Register:   []kit.Section{kit.Register("custom_profile_fields", s.section)},
		Events:     []kit.AnyEvent{changedFields.Any()},
		Answers:    []kit.Answer{kit.Answers(s.profiles), kit.Answers(s.fieldsOf)},
		Hooks:      []kit.Hook{kit.On(s.setForUser), kit.On(s.createAll), kit.On(s.profileDeleted).Again()},
	}, nil
}
