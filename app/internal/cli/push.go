package cli

import (
	"crypto/ecdh"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/alecthomas/kong"

	"github.com/stoachat/stoa/app/internal/server"
	"github.com/stoachat/stoa/domain/relay"
	"github.com/stoachat/stoa/ports"
)

// pushes holds the commands for a push relay.
type pushes struct {
	kong.Plugins

	Keys   pushKeys    `cmd:"" help:"Create, rotate and list the keys for which phones encrypt their tokens."`
	Server pushServers `cmd:"" help:"Add, list and remove the servers that are allowed to use the relay."`
}

type pushKeys struct {
	Create pushKeysCreate `cmd:"" help:"Create the first key and print its public part, for the app."`
	Rotate pushKeysRotate `cmd:"" help:"Replace the key. The former one remains valid for modules.pushrelay.old_keys."`
	List   pushKeysList   `cmd:"" help:"List the public keys."`
	VAPID  pushKeysVAPID  `cmd:"" name:"vapid" help:"Print a new key pair for Web Push. It is not stored."`
}

type (
	pushKeysCreate struct{}
	pushKeysRotate struct{}
	pushKeysList   struct{}
	pushKeysVAPID  struct{}
)

type pushServers struct {
	Add    pushServerAdd    `cmd:"" help:"Register a server and print its ID and key. The key is not shown again."`
	List   pushServerList   `cmd:"" help:"List the servers."`
	Remove pushServerRemove `cmd:"" help:"Revoke a server's access and delete its registrations."`
}

type pushServerAdd struct {
	Name          string `arg:"" help:"Name of the server, for your own reference."`
	Registrations int    `placeholder:"N" help:"Maximum number of device registrations per day. Default: as configured."`
	Notifications int    `placeholder:"N" help:"Maximum number of notifications per minute. Default: as configured."`
	JSON          bool   `name:"json" help:"Print server_id and server_key as JSON."`
}

type pushServerList struct{}

type pushServerRemove struct {
	Name string `arg:"" help:"Name of the server."`
}

// relay runs fn with the push relay of a started server.
func (e *env) relay(fn func(ports.PushRelay) error) error {
	return e.with(func(s *server.Server) error {
		if s.Ports.PushRelay == nil {
			return errors.New("this server is not a push relay; " +
				"add modules: {pushrelay: {}} and adapters: {delivery: {use: direct}}")
		}
		return fn(s.Ports.PushRelay)
	})
}

// Run creates the first key.
func (pushKeysCreate) Run(e *env) error {
	return e.relay(func(p ports.PushRelay) error {
		k, err := p.CreateKey(e.ctx)
		if err == nil {
			e.printf("public key %s\n", k.Public)
		}
		return err
	})
}

// Run replaces the key.
func (pushKeysRotate) Run(e *env) error {
	return e.relay(func(p ports.PushRelay) error {
		k, err := p.RotateKey(e.ctx)
		if err == nil {
			e.printf("public key %s\n", k.Public)
		}
		return err
	})
}

// Run lists the keys.
func (pushKeysList) Run(e *env) error {
	return e.relay(func(p ports.PushRelay) error {
		all, err := p.Keys(e.ctx)
		if err != nil {
			return err
		}
		w := tabwriter.NewWriter(e.Out, 0, 0, 2, ' ', 0)
		_, _ = fmt.Fprintln(w, "PUBLIC KEY\tCREATED\tSTATE") // Flush returns the error
		for _, k := range all {
			state := "in use"
			if !k.Retired.IsZero() {
				state = "replaced " + k.Retired.Format(time.DateOnly)
			}
			_, _ = fmt.Fprintf(w, "%s\t%s\t%s\n", k.Public, k.Created.Format(time.DateOnly), state)
		}
		return w.Flush()
	})
}

// Run prints a key pair. It needs no database.
func (pushKeysVAPID) Run(e *env) error {
	key, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		return err
	}
	text := base64.RawURLEncoding.EncodeToString
	e.printf("private key %s\npublic key %s\n", text(key.Bytes()), text(key.PublicKey().Bytes()))
	return nil
}

// Run registers the server.
func (c *pushServerAdd) Run(e *env) error {
	return e.relay(func(p ports.PushRelay) error {
		credentials, err := p.AddServer(e.ctx, relay.Server{
			Name: c.Name, Registrations: c.Registrations, Notifications: c.Notifications,
		})
		if err != nil {
			return err
		}
		if c.JSON {
			return json.NewEncoder(e.Out).Encode(map[string]string{"server_id": credentials.ID, "server_key": credentials.Key})
		}
		e.printf("server ID %s\nserver key %s\n\nSave the key now. It will not be shown again.\n",
			credentials.ID, credentials.Key)
		return nil
	})
}

// Run lists the servers.
func (pushServerList) Run(e *env) error {
	return e.relay(func(p ports.PushRelay) error {
		all, err := p.Servers(e.ctx)
		if err != nil {
			return err
		}
		quota := func(n int) string {
			if n == 0 {
				return "as configured"
			}
			return fmt.Sprint(n)
		}
		w := tabwriter.NewWriter(e.Out, 0, 0, 2, ' ', 0)
		_, _ = fmt.Fprintln(w, "ID\tNAME\tDEVICES\tREGISTRATIONS/DAY\tNOTIFICATIONS/MIN\tADDED") // Flush returns the error
		for _, s := range all {
			_, _ = fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%s\t%s\n", s.ID, s.Name, s.Devices, quota(s.Registrations),
				quota(s.Notifications), s.Created.Format(time.DateOnly))
		}
		return w.Flush()
	})
}

// Run removes the server.
func (c *pushServerRemove) Run(e *env) error {
	return e.relay(func(p ports.PushRelay) error {
		if err := p.RemoveServer(e.ctx, c.Name); err != nil {
			return err
		}
		e.printf("removed server %q\n", c.Name)
		return nil
	})
}
