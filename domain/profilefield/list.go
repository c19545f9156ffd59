package profilefield

import (
	"slices"

	"github.com/stoachat/stoa/domain/errs"
)

// ErrNotFound returns the error for an unknown field.
func ErrNotFound(id ID) error { return errs.Bad("Field id %d not found.", id) }

// Find returns the field with the given ID, or nil.
func Find(all []Field, id ID) *Field {
	i := slices.IndexFunc(all, func(f Field) bool { return f.ID == id })
	if i < 0 {
		return nil
	}
	return &all[i]
}

// CheckConflicts refuses a field that conflicts with others. The element of all with the ID of f is its previous
// version, whose name f may keep. key is directory.View.NameKey. Errors: BadRequest.
func CheckConflicts(all []Field, f *Field, key func(string) string) error {
	shown, name := 0, key(f.Name)
	had := Find(all, f.ID)
	kept := had != nil && had.Name == f.Name
	for _, o := range all {
		switch {
		case o.ID == f.ID:
			continue
		case !kept && key(o.Name) == name:
			return errs.Bad("A field with that label already exists.")
		case o.Summary:
			shown++
		}
	}
	if f.Summary && shown >= MaxInSummary {
		return errs.Bad("Only %d custom profile fields can be displayed in the profile summary.", MaxInSummary)
	}
	return nil
}

// Next returns the Order of a new field, which comes last.
func Next(all []Field) int {
	next := 0
	for _, f := range all {
		next = max(next, f.Order+1)
	}
	return next
}

// Reorder returns the fields in a new order, which must contain each of them exactly once, and reports whether it
// differs from the old one. Errors: BadRequest.
func Reorder(all []Field, order []ID) ([]Field, bool, error) {
	if len(order) != len(all) {
		return nil, false, errs.Bad("Invalid order mapping.")
	}
	now, moved := make([]Field, len(order)), false
	seen := map[ID]bool{}
	for i, id := range order {
		f := Find(all, id)
		if f == nil || seen[id] {
			return nil, false, errs.Bad("Invalid order mapping.")
		}
		seen[id] = true
		moved = moved || all[i].ID != id
		now[i] = *f
		now[i].Order = i
	}
	return now, moved, nil
}

// Removed returns the stored values of the list options that no longer exist.
func Removed(was, now Data) []string {
	var out []string
	for key := range was.Choices {
		if _, stays := now.Choices[key]; !stays {
			out = append(out, key)
		}
	}
	slices.Sort(out)
	return out
}
