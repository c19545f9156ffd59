package ldap

import (
	"context"
	"embed"
	"fmt"
	"log/slog"
	"time"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/bunstore"
	domain "github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/signin"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// Module logs in users with their passwords in an LDAP directory.
var Module = kit.Define("ldap", "Logs in users with their passwords in an LDAP directory.", Config{}, wire).Optional()

//go:embed migrations
var migrations embed.FS

type needs struct {
	fx.In
	DB         *bunstore.DB
	Work       ports.UnitOfWork
	Directory  ports.Directory
	Clock      ports.Clock
	Realms     ports.Realms
	Logger     *slog.Logger
	Identities ports.Identities
	Accounts   ports.Accounts
	Sources    ports.PasswordSources
}

type service struct {
	needs
	rows        store
	directories []*directory
}

func wire(cfg Config, n needs) (kit.Parts, error) {
	s := &service{needs: n, rows: store{n.DB}}
	for i, c := range cfg.Directories {
		d, err := newDirectory(c.filled(), n.Clock)
		if err != nil {
			return kit.Parts{}, fmt.Errorf("modules.ldap.directories.%d.%w", i, err)
		}
		s.directories = append(s.directories, d)
		n.Sources.Add(source{s, d})
	}
	return kit.Parts{
		Tables: []kit.Table{
			kit.NotExported[person]("internal state of this server: names in a directory of its configuration"),
		},
		Migrations: migrations,
		Commands:   s.commands(),
		Health:     s.checks(),
		Trials:     s.trials(),
		Jobs: []kit.Job{
			{Name: "sync", Every: time.Hour, Timeout: 30 * time.Minute, Run: s.syncAll},
			{Name: "close_connections", Every: 10 * time.Minute, Everywhere: true, Run: s.closeConnections},
		},
		Hooks:   []kit.Hook{kit.On(s.reactivated), kit.On(s.profileDeleted).Again()},
		Answers: []kit.Answer{kit.Answers(s.manages)},
	}, nil
}

// manages answers signin.Manages.
func (s *service) manages(ctx context.Context, q signin.Manages) (signin.Provider, error) {
	v, err := s.Directory.View(ctx, q.Realm)
	if err != nil {
		return signin.Provider{}, err
	}
	for _, d := range s.directories {
		if d.about.ID == q.Provider && d.serves(v) {
			return d.about, nil
		}
	}
	return signin.Provider{}, nil
}

// closeConnections is the job that closes idle connections, so that they do not outlive what a directory allows.
func (s *service) closeConnections(context.Context) error {
	for _, d := range s.directories {
		d.close()
	}
	return nil
}

// serves reports whether an organization can use the directory.
func (d *directory) serves(v *domain.View) bool {
	return v.Realm() != nil && (d.Realm == "" || d.Realm == v.Realm().StringID)
}

// reactivated is the hook that forgets that a synchronization has deactivated a user.
func (s *service) reactivated(ctx context.Context, m *user.Reactivated) error {
	return s.rows.Unmark(ctx, m.User)
}

// profileDeleted is the hook that forgets the names of a deleted user.
func (s *service) profileDeleted(ctx context.Context, m *user.ProfileDeleted) error {
	return s.rows.Forget(ctx, m.User.ID)
}
