// Package emoji is the emoji that a realm has made itself.
package emoji

import "github.com/stoachat/stoa/domain/user"

// ID identifies an emoji of a realm; it is its code on the wire.
type ID int64

// Custom is an emoji of a realm. Its name is unique among the active ones.
type Custom struct {
	ID          ID      `json:"id"`
	Name        string  `json:"name"`
	Source      string  `json:"source_url"`
	Still       string  `json:"still_url,omitempty"` // for an animated one
	Author      user.ID `json:"author_id"`
	Deactivated bool    `json:"deactivated"`
}
