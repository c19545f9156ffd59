package scim

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/signin"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/scim/internal/patch"
	"github.com/stoachat/stoa/modules/scim/internal/schema"
)

// storedGroup returns a group as PATCH changes it.
func (s *service) storedGroup(c *call, v *directory.View, g *group.Group, row *ours) object {
	o := object{"displayName": g.Name}
	if row.ExternalID != "" {
		o["externalId"] = row.ExternalID
	}
	var members []any
	for _, id := range g.Members {
		if u := v.User(id); provisioned(u) {
			text := strconv.FormatInt(int64(id), 10)
			members = append(members, object{
				"value": text, "display": u.FullName, "type": "User", "$ref": c.base + "/Users/" + text,
			})
		}
	}
	if members != nil {
		o["members"] = members
	}
	return o
}

// groupResource returns a group as clients read it, and its version.
func (s *service) groupResource(c *call, v *directory.View, g *group.Group, row *ours) (object, string) {
	o := s.storedGroup(c, v, g, row)
	id := strconv.FormatInt(int64(g.ID), 10)
	o["schemas"], o["id"] = []any{schema.GroupURN}, id
	o["meta"] = object{
		"resourceType": "Group", "created": g.Created.UTC().Format(time.RFC3339), "location": c.base + "/Groups/" + id,
	}
	return stamped(o, row.Version)
}

// wantedGroup is what a client wants of a group.
type wantedGroup struct {
	name, externalID string
	members          user.Set
}

// readGroup returns what a client wants. Deactivated members are left out, unless they are members already.
func readGroup(in patch.Result, v *directory.View, old *group.Group, row *ours) (wantedGroup, error) {
	o := in.Object
	var w wantedGroup
	name, _ := o["displayName"].(string)
	if w.name = strings.TrimSpace(name); w.name == "" {
		return w, invalid("displayName is required.")
	}
	w.externalID, _ = o["externalId"].(string)
	if _, given := o["externalId"]; !given && !in.Touched["externalId"] && row != nil {
		w.externalID = row.ExternalID
	}
	if len(w.externalID) > signin.MaxSubject || !utf8.ValidString(w.externalID) {
		return w, invalid("externalId is too long.")
	}
	list, _ := o["members"].([]any)
	ids := make([]user.ID, 0, len(list))
	for _, one := range list {
		id, err := memberID(one)
		if err != nil {
			return w, err
		}
		u := v.User(id)
		if !provisioned(u) {
			return w, invalid("There is no user with an ID among the members.")
		}
		if u.Active || old != nil && old.Members.Has(id) {
			ids = append(ids, id)
		}
	}
	w.members = idset.Of(ids...)
	return w, nil
}

// memberID returns the user that a member is.
func memberID(one any) (user.ID, error) {
	m, _ := one.(object)
	kind, _ := m["type"].(string)
	ref, _ := m["$ref"].(string)
	if kind != "" && !strings.EqualFold(kind, "User") || strings.Contains(ref, "/Groups/") {
		return 0, invalid("Members must be users, not groups.")
	}
	value, _ := m["value"].(string)
	id, ok := parseID(value)
	if !ok {
		return 0, invalid("There is no user with an ID among the members.")
	}
	return user.ID(id), nil
}
