package linkifier

import "github.com/stoachat/stoa/domain/errs"

// ErrNotFound is the answer to an id that no linkifier has.
func ErrNotFound() error { return errs.Bad("Linkifier not found.") }

// Moved is a linkifier before and after its place has changed.
type Moved struct{ Old, New *Linkifier }

// Reorder gives those of which the place changes when the list is in the order of ids. Errors: BadRequest when ids are
// not those of all linkifiers, each once.
func (l *List) Reorder(ids []ID) ([]Moved, error) {
	all, seen := l.All(), map[ID]bool{}
	for _, id := range ids {
		seen[id] = true
	}
	for _, c := range all {
		delete(seen, c.ID)
	}
	if len(ids) != len(all) || len(seen) > 0 {
		return nil, errBadOrder()
	}
	var out []Moved
	for i, id := range ids {
		if seen[id] {
			return nil, errBadOrder()
		}
		seen[id] = true
		old := l.Get(id).Linkifier
		if order := int64(i + 1); old.Order != order {
			now := *old
			now.Order = order
			out = append(out, Moved{old, &now})
		}
	}
	return out, nil
}

func errBadOrder() error {
	return errs.Bad("The ordered list must enumerate all existing linkifiers exactly once")
}
