package linkifier

import "github.com/stoachat/stoa/domain/errs"

// ErrNotFound returns the error for an unknown ID.
func ErrNotFound() error { return errs.Bad("Linkifier not found.") }

// Moved is a linkifier before and after a change of its order.
type Moved struct{ Old, New *Linkifier }

// Reorder returns the linkifiers whose Order changes when the list is put into the order of ids. Errors: BadRequest
// unless ids are exactly the IDs of all linkifiers.
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
