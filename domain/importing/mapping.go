package importing

import (
	"encoding/json"
	"strconv"

	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/user"
)

// Mapping translates what rows of another server contain.
type Mapping struct {
	// ID returns the ID here of a row of a table, given the ID there, or false if the row does not exist here.
	ID func(table string, there int64) (here int64, ok bool)
	// NameKey is directory.View.NameKey.
	NameKey func(name string) string
}

// Setting translates a permission. Users and groups that do not exist here are omitted.
func (m Mapping) Setting(s group.Setting) group.Setting {
	var out group.Setting
	if s.Group != 0 {
		if id, ok := m.group(s.Group); ok {
			return group.Named(id)
		}
		return group.Named(group.Nobody)
	}
	var members []user.ID
	var groups []group.ID
	for _, u := range s.Members {
		if id, ok := m.ID("users", int64(u)); ok {
			members = append(members, user.ID(id))
		}
	}
	for _, g := range s.Subgroups {
		if id, ok := m.group(g); ok {
			groups = append(groups, id)
		}
	}
	out.Members, out.Subgroups = idset.Of(members...), idset.Of(groups...)
	return out.Normal()
}

// group translates a group. Those of the system are the same everywhere.
func (m Mapping) group(g group.ID) (group.ID, bool) {
	if g < group.FirstCustom {
		return g, true
	}
	id, ok := m.ID("user_groups", int64(g))
	return group.ID(id), ok
}

// Permissions translates the permissions of a channel or group by name, as JSON. Missing ones get their defaults.
func (m Mapping) Permissions(text string, scope group.Scope, creator user.ID) (string, error) {
	all := map[string]group.Setting{}
	if text != "" {
		if err := json.Unmarshal([]byte(text), &all); err != nil {
			return "", err
		}
	}
	for name, s := range all {
		all[name] = m.Setting(s)
	}
	for _, r := range group.Rules(scope) {
		if _, ok := all[r.Name]; ok {
			continue
		}
		all[r.Name] = group.Named(r.Default)
		if r.Default == group.Creator {
			all[r.Name] = group.Setting{}.Normal()
			if creator != 0 {
				all[r.Name] = group.Setting{Members: user.Set{creator}}
			}
		}
	}
	out, err := json.Marshal(all)
	return string(out), err
}

// IDs translates a list of IDs of a table. Those that do not exist here are omitted.
func (m Mapping) IDs(table string, there []int64) []int64 {
	out := []int64{}
	for _, id := range there {
		if here, ok := m.ID(table, id); ok {
			out = append(out, here)
		}
	}
	return out
}

// Text translates an ID that is written as text, or returns "".
func (m Mapping) Text(table, there string) string {
	id, err := strconv.ParseInt(there, 10, 64)
	if err != nil {
		return ""
	}
	here, ok := m.ID(table, id)
	if !ok {
		return ""
	}
	return strconv.FormatInt(here, 10)
}
