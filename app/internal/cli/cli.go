package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/stoachat/stoa/app/internal/config"
	"github.com/stoachat/stoa/app/internal/server"
	"github.com/stoachat/stoa/configs"
	"github.com/stoachat/stoa/modules/kit"
)

// The exit codes.
const (
	done   = 0
	failed = 1
	usage  = 2
	forced = 130
)

type commands struct {
	File        string `name:"config" placeholder:"FILE" help:"Configuration in YAML (also STOA_CONFIG). Without one: SQLite in the data directory, all modules of configs/local.yaml."`
	DataDir     string `name:"data-dir" placeholder:"DIR" help:"Folder for what the server keeps (also STOA_DATA_DIR)."`
	HTTPAddr    string `name:"http-addr" placeholder:"HOST:PORT" help:"Address to listen on (also STOA_HTTP_ADDR)."`
	DatabaseURL string `name:"database-url" placeholder:"URL" help:"postgres://user@host/name or sqlite:/path/file.db (also STOA_DATABASE_URL)."`

	Serve      serve      `cmd:"" help:"Run the server. An empty data directory is initialised first."`
	Init       initialise `cmd:"" help:"Make a realm and its owner in an empty database."`
	Realm      realms     `cmd:"" help:"Make, list, deactivate and reactivate realms."`
	User       users      `cmd:"" help:"Make, list and deactivate accounts, and give API keys."`
	Modules    modules    `cmd:"" help:"List the modules: which are on, what each needs and gives."`
	Routes     routes     `cmd:"" help:"List all routes with who may enter."`
	Conf       conf       `cmd:"" name:"config" help:"Check or print the configuration."`
	Migrate    migrate    `cmd:"" help:"Look at or bring up to date the tables of the database."`
	Version    version    `cmd:"" help:"Tell what this program is."`
	Completion completion `cmd:"" help:"Print a script that completes commands in a shell."`
}

// Call is one call of the command line.
type Call struct {
	Args     []string
	Environ  []string
	In       io.Reader
	Out, Err io.Writer
	Notify   func(chan<- os.Signal) // asks for the signals that stop a server: the first gently, the second by force
	Modules  []kit.Module
	Version  string // "" takes what Go has noted in the program
}

// env is what a command runs with.
type env struct {
	Call
	ctx   context.Context
	flags *commands
	model *kong.Application
}

// Run runs a command and gives the exit code.
func Run(ctx context.Context, c Call) (code int) {
	type exit int
	defer func() {
		if e, ok := recover().(exit); ok { // kong prints help or usage and asks to exit
			code = int(e)
		}
	}()
	flags := &commands{}
	e := &env{Call: c, ctx: ctx, flags: flags}
	parser, err := kong.New(flags,
		kong.Name("stoa"), kong.Description("A team chat server."), kong.Writers(c.Out, c.Err),
		kong.Exit(func(code int) { panic(exit(code)) }), kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.UsageOnError(),
	)
	if err != nil {
		e.complain(err.Error())
		return failed
	}
	parsed, err := parser.Parse(c.Args)
	if err != nil {
		e.complain(err.Error() + "; see stoa --help")
		return usage
	}
	e.model = parser.Model
	if err := parsed.Run(e); err != nil {
		return e.fail(err)
	}
	return done
}

// fail prints an error: problems of the config as they are, one per line.
func (e *env) fail(err error) int {
	var ps config.Problems
	var stop forcedError
	switch {
	case errors.As(err, &ps):
		_, _ = fmt.Fprintln(e.Err, ps.Error())
		return usage
	case errors.As(err, &stop):
		e.complain(err.Error())
		return forced
	}
	e.complain(strings.ReplaceAll(err.Error(), "\n", "; "))
	return failed
}

// say writes to standard output. An error has nobody who could be told.
func (e *env) say(format string, args ...any) { _, _ = fmt.Fprintf(e.Out, format, args...) }

// complain writes a line to standard error.
func (e *env) complain(text string) { _, _ = fmt.Fprintln(e.Err, "stoa:", text) }

// end closes a server that was only looked at or whose database was used.
func (e *env) end(s *server.Server) {
	if err := s.Stop(context.WithoutCancel(e.ctx)); err != nil {
		e.complain(err.Error())
	}
}

// sources are where the config comes from. Without a file, and in a file without modules, the standard set runs.
func (e *env) sources() config.Sources {
	s := config.Sources{File: e.flags.File, Base: configs.Local(), Environ: e.Environ, Set: map[string]string{}}
	if s.File == "" {
		s.File = e.variable("STOA_CONFIG")
	}
	for path, v := range map[string]string{
		"data_dir": e.flags.DataDir, "http.addr": e.flags.HTTPAddr, "database.url": e.flags.DatabaseURL,
	} {
		if v != "" {
			s.Set[path] = v
		}
	}
	return s
}

func (e *env) variable(name string) string {
	for _, v := range e.Environ {
		if value, ok := strings.CutPrefix(v, name+"="); ok {
			return value
		}
	}
	return ""
}

func (e *env) open() (*server.Server, error) { return e.openWith(e.sources(), e.Modules) }

func (e *env) openWith(from config.Sources, modules []kit.Module) (*server.Server, error) {
	return server.New(e.ctx, server.Options{
		ConfigFile: from.File, ConfigText: from.Text, ConfigBase: from.Base, Environ: from.Environ, Set: from.Set, Add: from.Add, Err: e.Err,
	}, modules...)
}

// with runs fn with a started server that does not listen: tables up to date, kernel running.
func (e *env) with(fn func(s *server.Server) error) error {
	return e.withFrom(e.sources(), fn)
}

func (e *env) withFrom(from config.Sources, fn func(s *server.Server) error) error {
	s, err := e.openWith(from, e.Modules)
	if err != nil {
		return err
	}
	err = s.Start(e.ctx)
	if err == nil {
		err = fn(s)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(e.ctx), grace)
	defer cancel()
	return errors.Join(err, s.Stop(ctx))
}
