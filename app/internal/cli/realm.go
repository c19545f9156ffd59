package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/alecthomas/kong"

	"github.com/stoachat/stoa/app/internal/server"
	"github.com/stoachat/stoa/domain/realm"
)

type realms struct {
	kong.Plugins

	Create     realmCreate     `cmd:"" help:"Create another organization, with its owner."`
	List       realmList       `cmd:"" help:"List all organizations."`
	Deactivate realmDeactivate `cmd:"" help:"Deactivate an organization, so that no one can log in. Its data is kept, or deleted after --keep-days."`
	Reactivate realmReactivate `cmd:"" help:"Reactivate a deactivated organization."`
	Quota      realmQuota      `cmd:"" help:"Limit the total size of an organization's uploaded files."`
}

type realmCreate struct {
	Name          string `required:"" help:"Name of the organization."`
	Subdomain     string `required:"" placeholder:"NAME" help:"Subdomain: its host is NAME.<domain>, where domain is modules.realm.domain of the configuration."`
	OwnerEmail    string `name:"owner-email" required:"" placeholder:"ADDRESS" help:"Email address of its owner."`
	OwnerName     string `name:"owner-name" required:"" placeholder:"NAME" help:"Full name of its owner."`
	OwnerPassword string `name:"owner-password" placeholder:"TEXT" help:"Password of its owner; - reads it from standard input. Without one, a password is generated."`
	JSON          bool   `name:"json" help:"Print realm_id, user_id, email, api_key as JSON."`
}

type realmList struct {
	JSON bool `name:"json" help:"Print as JSON."`
}

type realmDeactivate struct {
	organization
	KeepDays *int `name:"keep-days" placeholder:"DAYS" help:"Delete the data after this many days, at least 14, unless the organization is reactivated. Default: never."`
}

type realmReactivate struct{ organization }

type realmQuota struct {
	organization
	Limit string `arg:"" placeholder:"MIB" help:"Limit in mebibytes, or none. Existing files are kept."`
}

// Run creates the realm.
func (c *realmCreate) Run(e *env) error {
	p, err := e.password(c.OwnerPassword)
	if err != nil {
		return err
	}
	if c.Subdomain == "" {
		return errors.New("--subdomain: want a name; the realm of the root domain is created with " + e.command("init"))
	}
	f := server.NewRealm{
		Name: c.Name, StringID: c.Subdomain, OwnerEmail: c.OwnerEmail, OwnerName: c.OwnerName,
		OwnerPassword: cmp.Or(p, newPassword()),
	}
	return e.with(func(s *server.Server) error {
		created, err := s.Ports.CreateRealm(e.ctx, f)
		if err != nil {
			return err
		}
		printed := initialize{owner: owner{OwnerPassword: c.OwnerPassword}, JSON: c.JSON}
		if err := printed.print(e, s, created, f); err != nil {
			return err
		}
		if err := s.Ports.Welcome(e.ctx, created, firstChannel, firstMessage); err != nil {
			return fmt.Errorf("the organization and its owner were created, but not all of its content: %w", err)
		}
		return nil
	})
}

// listed is a realm in the output of realm list.
type listed struct {
	ID          realm.ID   `json:"realm_id"`
	Subdomain   string     `json:"subdomain"`
	Name        string     `json:"name"`
	Users       int        `json:"users"` // active users and bots, except the server's own bots
	Active      bool       `json:"is_active"`
	DeleteAfter *time.Time `json:"delete_after,omitempty"`
	Deleting    bool       `json:"deleting,omitempty"`
}

func (l listed) state() string {
	switch {
	case l.Active:
		return "active"
	case l.Deleting:
		return "its data is being deleted"
	case l.DeleteAfter != nil:
		return "deactivated, kept until " + l.DeleteAfter.Format(time.DateOnly)
	}
	return "deactivated"
}

// Run lists the realms.
func (c *realmList) Run(e *env) error {
	return e.with(func(s *server.Server) error {
		all, err := realmsOf(e.ctx, s.Ports)
		if err != nil {
			return err
		}
		if c.JSON {
			return json.NewEncoder(e.Out).Encode(all)
		}
		w := tabwriter.NewWriter(e.Out, 0, 0, 2, ' ', 0)
		_, _ = fmt.Fprintln(w, "ID\tSUBDOMAIN\tNAME\tUSERS\tSTATE") // Flush returns the error
		for _, l := range all {
			_, _ = fmt.Fprintf(w, "%d\t%s\t%s\t%d\t%s\n", l.ID, cmp.Or(l.Subdomain, "(root)"), l.Name, l.Users, l.state())
		}
		return w.Flush()
	})
}

func realmsOf(ctx context.Context, p server.Ports) ([]listed, error) {
	ids, err := p.Realms.All(ctx)
	if err != nil {
		return nil, err
	}
	all := []listed{}
	for _, id := range ids {
		v, err := p.Directory.Verified(ctx, id)
		if err != nil {
			return nil, err
		}
		r := v.Realm()
		l := listed{ID: id, Subdomain: r.StringID, Name: r.Settings.Name, Active: !r.Deactivated, Deleting: r.Deleting}
		if !r.DeleteAfter.IsZero() {
			l.DeleteAfter = &r.DeleteAfter
		}
		for u := range v.Users() {
			if u.Active && !u.System {
				l.Users++
			}
		}
		all = append(all, l)
	}
	return all, nil
}

// errNoStates reports that no module deactivates and reactivates organizations.
var errNoStates = errors.New("no module deactivates and reactivates realms; add modules: {realm: {}}")

// Run deactivates the realm.
func (c *realmDeactivate) Run(e *env) error {
	return e.inRealm(c.organization, func(s *server.Server, r *realm.Realm) error {
		if s.Ports.States == nil {
			return errNoStates
		}
		if err := s.Ports.States.Deactivate(e.ctx, r.ID, c.KeepDays); err != nil {
			return err
		}
		e.printf("deactivated realm %d %q\n", r.ID, r.Settings.Name)
		return nil
	})
}

// Run reactivates the realm.
func (c *realmReactivate) Run(e *env) error {
	return e.inRealm(c.organization, func(s *server.Server, r *realm.Realm) error {
		if s.Ports.States == nil {
			return errNoStates
		}
		if err := s.Ports.States.Reactivate(e.ctx, r.ID); err != nil {
			return err
		}
		e.printf("reactivated realm %d %q\n", r.ID, r.Settings.Name)
		return nil
	})
}

// Run sets the quota.
func (c *realmQuota) Run(e *env) error {
	var limit *int
	if c.Limit != "none" {
		n, err := strconv.Atoi(c.Limit)
		if err != nil {
			return fmt.Errorf("want a number of mebibytes, or none, instead of %q", c.Limit)
		}
		limit = &n
	}
	return e.inRealm(c.organization, func(s *server.Server, r *realm.Realm) error {
		if s.Ports.Settings == nil {
			return errors.New("no module changes settings; add modules: {realm: {}}")
		}
		if err := s.Ports.Settings.Set(e.ctx, r.ID, "upload_quota_mib", limit); err != nil {
			return err
		}
		e.printf("quota of realm %d %q: %s\n", r.ID, r.Settings.Name,
			cmp.Or(strings.TrimPrefix(c.Limit+" MiB", "none MiB"), "none"))
		return nil
	})
}
