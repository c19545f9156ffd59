package cli

import (
	"fmt"
	"runtime/debug"

	"github.com/alecthomas/kong"

	"github.com/stoachat/stoa/app/internal/server"
	"github.com/stoachat/stoa/domain/realm"
)

type version struct{}

// Run prints the version.
func (version) Run(e *env) error {
	e.printf("%s\n", e.versions())
	return nil
}

// version returns the version set at build time, or else the one in the build info.
func (c Call) version() string {
	if c.Version != "" {
		return c.Version
	}
	return server.BuildVersion()
}

// versions describes the program in two lines.
func (c Call) versions() string {
	commit, golang := "", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		golang = info.GoVersion
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" && len(s.Value) >= 12 {
				commit = ", commit " + s.Value[:12]
			}
		}
	}
	return fmt.Sprintf(
		"stoa %s%s, %s\ninterface %s, feature level %d",
		c.version(),
		commit,
		golang,
		realm.Version,
		realm.FeatureLevel,
	)
}

type help struct {
	Command []string `arg:"" optional:"" help:"A command, such as user create."`
	All     bool     `short:"a" help:"List all commands, with a sentence for each."`
}

// Run is never called: the command line turns "help COMMAND" into "COMMAND --help", which kong handles.
func (help) Run(*env, *kong.Context) error { return nil }

// rewriteHelp turns "help user create" into "user create --help". The help of "backup" is that of its default command.
// It also reports whether to list all commands.
func rewriteHelp(args []string) (rewritten []string, all bool) {
	if len(args) > 0 && args[0] == "help" {
		if len(args) > 1 && (args[1] == "-a" || args[1] == "--all") {
			return []string{"--help"}, true
		}
		args = append(append([]string{}, args[1:]...), "--help")
	}
	if len(args) == 2 && args[0] == "backup" && (args[1] == "--help" || args[1] == "-h") {
		args = []string{"backup", "create", "--help"}
	}
	return args, false
}
