package ldap

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/go-ldap/ldap/v3"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// commands returns the commands for administrators of a directory.
func (s *service) commands() []kit.Command {
	return []kit.Command{
		kit.NewCommand("ldap test", s.test, "Show what a directory says about a person, and whether they may log in."),
		kit.Confirm(kit.NewCommand("ldap sync", s.syncCommand,
			"Make all connected accounts follow their directories now. --dry-run counts what would change."), s.wouldSync),
	}
}

type chosen struct {
	Directory string `placeholder:"ID" help:"Directory of the configuration. Default: the first."`
}

// choose returns the selected directory.
func (s *service) choose(id string) (*directory, error) {
	if len(s.directories) == 0 {
		return nil, errs.Bad("no directory is configured; add one to modules.ldap.directories")
	}
	if id == "" {
		return s.directories[0], nil
	}
	for _, d := range s.directories {
		if d.ID == id {
			return d, nil
		}
	}
	return nil, errs.Absent("there is no directory %q in modules.ldap.directories", id)
}

type testFlags struct {
	Name string `arg:"" help:"What the person enters to log in."`
	chosen
}

// tested is the output of ldap test.
type tested struct {
	Directory string   `json:"directory"`
	DN        string   `json:"dn"`
	ID        string   `json:"id"`
	Name      string   `json:"full_name"`
	Email     string   `json:"email"`
	Active    bool     `json:"is_active"`
	Groups    []string `json:"groups"`
	Account   user.ID  `json:"user_id"` // 0: none is connected
	Decision  string   `json:"decision"`
}

// String returns the output for people.
func (t tested) String() string {
	groups := strings.Join(t.Groups, "\n            ")
	if groups == "" {
		groups = "none that the configuration asks about"
	}
	return fmt.Sprintf("directory   %s\nentry       %s\nID          %s\nname        %s\naddress     %s\nactive      %t\n"+
		"groups      %s\ndecision    %s", t.Directory, t.DN, t.ID, t.Name, t.Email, t.Active, groups, t.Decision)
}

// test handles stoa ldap test. It changes nothing.
func (s *service) test(ctx context.Context, a kit.Actor, in testFlags) (tested, error) {
	d, err := s.choose(in.Directory)
	if err != nil {
		return tested{}, err
	}
	if d.BindDN == "" {
		return tested{}, errs.Bad("directory %s has no bind_dn: without a service account, only people themselves can read "+
			"their entries", d.ID)
	}
	if !plausible(in.Name) {
		return tested{}, errs.New(errs.Invalid, "no directory has this name")
	}
	out := tested{Directory: d.ID, Groups: []string{}}
	err = d.asService(ctx, func(c *connection) error {
		e, err := d.person(ctx, c, in.Name)
		if err != nil {
			return err
		}
		if e == nil {
			return errs.Absent("nobody in %s has the name %q: check base_dn and user_filter", d.ID, in.Name)
		}
		return s.describe(ctx, a, d, c, e, &out)
	})
	return out, d.explained(err)
}

// explained returns the error of a command for an error of the directory or of its configuration.
func (d *directory) explained(err error) error {
	var refused *ldap.Error
	var setup setupError
	switch {
	case isDown(err):
		return errs.New(errs.Unavailable, "directory %s does not work: %v", d.ID, err)
	case errors.As(err, &setup), errors.As(err, &refused):
		return errs.Bad("directory %s: %v", d.ID, err)
	}
	return err
}

// describe fills in what the directory says about an entry.
func (s *service) describe(
	ctx context.Context, a kit.Actor, d *directory, c *connection, e *ldap.Entry, out *tested,
) error {
	id, err := d.identity(e)
	if err != nil {
		return err
	}
	if id.Groups, err = d.groups(ctx, c, e); err != nil {
		return err
	}
	out.DN, out.ID, out.Name, out.Email = e.DN, id.Subject, id.FullName(), id.Email
	out.Active, out.Groups = d.active(e, d.clock.Now()), append(out.Groups, id.Groups...)
	connected, err := s.Identities.Connections(ctx, a.Realm, d.about.ID)
	if err != nil {
		return err
	}
	for _, one := range connected {
		if one.Subject == id.Subject {
			out.Account = one.User
		}
	}
	v, err := s.Directory.View(ctx, a.Realm)
	if err != nil {
		return err
	}
	switch u := v.User(out.Account); {
	case !d.serves(v):
		out.Decision = "refused: another organization uses this directory"
	case !out.Active:
		out.Decision = "refused: deactivated in the directory"
	case !d.admits(id):
		out.Decision = "refused by require_groups or deny_groups"
	case u != nil && !u.Active:
		out.Decision = "refused: the account is deactivated"
	case u != nil:
		out.Decision = fmt.Sprintf("logs in as user %d, %s", u.ID, u.DeliveryEmail)
	case v.UserByEmail(id.Email) != nil:
		out.Decision = fmt.Sprintf("the account with the address %s is connected at the first login", id.Email)
	case d.AutoSignUp || !v.Realm().Settings.InviteRequired:
		out.Decision = "gets an account at the first login"
	default:
		out.Decision = "refused: has no account, and auto_signup is false"
	}
	return nil
}

type syncFlags struct{ chosen }

// synced is the output of ldap sync.
type synced struct {
	Updated     int      `json:"updated"`
	Deactivated []string `json:"deactivated"`
	Reactivated []string `json:"reactivated"`
}

// String returns the output for people.
func (s synced) String() string {
	return fmt.Sprintf("updated     %d\ndeactivated %s\nreactivated %s", s.Updated, listed(s.Deactivated),
		listed(s.Reactivated))
}

func listed(addresses []string) string {
	if len(addresses) == 0 {
		return "nobody"
	}
	return strings.Join(addresses, ", ")
}

// syncCommand handles stoa ldap sync.
func (s *service) syncCommand(ctx context.Context, a kit.Actor, in syncFlags) (synced, error) {
	changes, err := s.synced(ctx, a, in, false)
	out := synced{Deactivated: []string{}, Reactivated: []string{}}
	for _, c := range changes {
		switch c.Action {
		case update:
			out.Updated++
		case deactivate:
			out.Deactivated = append(out.Deactivated, c.Email)
		case reactivate:
			out.Reactivated = append(out.Reactivated, c.Email)
		}
	}
	return out, err
}

// wouldSync says what stoa ldap sync would do.
func (s *service) wouldSync(ctx context.Context, a kit.Actor, in syncFlags) (kit.Effect, error) {
	changes, err := s.synced(ctx, a, in, true)
	counts, ended := map[string]int{"updated": 0, "deactivated": 0, "reactivated": 0}, []string{}
	for _, c := range changes {
		counts[c.Action+"d"]++
		if c.Action == deactivate {
			ended = append(ended, c.Email+" ("+c.Why+")")
		}
	}
	return kit.Effect{Text: "deactivate " + listed(ended) + ", and update the other accounts", Counts: counts}, err
}

func (s *service) synced(ctx context.Context, a kit.Actor, in syncFlags, dry bool) ([]change, error) {
	d, err := s.choose(in.Directory)
	if err != nil {
		return nil, err
	}
	if d.BindDN == "" {
		return nil, errs.Bad("directory %s has no bind_dn: without a service account, there is no synchronization", d.ID)
	}
	changes, err := s.sync(ctx, a.Realm, d, dry)
	return changes, d.explained(err)
}
