package scim

import (
	"context"
	"net/http"
	"slices"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/modules/scim/internal/filter"
	"github.com/stoachat/stoa/modules/scim/internal/patch"
	"github.com/stoachat/stoa/ports"
)

func groupHandlers(s *service) handlers {
	return handlers{s.listGroups, s.getGroup, s.createGroup, s.replaceGroup, s.patchGroup, s.removeGroup}
}

// listGroups handles GET /Groups.
func (s *service) listGroups(c *call) (answer, error) {
	w, err := windowOf(c.r)
	if err != nil {
		return answer{}, err
	}
	e, err := parseFilter(c.r.URL.Query().Get("filter"))
	if err != nil {
		return answer{}, err
	}
	show, err := projectionOf(c.r, s.groups)
	if err != nil {
		return answer{}, err
	}
	ctx := c.r.Context()
	v, err := s.Directory.View(ctx, c.realm)
	if err != nil {
		return answer{}, err
	}
	rows, err := s.rows.Groups(ctx, c.realm)
	if err != nil {
		return answer{}, err
	}
	var found []*group.Group
	for id, row := range rows {
		g := v.Group(id)
		if g == nil {
			continue
		}
		if err := ctx.Err(); err != nil {
			return answer{}, err
		}
		if e != nil {
			if name, ok := filter.Required(e, "displayName"); ok && v.NameKey(name) != v.NameKey(g.Name) {
				continue // without its members
			}
			if o, _ := s.groupResource(c, v, g, row); !filter.Match(s.groups, e, o) {
				continue
			}
		}
		found = append(found, g)
	}
	slices.SortFunc(found, func(a, b *group.Group) int { return int(a.ID - b.ID) })
	var page []any
	for _, g := range cut(found, w) {
		o, _ := s.groupResource(c, v, g, rows[g.ID])
		page = append(page, show.apply(o))
	}
	return answer{status: http.StatusOK, body: listOf(page, len(found), w.start)}, nil
}

// findGroup returns a group of a client. Errors: a failure.
func (s *service) findGroup(
	ctx context.Context, c *call, v *directory.View, id int64,
) (*group.Group, *ours, map[group.ID]*ours, error) {
	rows, err := s.rows.Groups(ctx, c.realm)
	if err != nil {
		return nil, nil, nil, err
	}
	g, row := v.Group(group.ID(id)), rows[group.ID(id)]
	if g == nil || row == nil || g.System {
		return nil, nil, nil, notFound()
	}
	return g, row, rows, nil
}

func (s *service) showGroup(c *call, id int64, status int) (answer, error) {
	v, err := s.Directory.View(c.r.Context(), c.realm)
	if err != nil {
		return answer{}, err
	}
	g, row, _, err := s.findGroup(c.r.Context(), c, v, id)
	if err != nil {
		return answer{}, err
	}
	o, version := s.groupResource(c, v, g, row)
	return shownResource(c, s.groups, status, o, version)
}

// getGroup handles GET /Groups/{id}.
func (s *service) getGroup(c *call, id int64) (answer, error) {
	return s.showGroup(c, id, http.StatusOK)
}

// checkGroupFree checks that no other group has the name or the client's ID.
func checkGroupFree(v *directory.View, rows map[group.ID]*ours, id group.ID, w wantedGroup) error {
	key := v.NameKey(w.name)
	for g := range v.Groups() {
		if g.ID != id && v.NameKey(g.Name) == key {
			return taken("Another user group has this name.")
		}
	}
	for other, row := range rows {
		if other != id && w.externalID != "" && row.ExternalID == w.externalID {
			return taken("Another user group has this externalId.")
		}
	}
	return nil
}

// createGroup handles POST /Groups.
func (s *service) createGroup(c *call, body []byte) (answer, error) {
	in, err := patch.Whole(s.groups, body)
	if err != nil {
		return answer{}, err
	}
	var id group.ID
	err = s.change(c, func(ctx context.Context, v *directory.View) error {
		w, err := readGroup(in, v, nil, nil)
		if err != nil {
			return err
		}
		rows, err := s.rows.Groups(ctx, c.realm)
		if err != nil {
			return err
		}
		if err := checkGroupFree(v, rows, 0, w); err != nil {
			return err
		}
		if id, err = s.Groups.Create(ctx, c.by, ports.NewGroup{Name: w.name, Members: w.members}); err != nil {
			return err
		}
		return s.rows.SaveGroup(ctx, &ours{
			GroupID: id, RealmID: c.realm, Manager: c.token.Name, ExternalID: w.externalID, Version: 1,
		})
	})
	if err != nil {
		return answer{}, err
	}
	return s.showGroup(c, int64(id), http.StatusCreated)
}

// replaceGroup handles PUT /Groups/{id}.
func (s *service) replaceGroup(c *call, id int64, body []byte) (answer, error) {
	in, err := patch.Whole(s.groups, body)
	if err != nil {
		return answer{}, err
	}
	return s.changeGroup(c, id, func(*directory.View, *group.Group, *ours) (patch.Result, error) { return in, nil })
}

// patchGroup handles PATCH /Groups/{id}.
func (s *service) patchGroup(c *call, id int64, body []byte) (answer, error) {
	operations, err := patch.Read(body)
	if err != nil {
		return answer{}, err
	}
	return s.changeGroup(c, id, func(v *directory.View, g *group.Group, row *ours) (patch.Result, error) {
		return patch.Apply(s.groups, s.storedGroup(c, v, g, row), operations)
	})
}

func (s *service) changeGroup(
	c *call, id int64, result func(*directory.View, *group.Group, *ours) (patch.Result, error),
) (answer, error) {
	err := s.change(c, func(ctx context.Context, v *directory.View) error {
		g, row, rows, err := s.findGroup(ctx, c, v, id)
		if err != nil {
			return err
		}
		_, version := s.groupResource(c, v, g, row)
		if err := checkMatch(c.r, version); err != nil {
			return err
		}
		in, err := result(v, g, row)
		if err != nil {
			return err
		}
		w, err := readGroup(in, v, g, row)
		if err != nil {
			return err
		}
		if err := checkGroupFree(v, rows, g.ID, w); err != nil {
			return err
		}
		return s.applyGroup(ctx, c, g, row, w)
	})
	if err != nil {
		return answer{}, err
	}
	return s.showGroup(c, id, http.StatusOK)
}

// applyGroup changes a group as far as it differs.
func (s *service) applyGroup(ctx context.Context, c *call, g *group.Group, row *ours, w wantedGroup) error {
	if w.name != g.Name {
		if err := s.Groups.Rename(ctx, c.by, g.ID, w.name); err != nil {
			return err
		}
	}
	if add, remove := w.members.Minus(g.Members), g.Members.Minus(w.members); len(add)+len(remove) > 0 {
		if err := s.Groups.ChangeMembers(ctx, c.by, g.ID, add, remove); err != nil {
			return err
		}
	}
	if row.ExternalID == w.externalID && row.Manager == c.token.Name {
		return nil
	}
	row.ExternalID, row.Manager = w.externalID, c.token.Name
	row.Version++
	return s.rows.SaveGroup(ctx, row)
}

// removeGroup handles DELETE /Groups/{id}. A group that permissions name is kept.
func (s *service) removeGroup(c *call, id int64) (answer, error) {
	err := s.change(c, func(ctx context.Context, v *directory.View) error {
		g, row, _, err := s.findGroup(ctx, c, v, id)
		if err != nil {
			return err
		}
		_, version := s.groupResource(c, v, g, row)
		if err := checkMatch(c.r, version); err != nil {
			return err
		}
		if err := s.Groups.Delete(ctx, c.by, g.ID); err != nil {
			return err
		}
		return s.rows.ForgetGroup(ctx, g.ID)
	})
	return answer{status: http.StatusNoContent}, err
}
