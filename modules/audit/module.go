package audit

import (
	"context"
	"embed"
	"errors"
	"time"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/audit"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/audit/internal/sink"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

//go:embed migrations
var migrations embed.FS

// Module keeps the audit log.
var Module = kit.Define("audit", "The log of who changed what in an organization.", Config{
	RetentionDays: 400,
	File:          sink.File{Format: "jsonl"},
	Syslog:        sink.Syslog{Format: "jsonl"},
	HTTP:          sink.HTTP{Format: "jsonl"},
}, wire)

// Config is the configuration of the module.
type Config struct {
	RetentionDays int `yaml:"retention_days"` // age at which entries are deleted; 0: never

	File   sink.File   `yaml:"file"`
	Syslog sink.Syslog `yaml:"syslog"`
	HTTP   sink.HTTP   `yaml:"http"`
}

// Validate checks the configuration.
func (c Config) Validate() error {
	if c.RetentionDays < 0 || c.RetentionDays > 36500 {
		return errors.New("retention_days: want 0 to 36500")
	}
	return errors.Join(c.File.Problem(), c.Syslog.Problem(), c.HTTP.Problem())
}

type needs struct {
	fx.In
	DB        *bunstore.DB
	Work      ports.UnitOfWork
	Directory ports.Directory
	Audit     ports.Audit
	Clock     ports.Clock
	Metrics   *ports.Metrics
}

type service struct {
	needs
	cfg   Config
	store store
	sinks []*forwarding
}

func wire(cfg Config, n needs) (kit.Parts, error) {
	s := &service{needs: n, cfg: cfg, store: store{n.DB}}
	s.sinks = s.forwardings()
	jobs := []kit.Job{{
		Name: "delete old entries", Every: 24 * time.Hour, Timeout: time.Hour, Deletes: true, Run: s.deleteOld,
	}}
	for _, f := range s.sinks {
		jobs = append(jobs, f.job())
	}
	return kit.Parts{
		Endpoints: []kit.Endpoint{
			kit.GET("/audit_log", kit.Owners, s.list, "Lists entries of the audit log, newest first."),
			kit.GET("/audit_log/export", kit.Owners, s.export, "Returns entries of the audit log as a file, oldest first.").
				Operation("exportAuditLog"),
		},
		Commands:   s.commands(),
		Jobs:       jobs,
		Answers:    []kit.Answer{kit.Answers(s.aboutUser)},
		Migrations: migrations,
		Hooks: []kit.Hook{
			kit.On(s.committing), kit.On(s.loginChanged), kit.On(s.profileDeleted), kit.On(s.messageDeletionRequested),
			kit.On(s.erasing),
		},
		Tables: []kit.Table{
			kit.NotExported[row]("The audit log has a download of its own."),
			kit.NotExported[personalRow]("The audit log has a download of its own."),
			kit.NotExported[headRow]("It proves that the audit log is complete."),
			kit.NotExported[sinkRow]("What was sent to other systems.").OnRestore(kit.Dropped),
		},
	}, nil
}

func (s *service) loginChanged(ctx context.Context, m *user.LoginChanged) error {
	if !m.Password {
		return nil
	}
	return s.Audit.Record(ctx, audit.Fact{
		Realm: m.Realm, Action: audit.UserPasswordChanged, Target: audit.To(audit.User, m.User.ID),
		Old: audit.Values{"password": audit.Secret}, New: audit.Values{"password": audit.Secret},
	})
}

func (s *service) profileDeleted(ctx context.Context, m *user.ProfileDeleted) error {
	return s.Audit.Record(ctx, audit.Fact{
		Realm: m.Realm, Action: audit.UserDeleted, Target: audit.To(audit.User, m.User.ID),
	})
}

// erasing erases the address of a user from entries about others, such as an invitation. What entries contain about the
// user is deleted as declared for the table.
func (s *service) erasing(ctx context.Context, m *user.Erasing) error {
	return s.Work.Do(ctx, func(ctx context.Context) error {
		return s.store.EraseNaming(ctx, m.Realm, user.EmailKey(m.User.DeliveryEmail))
	})
}

func (s *service) messageDeletionRequested(ctx context.Context, m *user.MessageDeletionRequested) error {
	return s.Audit.Record(ctx, audit.Fact{
		Realm: m.Realm, Action: audit.UserMessagesDeleted, Target: audit.To(audit.User, m.User),
	})
}
