package app

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/stoachat/stoa/app/internal/cli"
	"github.com/stoachat/stoa/modules/kit"
)

// Version is what stoa version tells, where the build has set it: -ldflags '-X
// github.com/stoachat/stoa/app.Version=v1'.
var Version string

// Main is a server's program: the command line over those modules. The config says which of them are on. It does not
// return.
func Main(modules ...kit.Module) {
	os.Exit(cli.Run(context.Background(), cli.Call{
		Args: os.Args[1:], Environ: os.Environ(), In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Modules: modules, Version: Version,
		Notify: notify,
	}))
}

// notify sends the signals that stop the server. Under nohup a terminal that closes stops nothing.
func notify(c chan<- os.Signal) {
	signal.Notify(c, syscall.SIGINT, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(c, syscall.SIGHUP)
	}
}
