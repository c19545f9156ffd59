// Package group describes user groups, and the values of permission settings, which name users and groups.
package group

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/ids"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/user"
)

// ID identifies a user group.
type ID = ids.Group

// Set is a set of groups.
type Set = idset.Set[ID]

// System groups have the same IDs in every realm, so that defaults of settings need no lookup and permissions work
// without the groups module. Their members follow from roles and are not stored. Custom groups have IDs from
// FirstCustom.
const (
	Nobody         ID = 1
	Owners         ID = 2
	Administrators ID = 3
	Moderators     ID = 4
	FullMembers    ID = 5
	Members        ID = 6
	Everyone       ID = 7
	Internet       ID = 8
	FirstCustom    ID = 101
)

// Group is a user group. It belongs to the shared facts, so it changes only by a directory.Change.
type Group struct {
	ID          ID                 `json:"id"`
	Name        string             `json:"name"`
	Description string             `json:"description"`
	Creator     user.ID            `json:"creator,omitempty"`
	Created     time.Time          `json:"created,omitzero"`
	Members     user.Set           `json:"members,omitempty"`   // direct members; empty for system groups
	Subgroups   Set                `json:"subgroups,omitempty"` // direct subgroups
	System      bool               `json:"system,omitempty"`
	Deactivated bool               `json:"deactivated,omitempty"`
	Permissions map[string]Setting `json:"permissions,omitempty"` // can_add_members_group, ...
}

// Setting is the value of a group setting: one named group, or an anonymous set of users and groups. On the wire it
// is an integer or {direct_members, direct_subgroups}.
type Setting struct {
	Group     ID // nonzero: this named group; the other fields are empty
	Members   user.Set
	Subgroups Set
}

// MaxNamed is the maximum number of users and groups in an anonymous setting, which is sent and checked as a whole.
const MaxNamed = 1000

// MaxSubgroups is the maximum number of a group's direct subgroups, since the nesting of groups is computed as a whole.
const MaxSubgroups = 500

// Size returns how many users and groups the value names, 0 for a named group.
func (s Setting) Size() int { return len(s.Members) + len(s.Subgroups) }

// Named returns the setting that names one group.
func Named(id ID) Setting { return Setting{Group: id} }

type anonymous struct {
	Members   []user.ID `json:"direct_members"`
	Subgroups []ID      `json:"direct_subgroups"`
}

// Normal returns the canonical form for storage, comparison and responses: a lone subgroup becomes that named group,
// and an empty value role:nobody.
func (s Setting) Normal() Setting {
	switch {
	case s.Group != 0:
		return Setting{Group: s.Group}
	case len(s.Members) == 0 && len(s.Subgroups) == 1:
		return Named(s.Subgroups[0])
	case len(s.Members) == 0 && len(s.Subgroups) == 0:
		return Named(Nobody)
	}
	return s
}

// With returns the union of two values.
func (s Setting) With(o Setting) Setting {
	return Setting{Members: s.Members.Union(o.Members), Subgroups: s.Groups().Union(o.Groups())}
}

// Groups returns the groups that the value names, whether it is a named group or an anonymous set.
func (s Setting) Groups() Set {
	if s.Group != 0 {
		return Set{s.Group}
	}
	return s.Subgroups
}

// Equal compares normal forms.
func (s Setting) Equal(o Setting) bool {
	s, o = s.Normal(), o.Normal()
	return s.Group == o.Group && slices.Equal(s.Members, o.Members) && slices.Equal(s.Subgroups, o.Subgroups)
}

// MarshalJSON writes the wire form.
func (s Setting) MarshalJSON() ([]byte, error) {
	s = s.Normal()
	if s.Group != 0 {
		return json.Marshal(s.Group)
	}
	a := anonymous{Members: s.Members, Subgroups: s.Subgroups}
	if a.Members == nil {
		a.Members = []user.ID{}
	}
	if a.Subgroups == nil {
		a.Subgroups = []ID{}
	}
	return json.Marshal(a)
}

// UnmarshalJSON reads either wire form. Errors: BadRequest.
func (s *Setting) UnmarshalJSON(b []byte) error {
	var id ID
	if t := bytes.TrimSpace(b); len(t) > 0 && t[0] != '{' {
		if err := json.Unmarshal(t, &id); err != nil || id <= 0 {
			return errs.Bad("Invalid user group ID: %.40s", t)
		}
		*s = Named(id)
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	var a anonymous
	if err := d.Decode(&a); err != nil {
		return errs.Bad("A group setting must be a group ID or {direct_members, direct_subgroups}").Because(err)
	}
	*s = Setting{Members: idset.Of(a.Members...), Subgroups: idset.Of(a.Subgroups...)}.Normal()
	return nil
}

// Update is a change of a setting: the new value, and optionally the value that the caller expects to replace.
type Update struct {
	New Setting  `json:"new"`
	Old *Setting `json:"old,omitempty"`
}

// UnmarshalJSON reads {new, old}; new is required. Errors: BadRequest.
func (u *Update) UnmarshalJSON(b []byte) error {
	var in struct {
		New *Setting `json:"new"`
		Old *Setting `json:"old"`
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(&in); err != nil {
		return err
	}
	if in.New == nil {
		return errs.Bad("A change of a group setting must be {new, old}; new is required")
	}
	*u = Update{New: *in.New, Old: in.Old}
	return nil
}
