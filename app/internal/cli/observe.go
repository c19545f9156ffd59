package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/stoachat/stoa/app/internal/admin"
	"github.com/stoachat/stoa/app/internal/profile"
	"github.com/stoachat/stoa/app/internal/server"
)

type logs struct {
	Level logLevel `cmd:"" help:"Log more or less for some time, without a restart."`
}

type logLevel struct {
	Level string        `arg:"" placeholder:"[MODULE=]LEVEL" help:"debug, info, warn or error; of all modules, or as MODULE=LEVEL of one."`
	For   time.Duration `default:"10m" help:"How long, up to 24h; then the level of the configuration applies again."`
}

// Help returns the long text of --help.
func (logLevel) Help() string {
	return `The lines of the log name their module as module=NAME: a module of stoa modules, or a part of the server such
as http or kernel.`
}

// Run changes the level of the running server.
func (c logLevel) Run(e *env) error {
	module, level, one := strings.Cut(c.Level, "=")
	if !one {
		module, level = "", c.Level
	}
	in := server.LogLevel{Module: module, Level: level, For: c.For}
	client, err := e.admin()
	if err == nil {
		err = client.Call(e.ctx, "POST /log/level", in, &server.Done{})
	}
	if err != nil {
		return err
	}
	e.printf("%s for %v\n", c.Level, c.For)
	return nil
}

// admin returns a client of the running server.
func (e *env) admin() (*admin.Client, error) {
	cfg, err := server.Read(e.sources(), e.Modules)
	if err != nil {
		return nil, err
	}
	return admin.Dial(cfg.Settings.DataDir), nil
}

type profiles struct {
	Kind    string `arg:"" enum:"cpu,trace,heap,goroutine" help:"cpu, trace, heap or goroutine."`
	Seconds int    `default:"30" help:"How long cpu and trace take."`
	Output  string `short:"o" placeholder:"FILE" help:"The file to write; without it, KIND.pprof or trace.out."`
}

// Help returns the long text of --help.
func (profiles) Help() string {
	return `Records what the running server does, for go tool pprof FILE and go tool trace FILE. The file contains names
of functions, and nothing that people have written.`
}

// Run records a profile of the running server.
func (c profiles) Run(e *env) (err error) {
	client, err := e.admin()
	if err != nil {
		return err
	}
	name := c.Output
	switch {
	case name != "":
	case c.Kind == "trace":
		name = "trace.out"
	default:
		name = c.Kind + ".pprof"
	}
	body, err := client.Stream(e.ctx, "POST /profile/"+c.Kind, profile.Request{Seconds: c.Seconds})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, body.Close()) }()
	f, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600) //nolint:gosec // the operator names it
	if err != nil {
		return err
	}
	n, err := io.Copy(f, body)
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	e.printf("%s: %d KiB\n", name, (n+1023)/1024)
	return nil
}
