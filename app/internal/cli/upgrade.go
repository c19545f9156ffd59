package cli

import (
	"errors"
	"fmt"
	"log/slog"

	"github.com/stoachat/stoa/app/internal/server"
)

type upgrades struct {
	Check upgradeCheck `cmd:"" help:"Report what an upgrade to this version would mean. Run it with the new version."`
}

type upgradeCheck struct {
	JSON bool `name:"json" help:"Print the result as JSON."`
}

// Help returns the long text of --help.
func (upgradeCheck) Help() string {
	return `Prints the running and the new version, the pending migrations, about how long they take and how much disk
they need, settings with former names, and whether there is a way back. It changes nothing, and may run beside
the server. It exits with 1 if the upgrade would fail, and with 5 if the database does not respond.`
}

// Run checks an upgrade.
func (c upgradeCheck) Run(e *env) error {
	o := e.options(e.sources())
	o.Existing, o.Log = true, slog.New(slog.DiscardHandler)
	s, err := server.New(e.ctx, o, e.Modules...)
	var unreachable *server.UnreachableError
	switch {
	case errors.Is(err, server.ErrNoDatabase):
		return e.noOrganization()
	case errors.As(err, &unreachable):
		return codedError{err, unavailable}
	case err != nil:
		return err
	}
	defer e.end(s)
	u, err := s.CheckUpgrade(e.ctx)
	if err != nil {
		if s.DB().Unavailable(err) {
			return codedError{err, unavailable}
		}
		return err
	}
	if c.JSON {
		if err := e.printJSON(u); err != nil {
			return err
		}
	} else {
		e.printUpgrade(u)
	}
	if len(u.Problems) > 0 {
		return fmt.Errorf("the upgrade would fail: %s", u.Problems[0])
	}
	return nil
}

func (e *env) printUpgrade(u server.Upgrade) {
	e.printf("new version: %s\n", u.Target)
	for _, n := range u.Running {
		e.printf("running: %s (%s on %s, pid %d)\n", n.Version, n.Kind, n.Host, n.PID)
	}
	for _, p := range u.Pending {
		waits := ""
		if p.Waits {
			waits = "waits for stoa migrate finish: "
		}
		e.printf("%s: %s%s %s\n", p.Kind, waits, p.Name, p.Text)
	}
	if len(u.Pending) == 0 {
		e.printf("no migrations are pending\n")
	} else {
		e.printf("time: about %d s at most\ndisk: about %d MiB\n", u.Seconds, u.Disk>>20)
	}
	if !u.SideBySide {
		e.printf("stop all servers of earlier versions first\n")
	}
	for _, text := range u.Deprecated {
		e.printf("deprecated: %s\n", text)
	}
	possible := "no"
	if u.Downgrade.Possible {
		possible = "possible"
	}
	e.printf("downgrade: %s, %s\n", possible, u.Downgrade.Text)
	for _, text := range u.Problems {
		e.printf("problem: %s\n", text)
	}
}
