package realm

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/modules/kit"
)

// commands returns the commands about organizations, except the one that creates them, which also creates an account.
func (s *service) commands() []kit.Command {
	return []kit.Command{
		kit.NewCommand("realm list", s.commandList, "List all organizations.").OfServer(),
		kit.NewCommand("realm show", s.commandShow, "Show an organization and its settings."),
		kit.NewCommand("realm set", s.commandSet, "Change a setting of an organization."),
		kit.NewCommand("realm quota", s.commandQuota, "Limit the total size of an organization's uploaded files."),
		kit.NewCommand("realm deactivate", s.commandDeactivate, "Deactivate an organization, so that no one can log in. "+
			"Its data is kept, or deleted after --keep-days."),
		kit.NewCommand("realm reactivate", s.commandReactivate, "Reactivate a deactivated organization."),
		kit.Confirm(kit.NewCommand("realm delete", s.commandDelete,
			"Delete all data of a deactivated organization, within an hour."), s.wouldDelete),
	}
}

// subdomain is the subdomain of an organization.
type subdomain string

func (s subdomain) String() string { return cmp.Or(string(s), "(root)") }

// state is whether an organization is active, as people read it.
type state bool

func (s state) String() string {
	if s {
		return "active"
	}
	return "deactivated"
}

// listed is an organization in the output of commands.
type listed struct {
	ID          realm.ID   `json:"realm_id" table:"ID"`
	Subdomain   subdomain  `json:"subdomain"`
	Name        string     `json:"name"`
	Users       int        `json:"users"` // active users and bots, except the server's own bots
	Active      state      `json:"is_active" table:"STATE"`
	DeleteAfter *time.Time `json:"delete_after,omitempty" table:"KEPT UNTIL"`
	Deleting    bool       `json:"deleting,omitempty"`
}

func forOperators(v *directory.View) listed {
	r := v.Realm()
	l := listed{
		ID: r.ID, Subdomain: subdomain(r.StringID), Name: r.Settings.Name, Active: state(!r.Deactivated),
		Deleting: r.Deleting,
	}
	if !r.DeleteAfter.IsZero() {
		l.DeleteAfter = &r.DeleteAfter
	}
	for u := range v.Users() {
		if u.Active && !u.System {
			l.Users++
		}
	}
	return l
}

func (s *service) commandList(ctx context.Context, _ kit.Actor, _ kit.None) ([]listed, error) {
	ids, err := s.All(ctx)
	if err != nil {
		return nil, err
	}
	all := make([]listed, len(ids))
	for i, id := range ids {
		v, err := s.Directory.Verified(ctx, id)
		if err != nil {
			return nil, err
		}
		all[i] = forOperators(v)
	}
	return all, nil
}

// changed is the output of commands that change an organization.
type changed struct {
	listed
	Text string `json:"text"` // what was changed
}

func (c changed) String() string { return c.Text }

// after returns an organization after a change, unless that has failed.
func (s *service) after(ctx context.Context, a kit.Actor, err error, format string, args ...any) (changed, error) {
	if err != nil {
		return changed{}, err
	}
	v, err := s.Directory.Verified(ctx, a.Realm)
	if err != nil {
		return changed{}, err
	}
	return changed{forOperators(v), fmt.Sprintf(format, args...) + " " + title(v.Realm())}, nil
}

// title names an organization for operators.
func title(r *realm.Realm) string { return fmt.Sprintf("realm %d %q", r.ID, r.Settings.Name) }

type deactivateFlags struct {
	KeepDays *int `name:"keep-days" placeholder:"DAYS" help:"Delete the data after this many days, at least 14, unless the organization is reactivated. Default: never."`
}

func (s *service) commandDeactivate(ctx context.Context, a kit.Actor, in deactivateFlags) (changed, error) {
	return s.after(ctx, a, s.Deactivate(ctx, a.Realm, in.KeepDays), "deactivated")
}

func (s *service) commandReactivate(ctx context.Context, a kit.Actor, _ kit.None) (changed, error) {
	return s.after(ctx, a, s.Reactivate(ctx, a.Realm), "reactivated")
}

// wouldDelete returns what realm delete would do. Errors: PermissionDenied if the organization is active.
func (s *service) wouldDelete(ctx context.Context, a kit.Actor, _ kit.None) (kit.Effect, error) {
	v, err := s.Directory.Verified(ctx, a.Realm)
	if err != nil {
		return kit.Effect{}, err
	}
	if _, err := v.Realm().Doomed(s.Clock.Now()); err != nil {
		return kit.Effect{}, err
	}
	counts := map[string]int{"users": 0, "channels": 0}
	for u := range v.Users() {
		if !u.System {
			counts["users"]++
		}
	}
	for range v.Channels() {
		counts["channels"]++
	}
	return kit.Effect{Counts: counts, Text: fmt.Sprintf(
		"delete %s with %d users and %d channels, and all their messages and files, forever", title(v.Realm()),
		counts["users"], counts["channels"])}, nil
}

func (s *service) commandDelete(ctx context.Context, a kit.Actor, _ kit.None) (changed, error) {
	return s.after(ctx, a, s.Delete(ctx, a.Realm), "within an hour, the server deletes")
}
