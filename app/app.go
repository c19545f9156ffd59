// Package app is a whole server out of modules. A team's server is one line: app.Main(append(standard.Modules(),
// ...)...).
package app

import (
	"context"

	"github.com/stoachat/stoa/app/internal/server"
	"github.com/stoachat/stoa/modules/kit"
)

type (
	// Server is an assembled server: Serve starts it, Stop ends it.
	Server = server.Server
	// Options say what to run and on what.
	Options = server.Options
	// Settings are the keys of the server itself, beside modules and adapters.
	Settings = server.Settings
	// Ports are what a server gives to those who run it.
	Ports = server.Ports
)

// New reads the config, opens the database and assembles those of the modules that the config names; nothing runs yet.
// Errors: all problems of the config, one line each.
func New(ctx context.Context, o Options, modules ...kit.Module) (*Server, error) {
	return server.New(ctx, o, modules...)
}

// Defaults are the keys of the server itself with what they are when nobody says otherwise.
func Defaults() Settings { return server.Defaults() }
