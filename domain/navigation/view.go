// Package navigation describes the views pinned in a user's sidebar.
package navigation

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/stoachat/stoa/domain/errs"
)

// View is a user's setting for one navigation view, built-in or custom.
type View struct {
	Fragment string  `json:"fragment"` // the URL fragment (after the #) that opens the view
	Pinned   bool    `json:"is_pinned"`
	Name     *string `json:"name"` // of a custom view; nil: unnamed, or built in
}

// Limits on navigation views.
const (
	MaxFragment = 2000 // bytes; it is an index key, limited to 2704 bytes in PostgreSQL
	MaxName     = 100  // characters
	MaxViews    = 200  // per user
)

// builtin lists the views that every client has.
var builtin = []string{
	"inbox", "recent", "feed", "drafts", "narrow/has/reaction/sender/me", "narrow/is/mentioned", "narrow/is/starred",
	"scheduled", "reminders",
}

// New validates a view to be added to a user's views. Errors: BadRequest.
func New(stored []View, v View) (View, error) {
	v.Fragment = strings.TrimSpace(v.Fragment)
	switch {
	case v.Fragment == "":
		return View{}, errs.Bad("fragment cannot be blank")
	case len(v.Fragment) > MaxFragment:
		return View{}, errs.Bad("fragment is too long (limit: %d bytes)", MaxFragment)
	case unreadable(v.Fragment):
		return View{}, errs.Bad("Invalid characters in fragment")
	case Find(stored, v.Fragment) >= 0:
		return View{}, errs.Bad("Navigation view already exists.")
	case len(stored) >= MaxViews:
		return View{}, errs.Bad("Too many navigation views (limit: %d). Remove some first.", MaxViews)
	}
	name, err := checkName(stored, v.Fragment, v.Name)
	v.Name = name
	return v, err
}

// Change lists changes to a view; nil fields stay unchanged.
type Change struct {
	Pinned *bool   `json:"is_pinned,omitempty"`
	Name   *string `json:"name,omitempty"`
}

// Of applies c to stored[i]. It returns c without fields that have no effect, and the changed view. Errors: BadRequest.
func (c Change) Of(stored []View, i int) (Change, View, error) {
	v := stored[i]
	if c.Name != nil {
		name, err := checkName(slices.Concat(stored[:i], stored[i+1:]), v.Fragment, c.Name)
		if err != nil {
			return Change{}, View{}, err
		}
		if c.Name = name; v.Name != nil && *v.Name == *name {
			c.Name = nil
		} else {
			v.Name = name
		}
	}
	if c.Pinned != nil && *c.Pinned == v.Pinned {
		c.Pinned = nil
	}
	if c.Pinned != nil {
		v.Pinned = *c.Pinned
	}
	return c, v, nil
}

// Find returns the index of a view, or -1.
func Find(stored []View, fragment string) int {
	return slices.IndexFunc(stored, func(v View) bool { return v.Fragment == fragment })
}

// checkName validates the name of a view against the others. Errors: BadRequest.
func checkName(others []View, fragment string, name *string) (*string, error) {
	if slices.Contains(builtin, fragment) {
		if name != nil {
			return nil, errs.Bad("Built-in views cannot have a custom name.")
		}
		return nil, nil
	}
	if name == nil {
		return nil, nil
	}
	if strings.TrimSpace(*name) == "" {
		return nil, errs.Bad("The name of a view cannot be blank.")
	}
	clean := strings.TrimSpace(*name)
	switch {
	case utf8.RuneCountInString(clean) > MaxName:
		return nil, errs.Bad("name is too long (limit: %d characters)", MaxName)
	case unreadable(clean):
		return nil, errs.Bad("Invalid characters in name")
	case slices.ContainsFunc(others, func(v View) bool { return v.Name != nil && *v.Name == clean }):
		return nil, errs.Bad("Navigation view already exists.")
	}
	return &clean, nil
}

func unreadable(s string) bool { return strings.ContainsFunc(s, unicode.IsControl) }
