// Package app assembles a complete server from modules. A team's own server is a single line:
// app.Main(append(standard.Modules(), ...)...).
package app

import (
	"context"

	"github.com/stoachat/stoa/app/internal/server"
	"github.com/stoachat/stoa/modules/kit"
)

type (
	// Server is an assembled server: Serve starts it, Stop stops it.
	Server = server.Server
	// Options specify the configuration and environment of a server.
	Options = server.Options
	// Settings holds the settings of the server itself, without modules and adapters.
	Settings = server.Settings
	// Ports are the ports that a server offers to its operator.
	Ports = server.Ports
)

// New reads the configuration, opens the database and assembles the configured modules, but starts nothing. The error
// lists all problems in the configuration, one per line.
func New(ctx context.Context, o Options, modules ...kit.Module) (*Server, error) {
	return server.New(ctx, o, modules...)
}

// Defaults returns the settings of an empty configuration.
func Defaults() Settings { return server.Defaults() }
