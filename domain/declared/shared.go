package declared

import (
	"encoding/json"
	"iter"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/group"
)

// Change is a change of one value. The log contains it, and rows of the table have the same fields.
type Change struct {
	Key string          `json:"key"`
	ID  int64           `json:"id,omitempty"`  // of the user or the channel; 0: the organization
	Old json.RawMessage `json:"old,omitempty"` // nil: the default
	New json.RawMessage `json:"new,omitempty"`
}

func (c Change) inverse() Change {
	c.Old, c.New = c.New, c.Old
	return c
}

// Shared is the slot with the values that were set.
var Shared = directory.NewSlot("module_settings", (*State).with, Change.inverse)

// Catalog holds the settings of a server's modules.
type Catalog struct {
	all   []*Setting
	byKey map[string]*Setting
}

// NewCatalog returns the catalog of the given settings, in their order.
func NewCatalog(all []*Setting) *Catalog {
	c := &Catalog{all, make(map[string]*Setting, len(all))}
	for _, s := range all {
		c.byKey[s.Key] = s
	}
	return c
}

// State holds the values of a realm. It is immutable; nil has no settings. It ignores values of settings that are not
// in its catalog, and those that the declaration no longer accepts: they count as the default.
type State struct {
	*Catalog
	values map[string]directory.Map[int64, any] // by key and ID
}

// State returns the state with the given values.
func (c *Catalog) State(set []Change) *State {
	s := &State{c, map[string]directory.Map[int64, any]{}}
	for _, one := range set {
		s.put(one)
	}
	return s
}

// with returns the state after a change.
func (s *State) with(c Change) *State {
	if s == nil {
		return nil
	}
	next := &State{s.Catalog, make(map[string]directory.Map[int64, any], len(s.values)+1)}
	for key, values := range s.values {
		next.values[key] = values
	}
	next.put(c)
	return next
}

func (s *State) put(c Change) {
	of := s.byKey[c.Key]
	if of == nil {
		return
	}
	values := s.values[c.Key].Without(c.ID)
	if c.New != nil {
		if v, err := of.Read(c.New); err == nil {
			values = values.With(c.ID, v)
		}
	}
	s.values[c.Key] = values
}

// MarshalJSON implements json.Marshaler, for comparisons of views.
func (s *State) MarshalJSON() ([]byte, error) {
	all := map[string]map[int64]any{}
	for key, values := range s.values {
		for id, v := range values.All() {
			if all[key] == nil {
				all[key] = map[int64]any{}
			}
			all[key][id] = v
		}
	}
	return json.Marshal(all)
}

// In returns the settings and values of a realm.
func In(v *directory.View) *State { return Shared.In(v) }

// All returns the settings of a scope, in the order of the modules.
func (s *State) All(of Scope) []*Setting {
	var out []*Setting
	if s != nil {
		for _, one := range s.all {
			if one.Of == of {
				out = append(out, one)
			}
		}
	}
	return out
}

// Setting returns the setting of a scope with a key; nil if no module declares it.
func (s *State) Setting(of Scope, key string) *Setting {
	if s == nil || s.byKey[key] == nil || s.byKey[key].Of != of {
		return nil
	}
	return s.byKey[key]
}

// Set returns the value that was set for a user, a channel, or with ID 0 the organization; nil stands for the default.
func (s *State) Set(of *Setting, id int64) any {
	if s == nil {
		return nil
	}
	v, _ := s.values[of.Key].Get(id)
	return v
}

// Value returns the value of a setting.
func (s *State) Value(of *Setting, id int64) any {
	if v := s.Set(of, id); v != nil {
		return v
	}
	return of.Default
}

// Each iterates over the values of a setting that were set, with the IDs of what they belong to, in ascending order.
func (s *State) Each(of *Setting) iter.Seq2[int64, any] {
	if s == nil {
		return func(func(int64, any) bool) {}
	}
	return s.values[of.Key].All()
}

// Groups returns the permissions among the values of the organization, or of a channel.
func (s *State) Groups(of Scope, id int64) map[string]group.Setting {
	out := map[string]group.Setting{}
	for _, one := range s.All(of) {
		if one.Rule != nil {
			out[one.Key] = s.Value(one, id).(group.Setting)
		}
	}
	return out
}

func in(v *directory.View, s *Setting, id int64) any { return In(v).Value(s, id) }
