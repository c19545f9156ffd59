package uploads

import (
	"embed"
	"errors"
	"slices"
	"time"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/uploads/internal/files"
	"github.com/stoachat/stoa/modules/uploads/internal/store"
	"github.com/stoachat/stoa/modules/uploads/internal/thumbnails"
	"github.com/stoachat/stoa/modules/uploads/internal/tus"
	"github.com/stoachat/stoa/ports"
)

// Module stores uploaded files.
var Module = kit.Provide("uploads", "Stores the files that users attach to messages.",
	Config{MaxFileMiB: 100, KeepUnused: 5 * 7 * 24 * time.Hour}, wire)

// Config is the configuration of the module.
type Config struct {
	MaxFileMiB int           `yaml:"max_file_mib"` // maximum size of a file in MiB
	KeepUnused time.Duration `yaml:"keep_unused"`  // how long files are kept to which no message refers
}

// Validate checks what the decoder cannot.
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
	Exported  ports.ExportedMessages
	Blobs     ports.Blobs
	Clock     ports.Clock
	Sealer    ports.Sealer
	Images    ports.Images
	Rerender  ports.Rerenderer
}

func wire(cfg Config, n needs) (kit.Parts, ports.Files, error) {
	tables := store.New(n.DB)
	small := thumbnails.New(thumbnails.Needs{
		Store: tables, Work: n.Work, Blobs: n.Blobs, Images: n.Images, Clock: n.Clock, Messages: n.Rerender,
	})
	kept := files.New(files.Config{MaxFile: int64(cfg.MaxFileMiB) << 20, KeepUnused: cfg.KeepUnused}, files.Needs{
		Store: tables, Work: n.Work, Log: n.Log, Directory: n.Directory, Messages: n.Messages, Exported: n.Exported,
		Blobs: n.Blobs,
		Clock: n.Clock, Sealer: n.Sealer, Secrets: n.DB, Probe: small.Probe,
	})
	small.Find = kept.Find
	parts := tus.New(tus.Needs{
		Store: tables, Work: n.Work, Blobs: n.Blobs, Clock: n.Clock, Files: kept, Probe: small.Probe,
		MaxFile: int64(cfg.MaxFileMiB) << 20,
	})
	return kit.Parts{
		Endpoints:  slices.Concat(kept.Endpoints(), small.Endpoints(), parts.Endpoints()),
		Migrations: migrations,
		Blobs:      kept.NamedBlobs(),
		Events:     kept.Events(),
		Hooks:      kept.Hooks(),
		Jobs:       slices.Concat(kept.Jobs(), small.Jobs(), parts.Jobs()),
		Exports:    kept.Exports(),
		Rows: kit.RowsOf("attachments", "attachment_messages", "attachment_scheduled", "upload_blobs", "upload_space",
			"upload_thumbnails",
			"resumable_uploads", "resumable_parts"),
	}, kept, nil
}
