package uploads

import (
	"embed"
	"errors"
	"slices"
	"time"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/scheduled"
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
	KeepUnused time.Duration `yaml:"keep_unused"`  // how long files are kept if no message refers to them
}

// Validate checks the configuration.
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
	Exported  kit.Query[message.InExport, []message.ID]
	Waiting   kit.Query[scheduled.Waiting, []scheduled.Message]
	Blobs     ports.Blobs
	Clock     ports.Clock
	Node      ports.Node
	Sealer    ports.Sealer
	Images    ports.Images
	Rerender  ports.Rerenderer
	Metrics   *ports.Metrics
}

// provides holds the ports that the module provides.
type provides struct {
	fx.Out
	Files   ports.Files
	Imports ports.FileImport
}

func wire(cfg Config, n needs) (kit.Parts, provides, error) {
	tables := store.New(n.DB)
	thumbs := thumbnails.New(thumbnails.Needs{
		Store: tables, Work: n.Work, Blobs: n.Blobs, Images: n.Images, Clock: n.Clock, Node: n.Node,
		Messages: n.Rerender, Metrics: n.Metrics,
	})
	fileService := files.New(files.Config{MaxFile: int64(cfg.MaxFileMiB) << 20, KeepUnused: cfg.KeepUnused}, files.Needs{
		Store: tables, Work: n.Work, Log: n.Log, Directory: n.Directory, Messages: n.Messages, Exported: n.Exported,
		Waiting: n.Waiting, Rerender: n.Rerender,
		Blobs: n.Blobs, Clock: n.Clock, Sealer: n.Sealer, Secrets: n.DB, Probe: thumbs.Probe,
		ThumbnailQueued: thumbs.Queued, Metrics: n.Metrics,
	})
	thumbs.Find = fileService.Find
	resumable := tus.New(tus.Needs{
		Store: tables, Work: n.Work, Blobs: n.Blobs, Clock: n.Clock, Node: n.Node, Files: fileService,
		Probe:   thumbs.Probe,
		MaxFile: int64(cfg.MaxFileMiB) << 20,
	})
	return kit.Parts{
		Endpoints:  slices.Concat(fileService.Endpoints(), thumbs.Endpoints(), resumable.Endpoints()),
		Migrations: migrations,
		Blobs:      fileService.NamedBlobs(),
		Doctor:     tables.Diagnoses(n.Blobs, n.Clock.Now().Add(cfg.KeepUnused)),
		Events:     fileService.Events(),
		Hooks:      fileService.Hooks(),
		Answers:    fileService.Answers(),
		Jobs:       slices.Concat(fileService.Jobs(), thumbs.Jobs(), resumable.Jobs()),
		Tables:     fileService.Tables(),
		CatchUp:    fileService.CatchUp,
		Leases: []kit.Lease{
			{Table: "upload_thumbnails", Column: "holder", Due: "due_at"}, {Table: "resumable_uploads", Column: "holder"},
		},
	}, provides{Files: fileService, Imports: fileService}, nil
}
