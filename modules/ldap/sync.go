package ldap

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/go-ldap/ldap/v3"

	domain "github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/signin"
	"github.com/stoachat/stoa/domain/user"
)

// Limits of a synchronization.
const (
	pageSize = 500
	maxPages = 2000
)

// entry is what a synchronization knows about somebody in the directory.
type entry struct {
	identity signin.Identity
	active   bool
	why      string // active is false because of this
}

// change is what a synchronization does with an account.
type change struct {
	User   user.ID `json:"user_id"`
	Email  string  `json:"email"`
	Action string  `json:"action"`
	Why    string  `json:"reason"`

	identity signin.Identity
}

// The actions of changes.
const (
	update     = "update"
	deactivate = "deactivate"
	reactivate = "reactivate"
)

// syncAll is the job that synchronizes all organizations with their directories.
func (s *service) syncAll(ctx context.Context) error {
	ids, err := s.Realms.Active(ctx)
	if err != nil {
		return err
	}
	var failed []error
	for _, r := range ids {
		for _, d := range s.directories {
			if d.BindDN == "" {
				continue // people can only be read by themselves
			}
			if _, err := s.sync(ctx, r, d, false); err != nil {
				failed = append(failed, fmt.Errorf("directory %s: %w", d.ID, err))
			}
		}
	}
	return errors.Join(failed...)
}

// sync makes the accounts that are connected to a directory follow it, and returns what it has done, or would do if
// dry.
func (s *service) sync(ctx context.Context, r realm.ID, d *directory, dry bool) ([]change, error) {
	v, err := s.Directory.View(ctx, r)
	if err != nil || !d.serves(v) {
		return nil, err
	}
	connected, err := s.Identities.Connections(ctx, r, d.about.ID)
	if err != nil || len(connected) == 0 {
		return []change{}, err
	}
	marked, err := s.rows.Marked(ctx, r, d.ID)
	if err != nil {
		return nil, err
	}
	people, err := d.everybody(ctx, connected)
	if err != nil {
		return nil, err
	}
	changes, err := d.plan(v, connected, marked, people)
	if err != nil || dry {
		return changes, err
	}
	for _, c := range changes {
		if err := s.apply(ctx, r, d, c); err != nil {
			return nil, err
		}
	}
	return changes, nil
}

// plan decides what to do with each connected account. Errors: nothing may be done, because too many people would be
// deactivated.
func (d *directory) plan(
	v *domain.View, connected []signin.Connection, marked map[user.ID]bool, people map[string]entry,
) ([]change, error) {
	changes, active, ended := []change{}, 0, 0
	for _, c := range connected {
		u := v.User(c.User)
		if u == nil {
			continue
		}
		if u.Active {
			active++
		}
		e, found := people[c.Subject]
		if !found {
			e.why = "not found in the directory"
		}
		one := change{User: u.ID, Email: u.DeliveryEmail, Why: e.why, identity: e.identity}
		switch {
		case u.Active && e.active:
			one.Action = update
		case u.Active && !permission.LastOwner(v, u):
			one.Action = deactivate
			ended++
		case !u.Active && e.active && marked[u.ID]:
			one.Action, one.Why = reactivate, "active in the directory again"
		default:
			continue
		}
		changes = append(changes, one)
	}
	most := d.MaxDeactivations
	if most == 0 {
		most = max(5, active/10)
	}
	if ended > most {
		return nil, errs.Bad("%d of %d accounts would be deactivated, and at most %d may be: check base_dn, user_filter and "+
			"the groups of %s, or raise max_deactivations of this directory. Nothing has been changed.", ended, active, most,
			d.about.Name)
	}
	return changes, nil
}

// apply changes one account. It checks again what may have changed since it was planned.
func (s *service) apply(ctx context.Context, r realm.ID, d *directory, c change) error {
	server := user.Actor{Realm: r, System: true, Client: "Internal"}
	return s.Work.Do(ctx, func(ctx context.Context) error {
		v, err := s.Directory.View(ctx, r)
		if err != nil {
			return err
		}
		u := v.User(c.User)
		if u == nil || u.Active == (c.Action == reactivate) {
			return nil
		}
		switch c.Action {
		case deactivate:
			if permission.LastOwner(v, u) {
				return nil
			}
			if err := s.Accounts.Deactivate(ctx, server, u.ID); err != nil {
				return err
			}
			return s.rows.Mark(ctx, &person{UserID: u.ID, RealmID: r, Directory: d.ID, Deactivated: true})
		case reactivate:
			if err := s.Accounts.Reactivate(ctx, server, u.ID); errs.Is(err, errs.BadRequest) {
				s.Logger.WarnContext(ctx, "a user cannot be reactivated", "user", u.ID, "error", err)
				return nil
			} else if err != nil {
				return err
			}
		}
		return s.Identities.Follow(ctx, r, d.about, u.ID, c.identity)
	})
}

// everybody returns the people in the directory who are connected, by their ID, with their groups. Errors: also if the
// directory has nobody.
func (d *directory) everybody(ctx context.Context, connected []signin.Connection) (map[string]entry, error) {
	wanted := make(map[string]bool, len(connected))
	for _, c := range connected {
		wanted[c.Subject] = true
	}
	var found int
	var all map[string]entry
	err := d.asService(ctx, func(c *connection) error {
		found, all = 0, map[string]entry{}
		return d.eachPage(ctx, c, func(entries []*ldap.Entry) error {
			found += len(entries)
			for _, e := range entries {
				if err := d.learn(ctx, c, e, wanted, all); err != nil {
					return err
				}
			}
			return nil
		})
	})
	if err == nil && found == 0 {
		err = errs.Bad("The directory %s returned nobody: check base_dn and user_filter. Nothing has been changed.",
			d.about.Name)
	}
	return all, err
}

// eachPage reads the people in the directory page by page. All pages must be read on the same connection, since servers
// do not know the cookie for the next one on another.
func (d *directory) eachPage(ctx context.Context, c *connection, use func([]*ldap.Entry) error) error {
	paging := ldap.NewControlPaging(pageSize)
	for range maxPages {
		found, err := d.page(ctx, c, paging)
		if err != nil {
			return err
		}
		if err := use(found.Entries); err != nil {
			return err
		}
		next, _ := ldap.FindControl(found.Controls, ldap.ControlTypePaging).(*ldap.ControlPaging)
		if next == nil || len(next.Cookie) == 0 {
			return nil
		}
		paging.SetCookie(next.Cookie)
	}
	return setupError(fmt.Sprintf("the directory has more than %d people", pageSize*maxPages))
}

// page returns a page of the people in the directory.
func (d *directory) page(ctx context.Context, c *connection, at *ldap.ControlPaging) (*ldap.SearchResult, error) {
	r := d.request(d.BaseDN, ldap.ScopeWholeSubtree, 0, strings.ReplaceAll(d.UserFilter, "%s", "*"), d.attributes())
	r.Controls = []ldap.Control{at}
	var found *ldap.SearchResult
	err := c.during(ctx, d, maxPage, func() (err error) { found, err = c.Search(r); return err })
	if ldap.IsErrorWithCode(err, ldap.LDAPResultNoSuchObject) {
		return nil, setupError("base_dn does not exist, or bind_dn may not read it")
	}
	return found, err
}

// learn adds an entry if its account is connected. Entries without an ID are left out, as if they were not there.
func (d *directory) learn(
	ctx context.Context, c *connection, e *ldap.Entry, wanted map[string]bool, all map[string]entry,
) error {
	id, err := d.identity(e)
	if err != nil || !wanted[id.Subject] {
		return nil //nolint:nilerr // such as an entry of a service, which has no ID
	}
	if id.Groups, err = d.groups(ctx, c, e); err != nil {
		return err
	}
	one := entry{identity: id, active: true}
	switch {
	case !d.active(e, d.clock.Now()):
		one.active, one.why = false, "deactivated in the directory"
	case !d.admits(id):
		one.active, one.why = false, "excluded by require_groups or deny_groups"
	}
	all[id.Subject] = one
	return nil
}
