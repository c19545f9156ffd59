// Package emoji describes the custom emoji of a realm.
package emoji

import "github.com/stoachat/stoa/domain/user"

// ID identifies a custom emoji of a realm; it is its emoji code on the wire.
type ID int64

// Custom is a custom emoji. Its name is unique among the active ones of the realm.
type Custom struct {
	ID          ID      `json:"id"`
	Name        string  `json:"name"`
	Source      string  `json:"source_url"`
	Still       string  `json:"still_url,omitempty"` // the still image of an animated emoji
	Author      user.ID `json:"author_id"`
	Deactivated bool    `json:"deactivated"`
}
