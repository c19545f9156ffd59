// Package snippet holds the rules for saved snippets: pieces of text that users keep for reuse.
package snippet

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/stoachat/stoa/domain/errs"
)

// ID identifies a snippet.
type ID int64

// Limits on snippets. /register returns all snippets of a user, so their total size is limited too.
const (
	MaxTitle    = 60    // code points
	MaxContent  = 10000 // code points
	MaxSnippets = 1000
	MaxBytes    = 1_000_000 // titles and contents of one user
)

// Snippet is a saved text.
type Snippet struct {
	ID      ID
	Title   string
	Content string
	Created time.Time
}

// Change replaces the fields that are not nil.
type Change struct{ Title, Content *string }

// Of returns the snippet after the change. Errors: BadRequest.
func (c Change) Of(s Snippet) (Snippet, error) {
	var err error
	if c.Title != nil {
		if s.Title, err = clean("title", *c.Title, MaxTitle); err != nil {
			return Snippet{}, err
		}
	}
	if c.Content != nil {
		if s.Content, err = clean("content", *c.Content, MaxContent); err != nil {
			return Snippet{}, err
		}
	}
	return s, nil
}

func clean(name, text string, limit int) (string, error) {
	text = strings.TrimSpace(text)
	switch {
	case text == "":
		return "", errs.Bad("%s cannot be blank", name)
	case !utf8.ValidString(text) || strings.ContainsRune(text, 0):
		return "", errs.Bad("%s must be valid text without null bytes", name)
	case utf8.RuneCountInString(text) > limit:
		return "", errs.Bad("%s is too long (limit: %d characters)", name, limit)
	}
	return text, nil
}

// Total is the number and size of a user's snippets.
type Total struct {
	Snippets int
	Bytes    int // titles and contents
}

// Admit refuses s if adding it would exceed the limits. Errors: BadRequest.
func (t Total) Admit(s Snippet) error {
	switch {
	case t.Snippets >= MaxSnippets:
		return errs.Bad("Too many saved snippets (limit: %d). Delete some first.", MaxSnippets)
	case t.Bytes+len(s.Title)+len(s.Content) > MaxBytes:
		return errs.Bad("Saved snippets are too long in total (limit: %d bytes). Delete some first.", MaxBytes)
	}
	return nil
}
