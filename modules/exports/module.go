package exports

import (
	"embed"
	"errors"
	"log/slog"
	"time"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/export"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

//go:embed migrations
var migrations embed.FS

// Module exports organizations.
var Module = kit.Define(
	"exports",
	"Writes archives of an organization for its administrators.",
	Config{Keep: 30 * 24 * time.Hour, PartMiB: 32},
	wire,
)

// Config is the configuration of the module.
type Config struct {
	Keep    time.Duration `yaml:"keep"`     // how long archives can be downloaded; 0: until they are deleted
	PartMiB int           `yaml:"part_mib"` // approximate size of each blob of an archive, in MiB before compression
}

// Validate checks what the decoder cannot.
func (c Config) Validate() error {
	switch {
	case c.Keep != 0 && c.Keep < time.Hour:
		return errors.New("keep: want 0, or 1h or more")
	case c.PartMiB < 1 || c.PartMiB > 1024:
		return errors.New("part_mib: want 1 to 1024")
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
	Blobs     ports.Blobs
	Clock     ports.Clock
	Node      ports.Node
	Collected *kit.Collected
	Logger    *slog.Logger

	About kit.QueryAll[export.AboutUser, export.Part]
}

type service struct {
	needs
	cfg     Config
	rows    store
	backlog kit.Backlog // exports to be written
}

func wire(cfg Config, n needs) (kit.Parts, error) {
	s := &service{needs: n, cfg: cfg, rows: store{n.DB}, backlog: kit.Backlog{Earliest: earliest}}
	return kit.Parts{
		Schemas: []kit.Schema{
			kit.SchemaOf[wireExport]("Export", "An export of the organization."),
			kit.SchemaOf[wireConsent]("ExportConsent", "Whether a user allows the export of private data."),
		},
		Endpoints: []kit.Endpoint{
			kit.GET("/export/realm", kit.Admins, s.list, "Lists the exports of the organization, oldest first.").
				Operation("getExports"),
			kit.POST("/export/realm", kit.Admins, s.start, "Starts an export of the organization.").
				Operation("startExport"),
			kit.DELETE("/export/realm/:export_id", kit.Admins, s.remove, "Deletes the archive of an export.").
				Operation("deleteExport"),
			kit.GET(
				"/export/realm/consents",
				kit.Admins,
				s.consents,
				"Lists which users allow the export of their private data.",
			).Operation("getExportConsents"),
			kit.GET(export.Prefix+":token/:filename", kit.Admins, s.download, "The archive of an export.").
				AtRoot().
				Rate(kit.RateFiles),
		},
		Commands: []kit.Command{
			kit.NewExport("export archive", s.exportArchive, "Write an archive of an organization, as a .tar.gz file."),
			kit.NewCommand("export folder", s.exportFolder,
				"Write an organization to a folder that people can read without Stoa."),
			kit.NewExport("user export", s.person,
				"Write the data of a user to a ZIP file: profile, messages, files, reactions, sessions and settings."),
		},
		Migrations: migrations,
		Leases:     []kit.Lease{{Table: "exports", Column: "holder", Due: "due_at"}},
		Blobs:      []kit.BlobKeys{{Prefix: keyPrefix, List: s.keys}},
		Events:     []kit.AnyEvent{changed.Late(s.load).Any(), consentChanged.Any()},
		Hooks:      []kit.Hook{kit.On(s.settingsChanged), kit.On(s.erase), kit.On(s.erasePerson)},
		Jobs: []kit.Job{
			{Name: "write", Every: 5 * time.Second, Backlog: &s.backlog, Timeout: time.Hour, Run: s.write},
			{Name: "remove", Deletes: true, Every: time.Minute, Timeout: 10 * time.Minute, Run: s.clean},
		},
		Tables: []kit.Table{
			kit.NotExported[row]("an archive does not contain other archives"),
			kit.NotExported[partRow]("an archive does not contain other archives"),
		},
	}, nil
}
