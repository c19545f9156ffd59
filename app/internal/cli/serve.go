package cli

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/stoachat/stoa/app/internal/server"
)

// grace is how long a server that stops waits for what runs.
const grace = 15 * time.Second

// forcedError ends a server that was told twice to stop.
type forcedError struct{}

func (forcedError) Error() string { return "stopped by force; what had not been answered is lost" }

type serve struct{}

// Help is the long text of --help.
func (serve) Help() string {
	return `Runs until it gets SIGINT or SIGTERM: then it takes no more requests, answers the held ones, and writes
what waits to be written. A second signal stops it at once.

On an empty data directory it makes a realm, an owner, and the public channel "general", and prints
how to log in. It prints no secret again.`
}

// Run serves until a signal comes.
func (serve) Run(e *env) error {
	s, err := e.open()
	if err != nil {
		return err
	}
	signals := make(chan os.Signal, 2)
	err = s.Serve(e.ctx, func(context.Context) error {
		e.Notify(signals)
		return e.firstStart(s)
	})
	if err != nil {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(e.ctx), grace)
		defer cancel()
		return errors.Join(err, s.Stop(ctx))
	}
	e.say("Stoa is listening on %s\n", site(s))
	select {
	case <-signals:
	case <-e.ctx.Done():
	}
	e.complain("stopping; a second signal stops at once")
	return e.stop(s, signals)
}

func (e *env) stop(s *server.Server, signals <-chan os.Signal) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(e.ctx), grace)
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

// firstStart initialises the local default; elsewhere it says what is missing.
func (e *env) firstStart(s *server.Server) error {
	empty, err := s.Ports.Empty(e.ctx)
	if err != nil || !empty {
		return err
	}
	if s.Config.Settings.Database.URL != "" {
		e.say("There is no realm yet. Make one: stoa init --realm NAME --owner-email ADDRESS --owner-name NAME\n")
		return nil
	}
	f := server.Founding{
		Name: "Stoa", OwnerEmail: localOwner, OwnerName: "Owner", OwnerPassword: newPassword(),
	}
	made, err := s.Ports.Found(e.ctx, f)
	if err != nil {
		return err
	}
	path, err := writeZuliprc(s.Config.Settings.DataDir, site(s), made.Email, made.Key)
	if err != nil {
		return err
	}
	e.say(`
This is a new server. Keep what follows: it is not printed again.

  address   %s
  e-mail    %s
  password  %s
  zuliprc   %s

Connect any Zulip client to the address, or see that it answers:

  curl -s %s/api/v1/server_settings
  curl -s -u "$(sed -n 's/^email=//p' %[4]s):$(sed -n 's/^key=//p' %[4]s)" %[1]s/api/v1/users/me

`, site(s), made.Email, f.OwnerPassword, path, site(s))
	return s.Ports.Welcome(e.ctx, made, firstChannel, firstMessage) // after the secrets, so that these are never lost
}

const localOwner = "owner@stoa.localhost"

const firstChannel = "general"

const firstMessage = "Welcome! Everyone who joins sees this channel. Invite people with `stoa user create`, and talk."
