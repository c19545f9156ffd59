package server

import (
	"context"
	"fmt"
	"time"

	"github.com/stoachat/stoa/domain/audit"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/relay"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// relayCommands returns the commands about the push relay. They exist without the module, to say what is missing.
func (s *Server) relayCommands() []kit.Command {
	return []kit.Command{
		kit.NewCommand("push keys create", s.createRelayKey,
			"Create the first key and print its public part, for the app.").OfServer(),
		kit.NewCommand("push keys rotate", s.rotateRelayKey,
			"Replace the key. The former one remains valid for modules.pushrelay.old_keys.").OfServer(),
		kit.NewCommand("push keys list", s.relayKeys, "List the public keys.").OfServer(),
		kit.NewCommand("push server add", s.addToRelay,
			"Register a server and print its ID and key. The key is not shown again.").OfServer(),
		kit.NewCommand("push server list", s.relayServers, "List the servers that are allowed to use the relay.").
			OfServer(),
		kit.Confirm(kit.NewCommand("push server remove", s.removeFromRelay,
			"Revoke a server's access and delete its registrations.").OfServer(), s.wouldRemoveFromRelay),
	}
}

// relay returns the push relay. Errors: BadRequest if this server is none.
func (s *Server) relay() (ports.PushRelay, error) {
	if s.Ports.PushRelay == nil {
		return nil, errs.Bad("this server is not a push relay; " +
			"add modules: {pushrelay: {}} and adapters: {delivery: {use: direct}}")
	}
	return s.Ports.PushRelay, nil
}

// changeRelay changes the relay, and records it in the audit log of each organization.
func (s *Server) changeRelay(
	ctx context.Context, what audit.Action, values audit.Values, change func(context.Context, ports.PushRelay) error,
) error {
	p, err := s.relay()
	if err != nil {
		return err
	}
	return s.kernel.Do(ctx, func(ctx context.Context) error {
		if err := change(ctx, p); err != nil {
			return err
		}
		return s.recordForAll(ctx, what, audit.Server, values)
	})
}

// publicKey is the output of commands that create a key.
type publicKey struct {
	Public string `json:"public_key"`
}

func (s *Server) createRelayKey(ctx context.Context, _ kit.Actor, _ kit.None) (publicKey, error) {
	return s.newRelayKey(ctx, ports.PushRelay.CreateKey)
}

func (s *Server) rotateRelayKey(ctx context.Context, _ kit.Actor, _ kit.None) (publicKey, error) {
	return s.newRelayKey(ctx, ports.PushRelay.RotateKey)
}

func (s *Server) newRelayKey(
	ctx context.Context, create func(ports.PushRelay, context.Context) (relay.Key, error),
) (publicKey, error) {
	var k relay.Key
	err := s.changeRelay(ctx, audit.RelayKeyCreated, nil, func(ctx context.Context, p ports.PushRelay) (err error) {
		k, err = create(p, ctx)
		return err
	})
	return publicKey{k.Public}, err
}

// listedKey is a key in the output of push keys list.
type listedKey struct {
	Public  string     `json:"public_key"`
	State   string     `json:"state"` // "in use" or "replaced"
	Created time.Time  `json:"created"`
	Retired *time.Time `json:"replaced"` // null: in use
}

func (s *Server) relayKeys(ctx context.Context, _ kit.Actor, _ kit.None) ([]listedKey, error) {
	p, err := s.relay()
	if err != nil {
		return nil, err
	}
	all, err := p.Keys(ctx)
	out := make([]listedKey, len(all))
	for i, k := range all {
		out[i] = listedKey{Public: k.Public, State: "in use", Created: k.Created.UTC()}
		if !k.Retired.IsZero() {
			out[i].State, out[i].Retired = "replaced", &k.Retired
		}
	}
	return out, err
}

type relayAddFlags struct {
	Name          string `arg:"" help:"Name of the server, for your own reference."`
	Registrations int    `placeholder:"N" help:"Maximum number of device registrations per day. Default: as configured."`
	Notifications int    `placeholder:"N" help:"Maximum number of notifications per minute. Default: as configured."`
}

// credentials is the output of push server add.
type credentials struct {
	ID  string `json:"server_id"`
	Key string `json:"server_key"`
}

func (c credentials) String() string {
	return fmt.Sprintf("server ID %s\nserver key %s\n\nSave the key now. It will not be shown again.", c.ID, c.Key)
}

func (s *Server) addToRelay(ctx context.Context, _ kit.Actor, in relayAddFlags) (credentials, error) {
	var made relay.Credentials
	values := audit.Values{"name": in.Name}
	err := s.changeRelay(ctx, audit.RelayServerAdded, values, func(ctx context.Context, p ports.PushRelay) (err error) {
		made, err = p.AddServer(ctx, relay.Server{
			Name: in.Name, Registrations: in.Registrations, Notifications: in.Notifications,
		})
		return err
	})
	return credentials{made.ID, made.Key}, err
}

// quota is a limit of a server; 0: as configured.
type quota int

func (q quota) String() string {
	if q == 0 {
		return "as configured"
	}
	return fmt.Sprint(int(q))
}

// listedServer is a server in the output of push server list.
type listedServer struct {
	ID            string    `json:"server_id" table:"ID"`
	Name          string    `json:"name"`
	Devices       int64     `json:"devices"`
	Registrations quota     `json:"registrations" table:"REGISTRATIONS/DAY"`
	Notifications quota     `json:"notifications" table:"NOTIFICATIONS/MIN"`
	Created       time.Time `json:"created" table:"ADDED"`
}

func (s *Server) relayServers(ctx context.Context, _ kit.Actor, _ kit.None) ([]listedServer, error) {
	p, err := s.relay()
	if err != nil {
		return nil, err
	}
	all, err := p.Servers(ctx)
	out := make([]listedServer, len(all))
	for i, r := range all {
		out[i] = listedServer{
			r.ID, r.Name, r.Devices, quota(r.Registrations), quota(r.Notifications), r.Created.UTC(),
		}
	}
	return out, err
}

type relayRemoveFlags struct {
	Name string `arg:"" help:"Name of the server."`
}

func (s *Server) wouldRemoveFromRelay(ctx context.Context, _ kit.Actor, in relayRemoveFlags) (kit.Effect, error) {
	p, err := s.relay()
	if err != nil {
		return kit.Effect{}, err
	}
	all, err := p.Servers(ctx)
	if err != nil {
		return kit.Effect{}, err
	}
	for _, r := range all {
		if r.Name == in.Name {
			return kit.Effect{
				Text:   fmt.Sprintf("revoke the access of %q and delete its %d devices", r.Name, r.Devices),
				Counts: map[string]int{"devices": int(r.Devices)},
			}, nil
		}
	}
	return kit.Effect{}, errs.Absent("no server named %q uses the relay; see stoa push server list", in.Name)
}

// removed is the output of push server remove.
type removed struct {
	Name string `json:"name"`
}

func (r removed) String() string { return fmt.Sprintf("removed server %q", r.Name) }

func (s *Server) removeFromRelay(ctx context.Context, a kit.Actor, in relayRemoveFlags) (removed, error) {
	if _, err := s.wouldRemoveFromRelay(ctx, a, in); err != nil {
		return removed{}, err
	}
	values := audit.Values{"name": in.Name}
	err := s.changeRelay(ctx, audit.RelayServerRemoved, values, func(ctx context.Context, p ports.PushRelay) error {
		return p.RemoveServer(ctx, in.Name)
	})
	return removed(in), err
}
