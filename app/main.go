package app

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/stoachat/stoa/app/internal/cli"
	"github.com/stoachat/stoa/modules/kit"
)

// Version is the version printed by stoa version. It is set at build time: -ldflags '-X
// github.com/stoachat/stoa/app.Version=v1'. If it is empty, the version in the build info is printed.
var Version string

// Main is the main function of a server. It runs the command line with the given modules; the configuration selects
// which of them run, or all if it lists none. It does not return.
func Main(modules ...kit.Module) {
	os.Exit(cli.Run(context.Background(), cli.Call{
		Program: os.Args[0], Args: os.Args[1:], Environ: os.Environ(), In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		Modules: modules,
		Version: Version,
		Notify:  notify, NotifyReload: notifyReload,
	}))
}

// notify registers for the signals that stop the server.
func notify(c chan<- os.Signal) { signal.Notify(c, syscall.SIGINT, syscall.SIGTERM) }

// notifyReload registers for the signal that reloads the configuration. Closing the terminal sends it, too.
func notifyReload(c chan<- os.Signal) { signal.Notify(c, syscall.SIGHUP) }
