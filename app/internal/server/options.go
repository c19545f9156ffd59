package server

import (
	"io"
	"log/slog"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/app/internal/config"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// Options specify the configuration and environment of a server.
type Options struct {
	ConfigFile string            // path of a YAML file
	ConfigText string            // the content of a YAML file, instead of ConfigFile
	ConfigBase string            // YAML whose modules and adapters apply if the configuration lists none; "": none
	Environ    []string          // variables of the form STOA_NAME=value; others are ignored
	Set        map[string]string // keys by path, such as "http.addr", that override everything else
	Add        []string          // sections to add, even if empty, such as "modules.demo"
	Presets    []config.Preset   // defaults that apply if a section is present

	Log   *slog.Logger // nil: as configured, to Err
	Err   io.Writer    // nil: standard error
	Clock ports.Clock  // nil: the system clock
	// Version is the version that the server reports. If it is "", that is the version in the build info.
	Version  string
	Resolver Resolver     // nil: that of the system
	DB       *bunstore.DB // nil: opened from the configuration, and closed by Stop
	// Force migrates the database even if it is used by processes that know other migrations.
	Force bool
	// NoCopy migrates a SQLite database without copying it first.
	NoCopy bool
	// Kind is what the process does, for operators who look at the table nodes. "": serve
	Kind string
	// Serving makes New fail, before it creates anything, if http.addr is in use, or if another process serves the same
	// SQLite database, and Serve wait for PostgreSQL if that does not respond.
	Serving bool
	// Existing makes New fail with ErrNoDatabase, without creating anything, if the database does not exist.
	Existing bool
	// Restoring opens the database for a restore: exclusively, and even if the data directory holds other files.
	Restoring bool
	// ManualJobs disables running jobs and renewing leases periodically: RunJob and RenewNode do.
	ManualJobs bool
	// Wrap replaces each endpoint, so that tests can observe its calls. If it is nil, endpoints are used as they are.
	Wrap func(kit.Endpoint) kit.Endpoint
	// Patience multiplies the timeouts of the kernel, and those of a database that the server opens itself. Zero means 1.
	// Tests set it.
	Patience int
}

// Sources returns the options' sources of the configuration.
func (o Options) Sources() config.Sources {
	return config.Sources{
		File:    o.ConfigFile,
		Text:    o.ConfigText,
		Base:    o.ConfigBase,
		Environ: o.Environ,
		Set:     o.Set,
		Add:     o.Add,
		Presets: o.Presets,
	}
}
