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

	"github.com/stoachat/stoa/app/internal/config"
	"github.com/stoachat/stoa/app/internal/server"
	"github.com/stoachat/stoa/domain/realm"
)

type realms struct {
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

type realmSelector struct {
	Subdomain *string `placeholder:"NAME" help:"Subdomain of the organization; '' selects the one at the root domain."`
	RealmID   int64   `name:"realm-id" placeholder:"ID" help:"ID of the organization."`
}

type realmDeactivate struct {
	realmSelector
	KeepDays *int `name:"keep-days" placeholder:"DAYS" help:"Delete the data after this many days, at least 14, unless the organization is reactivated. Default: never."`
}

type realmReactivate struct{ realmSelector }

type realmQuota struct {
	realmSelector
	Limit string `arg:"" placeholder:"MIB" help:"Limit in mebibytes, or none. Existing files are kept."`
}

// Run creates the realm.
func (c *realmCreate) Run(e *env) error {
	p, err := e.password(c.OwnerPassword)
	if err != nil {
		return err
	}
	if c.Subdomain == "" {
		return errors.New("--subdomain: want a name; the realm of the root domain is created with stoa init")
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

// Run deactivates the realm.
func (c *realmDeactivate) Run(e *env) error {
	return c.with(e, func(s *server.Server, l listed) error {
		if err := s.Ports.States.Deactivate(e.ctx, l.ID, c.KeepDays); err != nil {
			return err
		}
		e.printf("deactivated realm %d %q\n", l.ID, l.Name)
		return nil
	})
}

// Run reactivates the realm.
func (c *realmReactivate) Run(e *env) error {
	return c.with(e, func(s *server.Server, l listed) error {
		if err := s.Ports.States.Reactivate(e.ctx, l.ID); err != nil {
			return err
		}
		e.printf("reactivated realm %d %q\n", l.ID, l.Name)
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
	return c.with(e, func(s *server.Server, l listed) error {
		if s.Ports.Settings == nil {
			return errors.New("no module changes settings; add modules: {realm: {}}")
		}
		if err := s.Ports.Settings.Set(e.ctx, l.ID, "upload_quota_mib", limit); err != nil {
			return err
		}
		e.printf("quota of realm %d %q: %s\n", l.ID, l.Name, cmp.Or(strings.TrimPrefix(c.Limit+" MiB", "none MiB"), "none"))
		return nil
	})
}

// with runs fn with a started server and the selected realm. The realm must be named even if there is only one.
func (c realmSelector) with(e *env, fn func(*server.Server, listed) error) error {
	if (c.Subdomain == nil) == (c.RealmID == 0) {
		return errors.New("select the realm with --subdomain or --realm-id; see stoa realm list")
	}
	return e.with(func(s *server.Server) error {
		if s.Ports.States == nil {
			return errors.New("no module deactivates and reactivates realms; add modules: {realm: {}}")
		}
		all, err := realmsOf(e.ctx, s.Ports)
		if err != nil {
			return err
		}
		var names []string
		for _, l := range all {
			if c.RealmID == int64(l.ID) || c.Subdomain != nil && strings.EqualFold(*c.Subdomain, l.Subdomain) {
				return fn(s, l)
			}
			names = append(names, l.Subdomain)
		}
		if c.Subdomain == nil {
			return fmt.Errorf("--realm-id: there is no realm %d; see stoa realm list", c.RealmID)
		}
		hint := "; see stoa realm list"
		if n := config.Nearest(*c.Subdomain, names); n != "" {
			hint = fmt.Sprintf("; did you mean %q?", n)
		}
		return fmt.Errorf("--subdomain: there is no realm %q%s", *c.Subdomain, hint)
	})
}
