package uploads

import (
	"embed"
	"errors"
	"time"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/uploads/internal/files"
	"github.com/stoachat/stoa/modules/uploads/internal/store"
	"github.com/stoachat/stoa/ports"
)

// Module is the module.
var Module = kit.Define("uploads", "Stores the files that people attach to messages.",
	Config{MaxFileMiB: 100, KeepUnused: 5 * 7 * 24 * time.Hour}, wire)

// Config is the module's settings.
type Config struct {
	MaxFileMiB int           `yaml:"max_file_mib"` // largest file, in MiB
	KeepUnused time.Duration `yaml:"keep_unused"`  // how long files are kept that no message refers to
}

// Validate checks what the decoder can't.
func (c Config) Validate() error {
	switch {
	case c.MaxFileMiB < 1 || c.MaxFileMiB > 1<<20:
		return errors.New("max_file_mib: want 1 to 1048576")
	case c.KeepUnused < time.Hour:
		return errors.New("keep_unused: want 1h or more")
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
	Messages  ports.Messages
	Blobs     ports.Blobs
	Clock     ports.Clock
	Sealer    ports.Sealer
}

func wire(cfg Config, n needs) (kit.Parts, error) {
	kept := files.New(files.Config{MaxFile: int64(cfg.MaxFileMiB) << 20, KeepUnused: cfg.KeepUnused}, files.Needs{
		Store: store.New(n.DB), Work: n.Work, Log: n.Log, Directory: n.Directory, Messages: n.Messages, Blobs: n.Blobs,
		Clock: n.Clock, Sealer: n.Sealer,
	})
	return kit.Parts{
		Endpoints:  kept.Endpoints(),
		Migrations: migrations,
		Events:     kept.Events(),
		Hooks:      kept.Hooks(),
		Jobs:       kept.Jobs(),
		Rows:       kit.RowsOf("attachments", "attachment_messages", "upload_blobs", "upload_space"),
	}, nil
}
