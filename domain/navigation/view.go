// Package navigation is the views that people keep at hand in their sidebar.
package navigation

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/stoachat/stoa/domain/errs"
)

// View is a view of one person: one that every client has, of which it says where it is shown, or one of their own.
type View struct {
	Fragment string  `json:"fragment"` // the part of the address after the #, by which clients go there
	Pinned   bool    `json:"is_pinned"`
	Name     *string `json:"name"` // of a custom view; nil: unnamed, or built in
}

// Bounds.
const (
	MaxFragment = 2000 // bytes: it stands in an index, of which PostgreSQL takes 2704 for an entry
	MaxName     = 100  // characters
	MaxViews    = 200  // of one person
)

// builtin are the views that every client has.
var builtin = []string{
	"inbox", "recent", "feed", "drafts", "narrow/has/reaction/sender/me", "narrow/is/mentioned", "narrow/is/starred", "scheduled", "reminders",
}

// New checks a view that somebody adds to those they have. Errors: BadRequest.
func New(had []View, v View) (View, error) {
	v.Fragment = strings.TrimSpace(v.Fragment)
	switch {
	case v.Fragment == "":
		return View{}, errs.Bad("fragment cannot be blank")
	case len(v.Fragment) > MaxFragment:
		return View{}, errs.Bad("fragment is too long (limit: %d bytes)", MaxFragment)
	case unreadable(v.Fragment):
		return View{}, errs.Bad("Invalid characters in fragment")
	case Find(had, v.Fragment) >= 0:
		return View{}, errs.Bad("Navigation view already exists.")
	case len(had) >= MaxViews:
		return View{}, errs.Bad("Too many navigation views (limit: %d). Remove some first.", MaxViews)
	}
	name, err := checkName(had, v.Fragment, v.Name)
	v.Name = name
	return v, err
}

// Change says what of a view is to be another; what is nil stays.
type Change struct {
	Pinned *bool   `json:"is_pinned,omitempty"`
	Name   *string `json:"name,omitempty"`
}

// Of leaves of a change of had[i] what is not so already, and gives the view after it. Errors: BadRequest.
func (c Change) Of(had []View, i int) (Change, View, error) {
	v := had[i]
	if c.Name != nil {
		name, err := checkName(slices.Concat(had[:i], had[i+1:]), v.Fragment, c.Name)
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

// Find gives where a view is, -1 if it is not there.
func Find(had []View, fragment string) int {
	return slices.IndexFunc(had, func(v View) bool { return v.Fragment == fragment })
}

// checkName checks the name of a view beside others. Errors: BadRequest.
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
