package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/KimMachineGun/automemlimit/memlimit"

	"github.com/stoachat/stoa/app/internal/server"
	"github.com/stoachat/stoa/app/internal/systemd"
)

// forcedError reports that a second signal has stopped the server.
type forcedError struct{}

func (forcedError) Error() string { return "stopped by force; unanswered requests are lost" }

type serve struct {
	owner
	force
}

// Help returns the long text of --help.
func (serve) Help() string {
	return `Runs until it receives SIGINT or SIGTERM. After http.stop_delay it stops accepting requests, responds to the
waiting ones, and finishes pending writes. A second signal stops it immediately. SIGHUP reloads the
configuration: the log names the keys that have changed, and those that take effect at the next start.

The first start creates an organization, its owner and the public channel "general". On a terminal it
asks for the names, the email address and the password. Otherwise it takes them from the flags and
generates the rest; with database.url set it creates nothing without --owner-email. A generated
password is written to a file that only its owner can read, and is printed only on a terminal.

The start migrates the database. What the previous version could not bear waits for stoa migrate finish, so
servers can be replaced one after the other. A SQLite database is first copied to backups/pre-VERSION.db in
its folder.`
}

// Run serves until a signal arrives.
func (c *serve) Run(e *env) error {
	reload := make(chan os.Signal, 1)
	if e.NotifyReload != nil {
		e.NotifyReload(reload)
	}
	limitMemory()
	o := e.options(e.sources())
	o.Serving, o.Force, o.NoCopy = true, c.Force, c.NoCopy
	s, err := server.New(e.ctx, o, e.Modules...)
	if err != nil {
		return err
	}
	signals := make(chan os.Signal, 2)
	err = s.Serve(e.ctx, func(context.Context) error {
		e.Notify(signals)
		return e.firstStart(s, c.owner, signals)
	})
	if err != nil {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(e.ctx), s.StopTime())
		defer cancel()
		return errors.Join(err, s.Stop(ctx))
	}
	e.printf("Stoa is listening on %s\n", s.URL())
	manager := systemd.Of(e.Environ)
	e.tell(manager, systemd.Ready)
	beat, end := beats(manager.Interval())
	defer end()
	for stopping := false; !stopping; {
		select {
		case <-reload:
			s.Reload()
		case <-beat:
			if s.Alive() {
				e.tell(manager, systemd.Watchdog)
			}
		case <-signals:
			stopping = true
		case <-e.ctx.Done():
			stopping = true
		}
	}
	e.tell(manager, systemd.Stopping)
	e.printError("stopping; a second signal stops immediately")
	return e.stop(s, signals)
}

// tell notifies systemd. The server works without it, so an error is only printed.
func (e *env) tell(m systemd.Manager, s systemd.State) {
	if err := m.Notify(s); err != nil {
		e.printError(err.Error())
	}
}

// beats returns a channel that receives at an interval, and a function that ends this. With an interval of zero, it
// never receives.
func beats(interval time.Duration) (beat <-chan time.Time, end func()) {
	if interval <= 0 {
		return nil, func() {}
	}
	t := time.NewTicker(interval)
	return t.C, t.Stop
}

// memoryRatio is the share of the memory of a container or service that Go may use before it collects garbage more
// often. The rest is for what Go does not count, such as the memory of SQLite's mapped files.
const memoryRatio = 0.9

// limitMemory sets Go's limit on memory from the cgroup, unless GOMEMLIMIT is set or there is no limit.
func limitMemory() {
	_, _ = memlimit.Set(memlimit.WithRatio(memoryRatio)) // without a cgroup, nothing changes
}

func (e *env) stop(s *server.Server, signals <-chan os.Signal) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(e.ctx), s.StopTime())
	defer cancel()
	stopped := make(chan error, 1)
	go func() { stopped <- s.Stop(ctx) }()
	select {
	case err := <-stopped:
		return err
	case <-signals:
		return forcedError{}
	}
}

// firstStart creates the first organization if there is none. Its values come from the terminal or from flags; the rest
// are generated.
func (e *env) firstStart(s *server.Server, o owner, signals <-chan os.Signal) error {
	empty, err := s.Ports.Empty(e.ctx)
	if err != nil || !empty {
		return err
	}
	if err := e.readPassword(&o.Password); err != nil {
		return err
	}
	f := server.NewRealm{Name: o.Realm, OwnerEmail: o.OwnerEmail, OwnerName: o.OwnerName, OwnerPassword: o.Text}
	t, interactive := e.terminal()
	switch {
	case interactive:
		if f, err = t.ask(f, s.Ports, signals); err != nil {
			return err
		}
	case s.Config.Settings.Database.URL != "" && f.OwnerEmail == "":
		e.printf(
			"There is no organization yet. Create one: %s%s --realm NAME --owner-email ADDRESS --owner-name NAME\n",
			e.command("init"), e.flagsInUse(),
		)
		return nil
	}
	generated := f.OwnerPassword == ""
	f.Name = cmp.Or(f.Name, localRealm)
	f.OwnerEmail = cmp.Or(f.OwnerEmail, localOwner)
	f.OwnerName = cmp.Or(f.OwnerName, localName)
	f.OwnerPassword = cmp.Or(f.OwnerPassword, newPassword())
	created, err := s.Ports.CreateFirstRealm(e.ctx, f)
	if err != nil {
		return err
	}
	if err := e.welcome(s, created, f, generated); err != nil {
		return err
	}
	// Only after the secrets have been saved, so that they cannot be lost.
	return s.Ports.Welcome(e.ctx, created)
}

// welcome prints how to log in, and writes secrets to files instead of printing them.
func (e *env) welcome(s *server.Server, created server.CreatedRealm, f server.NewRealm, generated bool) error {
	dir := s.Config.Settings.DataDir
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("write the zuliprc: %w", err)
	}
	path, err := writeZuliprc(dir, s.URL(), created.Email, created.Key)
	if err != nil {
		return err
	}
	e.printf("\nThe organization %q and its owner have been created.\n\n", f.Name)
	e.printf("address %s\nemail %s\n", s.URL(), created.Email)
	if generated {
		passwordFile, err := e.savePassword(dir, "owner-password", f.OwnerPassword, false)
		if err != nil {
			return err
		}
		e.printf("password file %s\n", passwordFile)
	}
	e.printf(`zuliprc %s

Open the address in a browser, or enter it in a Zulip app, and log in. Or check that the server responds:

  curl -s %[2]s/api/v1/server_settings
  curl -s -u "$(sed -n 's/^email=//p' %[1]s):$(sed -n 's/^key=//p' %[1]s)" %[2]s/api/v1/users/me

%[3]s
`, path, s.URL(), e.inviteHint())
	return nil
}

// inviteHint returns a text for the operator of a new organization: how to bring people in.
func (e *env) inviteHint() string {
	return "To bring people in, create an invitation link in the app, or create their accounts:\n\n  " +
		e.command("user create"+e.flagsInUse()) + " --email ADDRESS --name NAME\n"
}

// Default values for the first organization.
const (
	localRealm = "Stoa"
	localName  = "Owner"
	localOwner = "owner@stoa.localhost"
)
