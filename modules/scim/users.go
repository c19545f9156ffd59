package scim

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/scim/internal/filter"
	"github.com/stoachat/stoa/modules/scim/internal/patch"
)

func userHandlers(s *service) handlers {
	return handlers{s.listUsers, s.getUser, s.createUser, s.replaceUser, s.patchUser, s.removeUser}
}

// groupsOf returns the clients' groups with a user, in the order of their IDs.
func groupsOf(v *directory.View, all map[group.ID]*ours, u user.ID) []group.ID {
	var in []group.ID
	for id := range all {
		if g := v.Group(id); g != nil && !g.Deactivated && g.Members.Has(u) {
			in = append(in, id)
		}
	}
	slices.Sort(in)
	return in
}

// listUsers handles GET /Users.
func (s *service) listUsers(c *call) (answer, error) {
	w, err := windowOf(c.r)
	if err != nil {
		return answer{}, err
	}
	e, err := parseFilter(c.r.URL.Query().Get("filter"))
	if err != nil {
		return answer{}, err
	}
	show, err := projectionOf(c.r, s.people)
	if err != nil {
		return answer{}, err
	}
	ctx := c.r.Context()
	v, err := s.Directory.View(ctx, c.realm)
	if err != nil {
		return answer{}, err
	}
	groups, err := s.rows.Groups(ctx, c.realm)
	if err != nil {
		return answer{}, err
	}
	found, people, err := s.candidates(c, v, e)
	if err != nil {
		return answer{}, err
	}
	if e != nil {
		withGroups := strings.Contains(strings.ToLower(c.r.URL.Query().Get("filter")), "groups")
		var fit []*user.User
		for _, u := range found {
			if err := ctx.Err(); err != nil {
				return answer{}, err
			}
			var in []group.ID
			if withGroups {
				in = groupsOf(v, groups, u.ID)
			}
			o, _ := s.userResource(c, v, u, people[u.ID], in)
			if filter.Match(s.people, e, o) {
				fit = append(fit, u)
			}
		}
		found = fit
	}
	var page []any
	for _, u := range cut(found, w) {
		o, _ := s.userResource(c, v, u, people[u.ID], groupsOf(v, groups, u.ID))
		page = append(page, show.apply(o))
	}
	return answer{status: http.StatusOK, body: listOf(page, len(found), w.start)}, nil
}

// candidates returns the users whom a filter may select, in the order of their IDs. A removed account is found only by
// its name, so that a client can restore it.
func (s *service) candidates(
	c *call, v *directory.View, e filter.Expression,
) ([]*user.User, map[user.ID]*person, error) {
	ctx := c.r.Context()
	one := func(u *user.User, p *person, err error) ([]*user.User, map[user.ID]*person, error) {
		if err != nil || !provisioned(u) {
			return nil, nil, err
		}
		if p == nil {
			p, err = s.rows.Person(ctx, c.realm, u.ID)
		}
		return []*user.User{u}, map[user.ID]*person{u.ID: p}, err
	}
	if name, ok := filter.Required(e, "userName"); ok {
		if s.cfg.EmailSource == fromEmails {
			p, err := s.rows.ByName(ctx, c.realm, user.EmailKey(name))
			if err != nil || p != nil {
				return one(v.User(ownerOf(p)), p, err)
			}
		}
		return one(v.UserByEmail(name), nil, nil)
	}
	if id, ok := filter.Required(e, "externalId"); ok {
		p, err := s.rows.ByExternal(ctx, c.realm, id)
		if p == nil || id == "" {
			return nil, nil, err
		}
		return one(v.User(p.UserID), p, err)
	}
	people, err := s.rows.People(ctx, c.realm)
	var all []*user.User
	for u := range v.Users() {
		if p := people[u.ID]; provisioned(u) && (p == nil || !p.Removed) {
			all = append(all, u)
		}
	}
	slices.SortFunc(all, func(a, b *user.User) int { return int(a.ID - b.ID) })
	return all, people, err
}

func ownerOf(p *person) user.ID {
	if p == nil {
		return 0
	}
	return p.UserID
}

// find returns a user by ID. A removed one is found if its client restores it. Errors: a failure.
func (s *service) find(
	ctx context.Context, c *call, v *directory.View, id int64, restores bool,
) (*user.User, *person, error) {
	u := v.User(user.ID(id))
	if !provisioned(u) {
		return nil, nil, notFound()
	}
	p, err := s.rows.Person(ctx, c.realm, u.ID)
	if err != nil {
		return nil, nil, err
	}
	if p != nil && p.Removed && !restores {
		return nil, nil, notFound()
	}
	return u, p, nil
}

// showUser answers with a user.
func (s *service) showUser(c *call, id user.ID, status int) (answer, error) {
	ctx := c.r.Context()
	v, err := s.Directory.View(ctx, c.realm)
	if err != nil {
		return answer{}, err
	}
	u, p, err := s.find(ctx, c, v, int64(id), false)
	if err != nil {
		return answer{}, err
	}
	groups, err := s.rows.Groups(ctx, c.realm)
	if err != nil {
		return answer{}, err
	}
	o, version := s.userResource(c, v, u, p, groupsOf(v, groups, u.ID))
	return shownResource(c, s.people, status, o, version)
}

// getUser handles GET /Users/{id}.
func (s *service) getUser(c *call, id int64) (answer, error) {
	return s.showUser(c, user.ID(id), http.StatusOK)
}

// createUser handles POST /Users. If the configuration says so, it adopts a deactivated account with the address.
func (s *service) createUser(c *call, body []byte) (answer, error) {
	in, err := patch.Whole(s.people, body)
	if err != nil {
		return answer{}, err
	}
	w, err := s.read(in, nil, nil)
	if err != nil {
		return answer{}, err
	}
	var id user.ID
	err = s.change(c, func(ctx context.Context, v *directory.View) (err error) {
		old := v.UserByEmail(w.email)
		if !s.cfg.Adopt || !provisioned(old) || old.Active || s.above(old.Role) {
			id, err = s.createAccount(ctx, c, v, w)
			return err
		}
		p, err := s.rows.Person(ctx, c.realm, old.ID)
		if err != nil {
			return err
		}
		again := w
		if again.active == nil {
			yes := true
			again.active = &yes
		}
		id = old.ID
		return s.changeAccount(ctx, c, v, old, p, again)
	})
	if err != nil {
		return answer{}, err
	}
	return s.showUser(c, id, http.StatusCreated)
}

// replaceUser handles PUT /Users/{id}. Without active or roles, these stay as they are.
func (s *service) replaceUser(c *call, id int64, body []byte) (answer, error) {
	in, err := patch.Whole(s.people, body)
	if err != nil {
		return answer{}, err
	}
	return s.changeUser(c, id, func(*user.User, *person) (patch.Result, error) { return in, nil })
}

// patchUser handles PATCH /Users/{id}.
func (s *service) patchUser(c *call, id int64, body []byte) (answer, error) {
	operations, err := patch.Read(body)
	if err != nil {
		return answer{}, err
	}
	return s.changeUser(c, id, func(u *user.User, p *person) (patch.Result, error) {
		return patch.Apply(s.people, s.stored(u, p), operations)
	})
}

func (s *service) changeUser(
	c *call, id int64, result func(*user.User, *person) (patch.Result, error),
) (answer, error) {
	err := s.change(c, func(ctx context.Context, v *directory.View) error {
		u, p, err := s.find(ctx, c, v, id, true)
		if err != nil {
			return err
		}
		if err := s.checkUserMatch(ctx, c, v, u, p); err != nil {
			return err
		}
		in, err := result(u, p)
		if err != nil {
			return err
		}
		w, err := s.read(in, u, p)
		if err != nil {
			return err
		}
		return s.changeAccount(ctx, c, v, u, p, w)
	})
	if err != nil {
		return answer{}, err
	}
	return s.showUser(c, user.ID(id), http.StatusOK)
}

// checkUserMatch checks the header If-Match.
func (s *service) checkUserMatch(ctx context.Context, c *call, v *directory.View, u *user.User, p *person) error {
	if c.r.Header.Get("If-Match") == "" {
		return nil
	}
	groups, err := s.rows.Groups(ctx, c.realm)
	if err != nil {
		return err
	}
	_, version := s.userResource(c, v, u, p, groupsOf(v, groups, u.ID))
	return checkMatch(c.r, version)
}

// removeUser handles DELETE /Users/{id}. It deactivates the account and forgets the client's ID.
func (s *service) removeUser(c *call, id int64) (answer, error) {
	err := s.change(c, func(ctx context.Context, v *directory.View) error {
		u, p, err := s.find(ctx, c, v, id, false)
		if err != nil {
			return err
		}
		if err := s.checkUserMatch(ctx, c, v, u, p); err != nil {
			return err
		}
		if permission.LastOwner(v, u) {
			return lastOwner()
		}
		if u.Active {
			if err := s.Accounts.Deactivate(ctx, c.by, u.ID); err != nil {
				return err
			}
		}
		gone := person{UserID: u.ID, RealmID: c.realm, Attributes: "{}"}
		if p != nil {
			gone = *p
		}
		gone.ExternalID, gone.Manager, gone.SetsRole, gone.Removed = "", "", false, true
		gone.UserName, gone.UserKey = "", ""
		gone.Version++
		return s.rows.SavePerson(ctx, &gone)
	})
	return answer{status: http.StatusNoContent}, err
}
