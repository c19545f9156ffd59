package imports

import (
	"context"
	"embed"
	"errors"
	"log/slog"
	"time"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/emoji"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/imports/internal/engine"
	"github.com/stoachat/stoa/modules/imports/internal/store"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

//go:embed migrations
var migrations embed.FS

// Module imports organizations.
var Module = kit.Define(
	"imports",
	"Imports organizations from archives of Stoa and of other programs.",
	Config{MaxArchiveGiB: 50, Keep: 14 * 24 * time.Hour},
	wire,
)

// Config is the configuration of the module.
type Config struct {
	MaxArchiveGiB int64         `yaml:"max_archive_gib"` // maximum size of an archive that owners upload, one at a time
	Keep          time.Duration `yaml:"keep"`            // how long an import is kept that owners do not complete
}

// Validate checks what the decoder cannot.
func (c Config) Validate() error {
	switch {
	case c.MaxArchiveGiB < 1 || c.MaxArchiveGiB > 1024:
		return errors.New("max_archive_gib: want 1 to 1024")
	case c.Keep < time.Hour:
		return errors.New("keep: want 1h or more")
	}
	return nil
}

type needs struct {
	fx.In
	DB        *bunstore.DB
	Work      ports.UnitOfWork
	Log       ports.EventLog
	Reset     ports.LogReset
	Hooks     ports.Hooks
	Directory ports.Directory
	Realms    ports.Realms
	States    ports.RealmStates
	Messages  ports.MessageImport
	Files     ports.FileImport `optional:"true"`
	Emoji     ports.Emoji
	Avatars   kit.Query[user.UploadedAvatar, user.SetAvatar]
	Emojis    kit.Query[emoji.Uploaded, emoji.Add]
	Clock     ports.Clock
	DataDir   ports.DataDir
	Collected *kit.Collected
	Logger    *slog.Logger
	Blobs     ports.Blobs
	Audit     ports.Audit
	Site      ports.Site
	Links     ports.ResetLinks `optional:"true"`
	Webhooks  ports.Webhooks   `optional:"true"`

	HasPassword kit.Query[user.HasPassword, bool]
}

type service struct {
	needs
	cfg     Config
	rows    *store.Store
	engine  *engine.Engine
	backlog kit.Backlog // uploaded archives to be checked or imported
}

func wire(cfg Config, n needs) (kit.Parts, error) {
	rows := store.New(n.DB)
	s := &service{needs: n, cfg: cfg, rows: rows, backlog: kit.Backlog{Earliest: store.EarliestJob}}
	s.engine = engine.New(engine.Needs{
		Store: rows, Work: n.Work, Log: n.Log, Reset: n.Reset, Hooks: n.Hooks, Directory: n.Directory, Realms: n.Realms,
		States: n.States, Messages: n.Messages, Files: n.Files, Emoji: n.Emoji, Clock: n.Clock, Logger: n.Logger,
		Tables: n.Collected.Tables, Avatars: n.Avatars, Emojis: n.Emojis,
	})
	return kit.Parts{
		Endpoints:  s.ownerEndpoints(),
		Register:   []kit.Section{kit.Register("stoa_imports", s.section).Named()},
		Commands:   s.commands(),
		Migrations: migrations,
		Tables:     store.Tables(),
		Hooks:      []kit.Hook{kit.On(s.reactivating), kit.On(s.erase)},
		Blobs:      []kit.BlobKeys{{Prefix: keyPrefix, List: s.keys}},
		Jobs: []kit.Job{
			{Name: "run", Every: 5 * time.Second, Backlog: &s.backlog, Timeout: 7 * 24 * time.Hour, Run: s.work},
			{Name: "expire", Deletes: true, Every: time.Hour, Timeout: 10 * time.Minute, Run: s.expire},
		},
		Words:   words,
		Schemas: []kit.Schema{kit.SchemaOf[wireJob]("Import", "The import of an archive that an owner has uploaded.")},
	}, nil
}

// reactivating keeps people out of an organization whose import is not complete.
func (s *service) reactivating(ctx context.Context, m *realm.Reactivating) error {
	run, err := s.rows.Run(ctx, m.Realm)
	if err == nil && run != nil && !run.Complete {
		err = errs.Bad("The import of this organization is not complete: run the command of the import again, or delete " +
			"the organization.")
	}
	return err
}
