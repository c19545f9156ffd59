package emoji

import (
	"cmp"
	"maps"
	"slices"

	"github.com/stoachat/stoa/domain/directory"
)

// Shared is the slot for a realm's custom emoji.
var Shared = directory.NewSlot("emoji", (*Index).With, directory.Swap[Custom].Inverse)

// Change returns the change of one emoji; old is nil for a new one.
func Change(old, now *Custom) directory.Change {
	return Shared.Change(directory.Swap[Custom]{Old: old, New: now})
}

// In returns the realm's custom emoji.
func In(v *directory.View) *Index { return Shared.In(v) }

// Index finds a realm's custom emoji. It is immutable; nil is empty. Its records are shared and must not be modified.
type Index struct {
	all    []*Custom          // by ID
	active map[string]*Custom // by name
}

// NewIndex returns an index of emoji.
func NewIndex(all ...*Custom) *Index {
	x := &Index{slices.SortedFunc(slices.Values(all), byID), make(map[string]*Custom, len(all))}
	for _, e := range all {
		if !e.Deactivated {
			x.active[e.Name] = e
		}
	}
	return x
}

// With returns the index after a change of one emoji.
func (x *Index) With(c directory.Swap[Custom]) *Index {
	now := &Index{active: map[string]*Custom{}}
	if x != nil {
		now.all, now.active = slices.Clone(x.all), maps.Clone(x.active)
	}
	if old := c.Old; old != nil {
		if i, ok := slices.BinarySearchFunc(now.all, old, byID); ok {
			now.all = slices.Delete(now.all, i, i+1)
		}
		if e := now.active[old.Name]; e != nil && e.ID == old.ID {
			delete(now.active, old.Name)
		}
	}
	if e := c.New; e != nil {
		i, ok := slices.BinarySearchFunc(now.all, e, byID)
		if ok {
			now.all = slices.Delete(now.all, i, i+1)
		}
		now.all = slices.Insert(now.all, i, e)
		if !e.Deactivated {
			now.active[e.Name] = e
		}
	}
	return now
}

func byID(a, b *Custom) int { return cmp.Compare(a.ID, b.ID) }

// All returns all emoji, including deactivated ones, in order of ID.
func (x *Index) All() []*Custom {
	if x == nil {
		return nil
	}
	return x.all
}

// Named returns the active emoji with a name; nil if there is none.
func (x *Index) Named(name string) *Custom {
	if x == nil {
		return nil
	}
	return x.active[name]
}

// Get returns an emoji, which may be deactivated; nil if there is none.
func (x *Index) Get(id ID) *Custom {
	if i, ok := slices.BinarySearchFunc(x.All(), &Custom{ID: id}, byID); ok {
		return x.all[i]
	}
	return nil
}
