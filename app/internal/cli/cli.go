package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/stoachat/stoa/app/internal/config"
	"github.com/stoachat/stoa/app/internal/server"
	"github.com/stoachat/stoa/configs"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// Exit codes.
const (
	done        = 0
	failed      = 1
	usage       = 2
	absent      = 3 // what the command names does not exist
	refused     = 4 // the command would do harm
	unavailable = 5 // a database or a store does not respond
	forced      = 130
)

type commands struct {
	File        string `name:"config" placeholder:"FILE" help:"Configuration file in YAML (also STOA_CONFIG). Without one: the standard modules, with SQLite in the data directory."`
	DataDir     string `name:"data-dir" placeholder:"DIR" help:"Data directory of the server (also STOA_DATA_DIR)."`
	HTTPAddr    string `name:"http-addr" placeholder:"HOST:PORT" help:"Address to listen on (also STOA_HTTP_ADDR)."`
	DatabaseURL string `name:"database-url" placeholder:"URL" help:"postgres://user@host/name or sqlite:/path/file.db (also STOA_DATABASE_URL)."`

	Serve      serve      `cmd:"" help:"Run the server. The first start creates an organization and its owner."`
	Init       initialize `cmd:"" help:"Create an organization and its owner in an empty database."`
	Modules    modules    `cmd:"" help:"List the modules, whether they are enabled, and their dependencies."`
	Routes     routes     `cmd:"" help:"List all routes and who is allowed to call them."`
	OpenAPI    document   `cmd:"" name:"openapi" help:"Print a description of the API, in the form of OpenAPI."`
	Conf       conf       `cmd:"" name:"config" help:"Check or print the configuration."`
	Migrate    migrate    `cmd:"" help:"List or apply the migrations of the database; finish an upgrade."`
	Upgrade    upgrades   `cmd:"" help:"Check what an upgrade would mean."`
	Blobs      blobs      `cmd:"" help:"Check the stored files, or move them to another store."`
	Health     health     `cmd:"" help:"Report whether the server on this machine works, or is ready for requests."`
	Doctor     doctors    `cmd:"" help:"Look for damage of database, files and settings, and repair it."`
	Support    support    `cmd:"" help:"Collect what helps to understand a problem of this server, without names and texts."`
	Log        logs       `cmd:"" help:"Change the level of the running server's log."`
	Profile    profiles   `cmd:"" help:"Record a profile or a trace of the running server."`
	Backup     backups    `cmd:"" help:"Back up database, files and secret while the server runs; verify backups."`
	Restore    restore    `cmd:"" help:"Restore a backup into an empty server."`
	Version    version    `cmd:"" help:"Print the version."`
	Help       help       `cmd:"" help:"Print the help of a command."`
	Completion completion `cmd:"" help:"Print a shell completion script."`
	Load       loads      `cmd:"" hidden:"" help:"Generate load for a server, to measure how many people it carries."`
	Manual     manual     `cmd:"" hidden:"" help:"Print the manual page stoa(1), for packages."`

	kong.Plugins // the commands of modules with other nouns

	Print kong.VersionFlag `name:"version" help:"Print the version."`
}

// Call is one invocation of the command line.
type Call struct {
	Program  string // the name by which the program was called, for hints; "": stoa
	Args     []string
	Environ  []string
	In       io.Reader
	Out, Err io.Writer
	// Notify registers for the signals that stop a server. The first one stops it gracefully, the second by force.
	Notify func(chan<- os.Signal)
	// NotifyReload registers for the signal that makes a server reload its configuration. It may be nil.
	NotifyReload func(chan<- os.Signal)
	Modules      []kit.Module
	Version      string // "": the version in the build info
}

// env holds what commands need to run.
type env struct {
	Call
	ctx   context.Context
	kind  string // the name of the command
	flags *commands
	model *kong.Application
	kong  []kong.Option
}

// Run runs a command and returns the exit code.
func Run(ctx context.Context, c Call) (code int) {
	type exit int
	defer func() {
		switch p := recover().(type) {
		case nil:
		case exit: // kong has printed help or usage and requests to exit
			code = int(p)
		default:
			panic(p)
		}
	}()
	e := &env{Call: c, ctx: ctx, flags: &commands{File: configFlag(c.Args)}}
	args, all := rewriteHelp(c.Args)
	e.kong = []kong.Option{
		kong.Name("stoa"), kong.Description("A team chat server."), kong.Writers(c.Out, c.Err),
		kong.Exit(func(code int) { panic(exit(code)) }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: !all}),
		kong.UsageOnError(), kong.Vars{"version": c.versions()},
	}
	run, err := e.parse(args)
	if e.kind != "serve" {
		e.ctx = ports.WithCaller(ctx, server.System(0))
	}
	if err == nil {
		err = run()
	}
	if err != nil {
		return e.fail(err)
	}
	return done
}

// parse parses the command line and returns what runs the command. The commands of modules are declared only if needed,
// since that means assembling the configured modules.
func (e *env) parse(args []string) (func() error, error) {
	asksHelp := slices.ContainsFunc(args, func(arg string) bool { return arg == "--help" || arg == "-h" })
	if !asksHelp {
		run, err := e.parseWith(nil, args)
		if err == nil && e.kind != "completion" && e.kind != "manual" {
			return run, nil
		}
	}
	e.flags = &commands{File: configFlag(args)} // the file decides which modules there are
	declared, problem := e.moduleCommands()
	if problem != nil && !asksHelp {
		return nil, problem
	}
	return e.parseWith(declared, args)
}

func (e *env) parseWith(rows []kit.Command, args []string) (func() error, error) {
	e.flags = &commands{}
	e.flags.add(rows)
	parser, err := kong.New(e.flags, e.kong...)
	if err != nil {
		return nil, err
	}
	parsed, err := parser.Parse(args)
	if err != nil {
		return nil, codedError{fmt.Errorf("%w; see %s", err, e.command("--help")), usage}
	}
	e.model = parser.Model
	e.kind, _, _ = strings.Cut(parsed.Command(), " <")
	for _, c := range rows {
		if c.Name == e.kind {
			return func() error { return parsedAs(c, parsed.Selected().Target).run(e) }, nil
		}
	}
	return func() error { return parsed.Run(e) }, nil
}

// codedError is an error with an exit code.
type codedError struct {
	error
	code int
}

// Unwrap returns the error without its code.
func (e codedError) Unwrap() error { return e.error }

// fail prints an error and returns the exit code. It prints configuration problems one per line.
func (e *env) fail(err error) int {
	var ps config.Problems
	var stop forcedError
	switch {
	case errors.As(err, &ps):
		_, _ = fmt.Fprintln(e.Err, ps.Error())
		return usage
	case errors.As(err, &stop):
		e.printError(err.Error())
		return forced
	}
	e.printError(strings.ReplaceAll(err.Error(), "\n", "; "))
	return codeOf(err)
}

// printf writes to standard output. It ignores write errors, because there is nowhere to report them.
func (e *env) printf(format string, args ...any) { _, _ = fmt.Fprintf(e.Out, format, args...) }

// printError writes a line to standard error.
func (e *env) printError(text string) { _, _ = fmt.Fprintln(e.Err, "stoa:", text) }

// end stops a server that a command has used.
func (e *env) end(s *server.Server) {
	if err := s.Stop(context.WithoutCancel(e.ctx)); err != nil {
		e.printError(err.Error())
	}
}

// sources returns the sources of the configuration. Without a file, or with a file that lists no modules, the standard
// modules run.
func (e *env) sources() config.Sources {
	s := config.Sources{
		File:    e.flags.File,
		Base:    configs.Local(),
		Environ: e.Environ,
		Set:     map[string]string{},
		Presets: demoPresets(),
	}
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

func (e *env) open() (*server.Server, error) {
	return server.New(e.ctx, e.options(e.sources()), e.Modules...)
}

func (e *env) options(from config.Sources) server.Options {
	return server.Options{
		ConfigFile: from.File, ConfigText: from.Text, ConfigBase: from.Base, Environ: from.Environ, Set: from.Set,
		Add: from.Add, Presets: from.Presets, Err: e.Err,
		Version: e.version(), Kind: e.kind,
	}
}

// noOrganization returns the error for commands that need an organization if there is none. Its hint repeats the flags
// in use.
func (e *env) noOrganization() error {
	return errors.New(
		"there is no organization yet; create one: " + e.command("init") + e.flagsInUse() +
			" --realm NAME --owner-email ADDRESS --owner-name NAME",
	)
}

// command returns a command line of this program, for hints.
func (e *env) command(args string) string { return shellWord(cmp.Or(e.Program, "stoa")) + " " + args }

// flagsInUse returns the flags of this call that other commands need as well, each after a space. Passwords are masked.
func (e *env) flagsInUse() string {
	var b strings.Builder
	for _, f := range []struct{ name, value string }{
		{"--config", e.flags.File}, {"--data-dir", e.flags.DataDir}, {"--database-url", config.Masked(e.flags.DatabaseURL)},
	} {
		if f.value == "" {
			continue
		}
		b.WriteString(" " + f.name + " " + shellWord(f.value))
	}
	return b.String()
}

// shellWord quotes text as one word of a shell command.
func shellWord(text string) string {
	if strings.ContainsAny(text, " \t\"'$&;()?*|<>\\") {
		return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
	}
	return text
}

// with runs fn with a server that does not listen. The database must exist and its schema must be current: with creates
// and migrates nothing.
func (e *env) with(fn func(s *server.Server) error) error {
	o := e.options(e.sources())
	o.Existing = true
	return e.run(o, (*server.Server).StartExisting, fn)
}

// inspect runs fn with a server on an empty database in memory, which has not started.
func (e *env) inspect(fn func(s *server.Server) error) error {
	s, err := server.Inspect(e.ctx, e.sources(), e.Modules...)
	if err != nil {
		return err
	}
	defer e.end(s)
	return fn(s)
}

// withNewDatabase runs fn with a server that does not listen. It creates the database if necessary and migrates its
// schema.
func (e *env) withNewDatabase(from config.Sources, fn func(s *server.Server) error) error {
	return e.run(e.options(from), (*server.Server).Start, fn)
}

func (e *env) run(
	o server.Options,
	start func(*server.Server, context.Context) error,
	fn func(s *server.Server) error,
) error {
	s, err := server.New(e.ctx, o, e.Modules...)
	if errors.Is(err, server.ErrNoDatabase) {
		return e.noOrganization()
	}
	if err != nil {
		return err
	}
	err = start(s, e.ctx)
	if err == nil {
		err = fn(s)
	}
	if errors.Is(err, server.ErrNoTables) {
		err = e.noOrganization()
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(e.ctx), s.StopTime())
	defer cancel()
	return errors.Join(err, s.Stop(ctx))
}
