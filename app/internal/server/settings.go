package server

import (
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/stoachat/stoa/adapters/fiberhttp"
	"github.com/stoachat/stoa/adapters/markdown"
	"github.com/stoachat/stoa/adapters/metrics"
	"github.com/stoachat/stoa/adapters/traces"
	"github.com/stoachat/stoa/app/internal/config"
	"github.com/stoachat/stoa/app/internal/registry"
	"github.com/stoachat/stoa/app/internal/secret"
	"github.com/stoachat/stoa/app/internal/systemd"
	"github.com/stoachat/stoa/domain/spelling"
	"github.com/stoachat/stoa/modules/kit"
)

// Settings holds the settings of the server itself, without modules and adapters.
type Settings struct {
	// folder of the server's data; holds the database unless database.url names one
	DataDir string `yaml:"data_dir"`
	// encrypts values that the server reads back, such as bot keys; at least 32 characters, the same on all nodes;
	// empty: read from systemd's credential stoa-secret or, without it, from a file in data_dir
	Secret   kit.Secret       `yaml:"secret"`
	Database Database         `yaml:"database"`
	HTTP     fiberhttp.Config `yaml:"http"`
	Markdown markdown.Config  `yaml:"markdown"`
	Log      Log              `yaml:"log"`
	Metrics  metrics.Config   `yaml:"metrics"`
	Traces   traces.Config    `yaml:"traces"`
	Backup   Backup           `yaml:"backup"`
}

// Backup states where, when and how backups are written.
type Backup struct {
	// s3://bucket/prefix or a folder, also for stoa backup without a target; empty: none
	Target string `yaml:"target"`
	// when the server backs itself up to target: a time of day in UTC such as 03:30, or an interval such as 6h;
	// empty: never
	Schedule string `yaml:"schedule"`
	// which backups are kept: the newest of each of the latest days, weeks and months, such as 7d,4w,12m; empty: all
	Keep string `yaml:"keep"`
	// public keys of age, for which backups are encrypted; empty: not encrypted
	Age []string `yaml:"age"`
	S3  BackupS3 `yaml:"s3"`
}

// BackupS3 holds the settings of the bucket in Backup.Target.
type BackupS3 struct {
	// https://host or http://host:port of the store; here and below, empty: as in adapters.blob
	Endpoint  string     `yaml:"endpoint"`
	Region    string     `yaml:"region"`     // the store's region
	AccessKey kit.Secret `yaml:"access_key"` // of an account that may list, read, write and delete in the bucket
	SecretKey kit.Secret `yaml:"secret_key"` // put it into STOA_BACKUP_S3_SECRET_KEY rather than into a file
}

// Database selects the database.
type Database struct {
	// postgres://user@host/name with one or several hosts, or sqlite:/path/file.db; empty: SQLite in data_dir
	URL string `yaml:"url"`
	// maximum number of PostgreSQL connections per node, without two for notifications; 0: 16. If PostgreSQL grants
	// fewer, requests wait for a connection
	MaxConns int `yaml:"max_connections"`
	// postgres:// URL at which nodes receive each other's notifications; empty: the one in url. Necessary if url leads
	// to a connection pooler in transaction mode, which cannot deliver notifications; without them, nodes poll
	NotifyURL string `yaml:"notify_url"`
	// before a migration changes a SQLite database, copy it to backups/pre-VERSION.db in its folder; the copy of the
	// latest upgrade is kept
	CopyBefore bool `yaml:"copy_before_migration"`
}

// combined is the format of access logs that most web servers write.
const combined = "combined"

var (
	levels  = []string{"debug", "info", "warn", "error"}
	formats = []string{"text", "json"}
	access  = []string{"json", combined}
)

// Validate checks everything that the decoder cannot. Its error has one line per key.
func (s *Settings) Validate() error {
	var all []error
	bad := func(format string, args ...any) { all = append(all, fmt.Errorf(format, args...)) }
	if s.DataDir == "" {
		bad("data_dir: is empty; name a folder, or use STOA_DATA_DIR")
	}
	if s.Secret != "" && len(s.Secret) < secret.MinLength {
		bad("secret: is too short; set STOA_SECRET to at least %d random characters", secret.MinLength)
	}
	if s.Database.MaxConns < 0 {
		bad("database.max_connections: want a whole number from 0, got %d", s.Database.MaxConns)
	}
	if u := s.Database.NotifyURL; u != "" && !strings.HasPrefix(u, "postgres://") &&
		!strings.HasPrefix(u, "postgresql://") {
		bad("database.notify_url: must begin with postgres://")
	}
	if !slices.Contains(levels, s.Log.Level) {
		bad("log.level: unknown level %q%s", s.Log.Level, spelling.Suggest(s.Log.Level, levels))
	}
	if !slices.Contains(formats, s.Log.Format) {
		bad("log.format: unknown format %q%s", s.Log.Format, spelling.Suggest(s.Log.Format, formats))
	}
	if f := s.Log.Access.Format; !slices.Contains(access, f) {
		bad("log.access.format: unknown format %q%s", f, spelling.Suggest(f, access))
	}
	return errors.Join(append(all, s.Backup.problems()...)...)
}

// credential is the name of the secret among the credentials that systemd passes to the service.
const credential = "stoa-secret"

// readCredential takes the secret from systemd's credential, if there is one.
func (s *Settings) readCredential(environ []string) (ps config.Problems) {
	text, err := systemd.Of(environ).Credential(credential)
	switch {
	case err != nil:
		ps.Add("secret", fmt.Sprintf("can't read the credential %s: %v", credential, cause(err)))
	case text != "" && len(text) < secret.MinLength:
		ps.Add("secret", fmt.Sprintf("the credential %s holds fewer than %d characters", credential, secret.MinLength))
	}
	s.Secret = kit.Secret(text)
	return ps
}

// Defaults returns the settings that an empty configuration results in.
func Defaults() Settings {
	return Settings{
		DataDir: "data", Database: Database{CopyBefore: true}, HTTP: fiberhttp.Defaults(),
		Log: Log{Level: "info", Format: "text", Access: Access{Format: "json"}}, Traces: traces.Defaults(),
	}
}

// DatabaseURL returns the database URL, including the default one.
func (s *Settings) DatabaseURL() string {
	if s.Database.URL != "" {
		return s.Database.URL
	}
	return "sqlite:" + filepath.Join(s.DataDir, "stoa.db")
}

// Config is a complete configuration, decoded and validated.
type Config struct {
	Settings Settings
	Plan     registry.Plan
	Warnings []string // one line for each former name in use
}

// Faults returns the problems of the modules' configurations with which the server can start; see kit.Fault.
func (s *Server) Faults() config.Problems {
	var ps config.Problems
	for _, m := range s.Modules().Modules {
		for _, f := range m.Parts.Faults {
			ps.Add(config.Join("modules", m.Module, f.Key), f.Text)
		}
	}
	return ps
}

// Read reads a configuration for the given modules. If it fails, the error is a config.Problems with all problems, and
// the Config holds the valid parts.
func Read(from config.Sources, modules []kit.Module) (Config, error) {
	c := Config{Settings: Defaults()}
	leaves := append(config.Leaves("", reflect.TypeFor[Settings]()), registry.Leaves(modules)...)
	from.Renamed, from.Moved = registry.Renamed(modules), registry.Moved(modules)
	from.Own, from.Has = registry.Contents(modules)
	raw, ps := config.Load(from, leaves)
	if raw == nil {
		return c, ps
	}
	c.Warnings = raw.Warnings
	ps = append(ps, raw.Decode("", &c.Settings, "modules", "adapters")...)
	if c.Settings.Secret == "" {
		ps = append(ps, c.Settings.readCredential(from.Environ)...)
	}
	plan, more := registry.Resolve(modules, raw, builtin(), needs())
	c.Plan = plan
	ps = append(ps, more...)
	if len(ps) > 0 { // also find problems in the contributions of valid modules, to report all together
		ps = append(ps, probe(c, ps)...)
	}
	return c, ps.Err()
}

// Print returns the configuration as YAML, with every key and its value. Secrets are masked.
func (c Config) Print() (string, error) {
	type printed struct {
		Settings `yaml:",inline"`
		Modules  map[string]any `yaml:"modules"`
		Adapters map[string]any `yaml:"adapters,omitempty"`
	}
	p := printed{Settings: c.Settings, Modules: map[string]any{}, Adapters: map[string]any{}}
	for _, m := range c.Plan {
		if m.Slot == "" {
			p.Modules[m.Name] = m.Config
		} else {
			section, err := config.Section(m.Config)
			if err != nil {
				return "", err
			}
			section["use"] = m.Name
			if m.From != nil {
				from, err := config.Section(m.From.Config)
				if err != nil {
					return "", err
				}
				from["use"] = m.From.Name
				section[registry.MovingFrom] = from
			}
			p.Adapters[m.Slot] = section
		}
	}
	return config.Print(p)
}
